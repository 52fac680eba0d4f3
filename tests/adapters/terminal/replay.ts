import type { Item } from "../../../adapters/terminal/item.ts";
import { apart, itemLines, type Look } from "../../../adapters/terminal/item-lines.ts";
import { liveLines } from "../../../adapters/terminal/live-lines.ts";
import { noPaint } from "../../../adapters/terminal/theme.ts";
import { step } from "../../../adapters/terminal/view.ts";
import { type Choices, initialView, type View } from "../../../adapters/terminal/view-state.ts";
import type { Envelope, Event } from "../../../core/event.ts";

export const CHOICES: Choices = { reasoning: true, expanded: false, tokens: true, toolCalls: true };

export const plainLook = (width: number): Look => ({
  width,
  paint: noPaint,
  depth: "none",
  light: false,
  markdown: true,
  expanded: false,
});

export const envelopes = (events: readonly Event[]): readonly Envelope[] =>
  events.map((event, index) => ({ v: 1, seq: index + 1, ts_unix_ms: 1000 * index, event }));

export type Replayed = { readonly view: View; readonly items: readonly Item[]; readonly screen: string };

/** The screen that a stream of events makes, without a terminal. */
export function replay(events: readonly Envelope[], width = 80, choices = CHOICES): Replayed {
  let view = initialView(choices);
  const items: Item[] = [];
  for (const envelope of events) {
    const next = step(view, envelope);
    view = next.view;
    items.push(...next.items);
  }
  const look = plainLook(width);
  const printed = items.flatMap((item, index) => [
    ...(apart(items[index - 1]?.type, item.type) ? [""] : []),
    ...itemLines(item, look),
  ]);
  const live = liveLines({
    view,
    look,
    size: { columns: width, rows: 24 },
    nowMs: 1000 * events.length,
    footer: { cwd: "~/work", branch: "main", thinking: "off", policy: "" },
    hint: "",
    panel: () => ["> "],
  });
  return { view, items, screen: [...printed, ...live].map((line) => line.trimEnd()).join("\n") };
}
