import type { Message } from "./message.ts";
import type { ToolSpec } from "./ports/model.ts";
import { estimateTokens, usedTokens } from "./tokens.ts";

/** What the last response counted: everything up to and including message number `messageCount`. */
export type Report = { readonly totalTokens: number; readonly messageCount: number };

/** The one number that metrics, the warning and compaction use. */
export function contextUse(messages: readonly Message[], lastReport: Report | undefined): number {
  return usedTokens({
    reportedTotal: lastReport?.totalTokens ?? 0,
    messagesAfter: messages.slice(lastReport?.messageCount ?? 0),
  });
}

/** The same number, kept up to date as messages come in. */
export type ContextMeter = {
  readonly added: (message: Message) => void;
  readonly reported: (totalTokens: number, messageCount: number) => void;
  readonly used: () => number;
};

/** `fixedTokens` stand for the system prompt and the tools as long as no response has counted them. */
export function contextMeter(fixedTokens = 0): ContextMeter {
  // The estimate of the first n messages, for each n: a report may come before or after its own message.
  const upTo = [0];
  let report: Report = { totalTokens: fixedTokens, messageCount: 0 };
  return {
    added: (message) => {
      upTo.push((upTo.at(-1) ?? 0) + estimateTokens(message));
    },
    reported: (totalTokens, messageCount) => {
      report = { totalTokens, messageCount };
    },
    used: () => {
      const all = upTo.at(-1) ?? 0;
      return report.totalTokens + all - (upTo[report.messageCount] ?? all);
    },
  };
}

/** What every request carries besides its messages. */
export function fixedTokens(system: string, tools: readonly ToolSpec[]): number {
  return Math.ceil((system.length + JSON.stringify(tools).length) / 4);
}

export type Window = {
  /** The model's window. */
  readonly context: number;
  /** A cap below it; 0: none. */
  readonly contextBudget: number;
  /** What the answer may take of the window; 0: left to the provider. */
  readonly maxOutputTokens: number;
};

/** The tokens that a request may use. However long answers may be, half of the window is for what they answer. */
export function budgetOf({ context, contextBudget, maxOutputTokens }: Window): number {
  const usable = context - Math.min(maxOutputTokens, Math.floor(context / 2));
  return contextBudget > 0 ? Math.min(contextBudget, usable) : usable;
}

export const needsCompaction = (used: number, budget: number, compactAt: number): boolean =>
  used > budget * compactAt;
