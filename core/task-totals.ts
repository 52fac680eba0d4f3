import type { Usage } from "./message.ts";

/** What one task used, in one number each. */
export type TaskTotals = {
  readonly usage: Usage;
  /** Null when a price is not known. */
  readonly cost_usd: number | null;
  readonly turns: number;
  readonly tool_calls: number;
  readonly denials: readonly Denial[];
  /** A call was denied because nobody could be asked, or by policy `none`. */
  readonly unapproved: boolean;
};

/** A call that was denied. */
export type Denial = { readonly tool: string; readonly subject: string; readonly reason: string };
