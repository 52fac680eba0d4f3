import type { Compacted } from "./compaction.ts";
import { budgetOf, contextMeter, fixedTokens, needsCompaction, type Window } from "./context.ts";
import type { Event } from "./event.ts";
import { type Failure, failure } from "./failure.ts";
import type { History } from "./history.ts";
import type { Message, Usage } from "./message.ts";
import type { Model, ToolSpec } from "./ports/model.ts";

export type ContextSettings = {
  readonly window: Window;
  readonly compactAt: number;
  /** Who writes summaries; undefined: the model of the conversation. */
  readonly summariser?: { readonly model: Model; readonly window: number };
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

export type FitDeps = { readonly model: Model; readonly history: History; readonly context: ContextKeeper };

/** What making room cost, and why the task cannot go on, if so. */
export type Fit = { readonly usage?: Usage; readonly failure?: Failure };

/** Before each request: below the threshold nothing, above it a warning and compaction. */
export async function* fitContext(deps: FitDeps, signal: AbortSignal): AsyncGenerator<Event, Fit> {
  const { context } = deps;
  if (!needsCompaction(context.used(), context.limit, context.settings.compactAt)) return {};
  const percent = Math.round((context.used() / context.limit) * 100);
  const message = `The context is ${percent} % full: older messages are summarised`;
  yield { family: "warning", type: "warning", code: "context_full", message };
  const room = yield* makeRoom(deps, undefined, signal);
  const usage = room.usage ? { usage: room.usage } : {};
  if (room.made || context.used() <= context.limit) return usage;
  const hint = "start a new session, use a model with a larger context, or set context_limit if it has one";
  return { ...usage, failure: failure("context", room.detail, { hint }) };
}

export type Room = { readonly made: boolean; readonly detail: string; readonly usage?: Usage };

/** Shortens what is sent, whether it has to be or not. */
export async function* makeRoom(
  deps: FitDeps,
  instructions: string | undefined,
  signal: AbortSignal,
): AsyncGenerator<Event, Room> {
  const { context, history } = deps;
  const { summariser } = context.settings;
  const earlier = context.summary();
  yield { family: "metrics", type: "phase", name: "compaction" };
  // Loaded when it is needed: most conversations never fill their context.
  const { compact, sent } = await import("./compaction.ts");
  const result = yield* compact(
    {
      model: summariser?.model ?? deps.model,
      summaryWindow: summariser?.window ?? context.settings.window.context,
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
  if (result.kind === "nothing_to_cut") return { made: false, detail: "There is nothing to compact" };
  const usage = result.usage ? { usage: result.usage } : {};
  if (result.kind === "cannot_fit") return { made: false, detail: result.detail, ...usage };
  yield* take(deps, result, sent(result.summary, result.keptMessages));
  return { made: true, detail: "", ...usage };
}

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
