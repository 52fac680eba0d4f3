import type { Price } from "./catalogue.ts";
import type { Compacted } from "./compaction.ts";
import { budgetOf, contextMeter, fixedTokens, needsCompaction, type Window } from "./context.ts";
import type { Event } from "./event.ts";
import { type Failure, failure } from "./failure.ts";
import type { History } from "./history.ts";
import type { Message, Usage } from "./message.ts";
import type { Host } from "./ports/host.ts";
import type { Model, ToolSpec } from "./ports/model.ts";
import type { Result } from "./result.ts";

export type ContextSettings = {
  readonly window: Window;
  readonly compactAt: number;
  /** Who writes summaries, found when one is needed; undefined: the model of the conversation. */
  readonly summariser?: () => Promise<Result<Summariser, Failure>>;
};

export type Summariser = {
  readonly model: Model;
  readonly window: number;
  readonly price: Price | null;
};

/** How full the context is, and what stands for what was taken out of it. */
export type ContextKeeper = {
  readonly settings: ContextSettings;
  readonly limit: number;
  readonly fixed: number;
  readonly added: (message: Message) => void;
  /** A response counted everything up to now. */
  readonly reported: (totalTokens: number) => void;
  readonly used: () => number;
  /** The summary that the first message of the history is, if it is one. */
  readonly summary: () => string | undefined;
  /** The history is another one now. */
  readonly restart: (messages: readonly Message[], summary: string | undefined) => void;
};

export function contextKeeper(
  settings: ContextSettings,
  system: string,
  tools: readonly ToolSpec[],
): ContextKeeper {
  const fixed = fixedTokens(system, tools);
  let meter = contextMeter(fixed);
  let count = 0;
  let summary: string | undefined;
  const added = (message: Message): void => {
    meter.added(message);
    count += 1;
  };
  return {
    settings,
    limit: budgetOf(settings.window),
    fixed,
    added,
    reported: (totalTokens) => meter.reported(totalTokens, count),
    used: () => meter.used(),
    summary: () => summary,
    restart: (messages, newSummary) => {
      meter = contextMeter(fixed);
      count = 0;
      summary = newSummary;
      for (const message of messages) added(message);
    },
  };
}

export type FitDeps = {
  readonly host: Host;
  readonly model: Model;
  readonly price: Price | null;
  readonly history: History;
  readonly context: ContextKeeper;
};

/** What a summary used, and what whoever wrote it takes for that. */
export type Spent = { readonly usage: Usage; readonly price: Price | null };

/** What making room cost, and why the task cannot go on, if so. */
export type Fit = { readonly spent?: Spent; readonly failure?: Failure };

/** Before each request: below the threshold nothing, above it a warning and compaction. */
export async function* fitContext(deps: FitDeps, signal: AbortSignal): AsyncGenerator<Event, Fit> {
  const { context } = deps;
  if (!needsCompaction(context.used(), context.limit, context.settings.compactAt)) return {};
  const percent = Math.round((context.used() / context.limit) * 100);
  const message = `The context is ${percent} % full: older messages are summarised`;
  yield { family: "warning", type: "warning", code: "context_full", message };
  const room = yield* makeRoom(deps, undefined, signal);
  const spent = room.spent ? { spent: room.spent } : {};
  if (room.made || context.used() <= context.limit) return spent;
  const hint = "start a new session, use a model with a larger context, or set context_limit if it has one";
  return { ...spent, failure: failure("context", room.detail, { hint }) };
}

export type Room = { readonly made: boolean; readonly detail: string; readonly spent?: Spent };

/** Shortens what is sent, whether it has to be or not. */
export async function* makeRoom(
  deps: FitDeps,
  instructions: string | undefined,
  signal: AbortSignal,
): AsyncGenerator<Event, Room> {
  const { context, history, host } = deps;
  const earlier = context.summary();
  const startedMs = host.monotonicMs();
  const writer = yield* summariserOf(deps);
  // Loaded when it is needed: most conversations never fill their context.
  const { compact, sent } = await import("./compaction.ts");
  const result = yield* compact(
    {
      model: writer.model,
      summaryWindow: writer.window,
      budget: context.limit,
      compactAt: context.settings.compactAt,
      fixedTokens: context.fixed,
    },
    {
      messages: earlier === undefined ? history.messages : history.messages.slice(1),
      ...(earlier === undefined ? {} : { previousSummary: earlier }),
      ...(instructions === undefined ? {} : { instructions }),
      usedTokens: context.used(),
    },
    signal,
  );
  yield phase("compaction", host.monotonicMs() - startedMs);
  if (result.kind === "nothing_to_cut") return { made: false, detail: "There is nothing to compact" };
  const spent = result.usage ? { spent: { usage: result.usage, price: writer.price } } : {};
  if (result.kind === "cannot_fit") return { made: false, detail: result.detail, ...spent };
  yield* take(deps, result, sent(result.summary, result.keptMessages));
  return { made: true, detail: "", ...spent };
}

/** A summariser that cannot be had is no reason to lose the conversation: its own model writes the summary then. */
async function* summariserOf({ model, price, context }: FitDeps): AsyncGenerator<Event, Summariser> {
  const own = { model, window: context.settings.window.context, price };
  const found = await context.settings.summariser?.();
  if (found === undefined) return own;
  if (found.ok) return found.value;
  const message = `The compact_model cannot be used (${found.error.message}); "${model.profile}" writes the summary`;
  yield { family: "warning", type: "warning", code: "compact_model", message };
  return own;
}

/** Where the time of a turn went. */
export const phase = (name: "model" | "tools" | "compaction", durationMs: number): Event => ({
  family: "metrics",
  type: "phase",
  name,
  duration_ms: Math.round(durationMs),
});

function* take(
  { history, context }: FitDeps,
  result: Compacted,
  messages: readonly Message[],
): Generator<Event> {
  const { summary, keptMessages } = result;
  history.replace(messages);
  context.restart(history.messages, summary === "" ? undefined : summary);
  yield {
    family: "session",
    type: "compacted",
    summary,
    kept: keptMessages.length,
    tokens_before: result.tokensBefore,
    tokens_after: result.tokensAfter,
  };
  if (result.notice) {
    yield { family: "warning", type: "warning", code: "compaction", message: result.notice };
  }
}
