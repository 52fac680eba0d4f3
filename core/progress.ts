import { costOf } from "./cost.ts";
import type { Denial, TaskTotals } from "./event.ts";
import type { Spent } from "./fit-context.ts";
import { NO_USAGE, type Usage } from "./message.ts";

/** What a task has used and seen so far; lives as long as the task. */
export type Progress = {
  turns: number;
  toolCalls: number;
  usage: Usage;
  /** Null once something in it is not known. */
  cost: number | null;
  /** What limits count: also an estimate where the provider reports nothing. */
  readonly charged: { tokens: number; costUsd: number };
  lastText: string;
  /** How often an answer was sent back because it was not what was asked for. */
  repairs: number;
  emptyReplies: number;
  /** How often `failedCalls`, and nothing else, has failed in a row. */
  failures: number;
  failedCalls: string | undefined;
  unapproved: boolean;
  /** The context overflowed once already and was compacted for it. */
  overflowed: boolean;
  readonly denials: Denial[];
  readonly seenIds: Set<string>;
};

export const newProgress = (): Progress => ({
  turns: 0,
  toolCalls: 0,
  usage: NO_USAGE,
  cost: 0,
  charged: { tokens: 0, costUsd: 0 },
  lastText: "",
  repairs: 0,
  emptyReplies: 0,
  failures: 0,
  failedCalls: undefined,
  unapproved: false,
  overflowed: false,
  denials: [],
  seenIds: new Set(),
});

export const totalsOf = (progress: Progress): TaskTotals => ({
  usage: progress.usage,
  cost_usd: progress.cost,
  turns: progress.turns,
  tool_calls: progress.toolCalls,
  denials: progress.denials,
  unapproved: progress.unapproved,
});

export function charge({ charged }: Progress, { usage, price }: Spent): void {
  charged.tokens += usage.total_tokens;
  charged.costUsd += costOf(usage, price) ?? 0;
}
