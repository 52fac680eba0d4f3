import { displayText, proseText } from "../../core/sanitize.ts";
import { type FooterFacts, footerLine, statusLine } from "./footer.ts";
import type { Look } from "./item-lines.ts";
import { markdownLines } from "./markdown.ts";
import { lastPart } from "./markdown-blocks.ts";
import type { Size } from "./tty.ts";
import type { View } from "./view-state.ts";
import { clipped, wrapped } from "./wrap.ts";

const QUEUE_LINES = 3;
const OUTPUT_LINES = 5;
const TAIL_CHARS = 6000;

export type LiveParts = {
  readonly view: View;
  readonly look: Look;
  readonly size: Size;
  readonly nowMs: number;
  readonly footer: FooterFacts;
  /** The editor, or what stands in its place, in at most so many rows. */
  readonly panel: (rows: number) => readonly string[];
  /** A word to the user that goes away by itself. */
  readonly hint: string;
};

/** Everything below the printed conversation, never higher than the screen. Pure. */
export function liveLines({ view, look, size, nowMs, footer, panel, hint }: LiveParts): readonly string[] {
  const { paint } = look;
  const most = Math.max(2, size.rows - 1);
  const status = view.task ? [statusLine(view.task, nowMs, look.width, paint)] : compacting(view, look);
  const foot =
    hint === ""
      ? footerLine(view.facts, footer, look.width, paint)
      : paint("warning", clipped(hint, look.width));
  const below = [...queueLines(view, look), ...status];
  const shownPanel = panel(Math.max(1, most - status.length - 1)).slice(-(most - 1));
  const bottom = [...below, ...shownPanel, foot].slice(-most);
  const room = most - bottom.length - 1;
  const tail = room > 0 ? tailLines(view, look).slice(-room) : [];
  // A blank line keeps the conversation and what is below it apart, where there is room for one.
  return bottom.length < most ? [...tail, "", ...bottom] : bottom;
}

function tailLines(view: View, look: Look): readonly string[] {
  const { tail, task, choices } = view;
  if (tail.text !== "") {
    const text = lastPart(tail.text, TAIL_CHARS, tail.kind === "answer" ? tail.scan.fence : undefined);
    if (tail.kind === "answer") return spaced(markdownLines(text, { ...look, rendered: look.markdown }));
    if (!choices.reasoning) return [];
    return spaced(wrapped(proseText(text.trim()), look.width).map((line) => look.paint("reasoning", line)));
  }
  if (task === undefined || task.output === "") return [];
  const output = wrapped(displayText(task.output.trimEnd()), look.width - 2).slice(-OUTPUT_LINES);
  return output.map((line) => look.paint("result", `  ${line}`));
}

/** What is printed ends without its blank line, which belongs to what follows. */
const spaced = (lines: readonly string[]): readonly string[] => (lines.length === 0 ? [] : ["", ...lines]);

function queueLines({ queue }: View, { paint, width }: Look): readonly string[] {
  const shown = queue.slice(0, QUEUE_LINES).map(({ text, as }) => {
    const when = as === "follow_up" ? " (when it would end)" : "";
    return paint("queue", clipped(`◷ ${displayText(text).replace(/\s+/g, " ")}${when}`, width));
  });
  const left = queue.length - QUEUE_LINES;
  return left > 0 ? [...shown, paint("queue", `◷ … ${left} more`)] : shown;
}

const compacting = ({ facts }: View, { paint }: Look): readonly string[] =>
  facts.compacting ? [paint("status", "⠋ compacting the conversation")] : [];
