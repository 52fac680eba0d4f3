import type { ImagePart, Part } from "./message.ts";
import { textOf } from "./message.ts";
import type { Redact } from "./redact.ts";
import { displayText } from "./sanitize.ts";
import {
  lastModel,
  pathOf,
  type SessionTotals,
  type SessionTree,
  titleOf,
  totalsOn,
} from "./session-tree.ts";

/** A conversation for people: masked, free of control characters, every call beside its result. */
export type SessionView = {
  readonly id: string;
  readonly title: string;
  readonly createdAt: string;
  readonly cwd: string;
  readonly target: string;
  readonly model: string;
  readonly totals: SessionTotals;
  readonly items: readonly ViewItem[];
};

export type ViewItem =
  | { readonly type: "user"; readonly text: string; readonly images: readonly ImagePart[] }
  | { readonly type: "assistant"; readonly text: string; readonly reasoning: string }
  | CallItem
  | { readonly type: "summary"; readonly text: string }
  | { readonly type: "model_change"; readonly text: string }
  | { readonly type: "denied"; readonly text: string };

export type CallItem = {
  readonly type: "call";
  readonly name: string;
  readonly arguments: string;
  readonly result: CallResult;
};

export type CallResult =
  | { readonly type: "none" }
  | {
      readonly type: "done" | "failed";
      readonly text: string;
      readonly images: readonly ImagePart[];
    };

export function sessionView(tree: SessionTree, redact: Redact): SessionView {
  const shown = (text: string) => displayText(redact(text));
  const { id, created_at, cwd, target } = tree.header;
  return {
    id,
    title: shown(titleOf(tree)) || id,
    createdAt: shown(created_at),
    cwd: shown(cwd),
    target: shown(target),
    model: shown(lastModel(tree)?.model ?? ""),
    totals: totalsOn(tree),
    items: itemsOn(tree, shown),
  };
}

function itemsOn(tree: SessionTree, shown: Redact): readonly ViewItem[] {
  const items: ViewItem[] = [];
  /** Where the calls stand that wait for their result. Some providers use an id twice. */
  const waiting = new Map<string, number>();
  for (const { entry } of pathOf(tree)) {
    if (entry.type === "compaction") items.push({ type: "summary", text: shown(entry.summary) });
    if (entry.type === "model_change") items.push({ type: "model_change", text: shown(entry.model) });
    if (entry.type === "approval" && entry.decision.type === "denied") {
      items.push({ type: "denied", text: shown(`${entry.subject}: ${entry.decision.reason}`) });
    }
    if (entry.type !== "message") continue;
    if (entry.role === "user") {
      items.push({ type: "user", text: shown(textOf(entry.content)), images: imagesIn(entry.content) });
    } else if (entry.role === "assistant") {
      const [text, reasoning] = [shown(entry.content), shown(entry.reasoning ?? "")];
      if (text !== "" || reasoning !== "") items.push({ type: "assistant", text, reasoning });
      for (const call of entry.tool_calls) {
        waiting.set(call.id, items.length);
        items.push(callItem(shown(call.name), shown(call.arguments), { type: "none" }));
      }
    } else {
      const at = waiting.get(entry.tool_call_id);
      const call = at === undefined ? undefined : items[at];
      if (at === undefined || call?.type !== "call") continue;
      waiting.delete(entry.tool_call_id);
      const type = entry.is_error ? "failed" : "done";
      const result = { type, text: shown(textOf(entry.content)), images: imagesIn(entry.content) } as const;
      items[at] = callItem(call.name, call.arguments, result);
    }
  }
  return items;
}

const callItem = (name: string, args: string, result: CallResult): CallItem => ({
  type: "call",
  name,
  arguments: args,
  result,
});

const imagesIn = (content: readonly Part[]): readonly ImagePart[] =>
  content.flatMap((part) => (part.type === "image" ? [part] : []));
