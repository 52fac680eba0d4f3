import type { ApprovalRequest, QueuedAs } from "../../core/event.ts";
import type { TaskId } from "../../core/id.ts";
import type { Item } from "./item.ts";
import { type BlockScan, NOTHING_SCANNED } from "./markdown-blocks.ts";

/** Everything that the screen shows of a run, made of its events alone: the same events make the same screen. */
export type View = {
  readonly task: RunningTask | undefined;
  readonly tail: Tail;
  readonly queue: readonly Queued[];
  readonly approvals: readonly ApprovalRequest[];
  readonly facts: Facts;
  /** What `/copy`, Ctrl-O and the external editor take up again. */
  readonly last: { readonly answer: string; readonly result: Item | undefined; readonly reasoning: string };
  readonly choices: Choices;
};

export type RunningTask = {
  readonly id: TaskId;
  readonly startedMs: number;
  /** The name of the tool, or what the model is at. */
  readonly doing: string;
  readonly calls: readonly RunningCall[];
  /** The end of what the running calls have put out. */
  readonly output: string;
};

export type RunningCall = {
  readonly id: string;
  readonly name: string;
  /** What it changes in a file. */
  readonly diff?: string;
  readonly durationMs?: number;
  readonly summary?: string;
};

/** What streams and is not printed yet. */
export type Tail = {
  readonly kind: "answer" | "reasoning";
  readonly text: string;
  readonly scan: BlockScan;
  /** Something of this reply is already printed. */
  readonly begun: boolean;
};

export type Queued = { readonly text: string; readonly as: QueuedAs };

export type Facts = {
  readonly profile: string;
  readonly model: string;
  readonly target: string;
  readonly session: { readonly id: string; readonly path: string; readonly title: string } | undefined;
  readonly context: { readonly used: number; readonly limit: number } | undefined;
  readonly tokens: { readonly earlier: number; readonly task: number };
  readonly costUsd: { readonly earlier: number | null; readonly task: number | null };
  readonly compacting: boolean;
  readonly stopped: boolean;
};

/** What the user wants to see. */
export type Choices = {
  readonly reasoning: boolean;
  readonly expanded: boolean;
  readonly tokens: boolean;
  readonly toolCalls: boolean;
};

export type Shown = { readonly view: View; readonly items: readonly Item[] };

export const EMPTY_TAIL: Tail = { kind: "answer", text: "", scan: NOTHING_SCANNED, begun: false };

export const initialView = (choices: Choices): View => ({
  task: undefined,
  tail: EMPTY_TAIL,
  queue: [],
  approvals: [],
  facts: {
    profile: "",
    model: "",
    target: "local",
    session: undefined,
    context: undefined,
    tokens: { earlier: 0, task: 0 },
    costUsd: { earlier: 0, task: 0 },
    compacting: false,
    stopped: false,
  },
  last: { answer: "", result: undefined, reasoning: "" },
  choices,
});

export const silent = (view: View): Shown => ({ view, items: [] });
export const printed = (view: View, ...items: readonly Item[]): Shown => ({ view, items });

/** A new conversation: what was used and said in the last one does not count in it. */
export function withoutSession(view: View): View {
  const fresh = initialView(view.choices);
  const { profile, model, target } = view.facts;
  return { ...fresh, facts: { ...fresh.facts, profile, model, target } };
}
