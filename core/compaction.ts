import { type Cut, type Estimate, planCut, sum } from "./compaction-plan.ts";
import { splitSummary, summaryMessage, summaryRequest, summaryText } from "./compaction-summary.ts";
import type { Event } from "./event.ts";
import { exactValues } from "./exact-values.ts";
import type { Message, Usage } from "./message.ts";
import type { Model, ModelRequest } from "./ports/model.ts";
import { shortenText } from "./shorten.ts";
import { estimateTokens } from "./tokens.ts";

export type CompactionDeps = {
  /** Writes the summary. */
  readonly model: Model;
  /** Its window, in tokens. */
  readonly summaryWindow: number;
  /** What a request of the conversation may use (`budgetOf`). */
  readonly budget: number;
  readonly compactAt: number;
  /** What every request carries besides its messages (`fixedTokens`). */
  readonly fixedTokens: number;
};

export type CompactionInput = {
  /** The conversation since the last compaction, without the message that stands for what was before it. */
  readonly messages: readonly Message[];
  readonly previousSummary?: string;
  /** What the user asked of the summary. */
  readonly instructions?: string;
  /** The one number, before. */
  readonly usedTokens: number;
};

export type Compacted = {
  readonly kind: "compacted";
  /** Empty when nothing had to be summarised. */
  readonly summary: string;
  /** In the messages that were given. */
  readonly firstKeptIndex: number;
  readonly keptMessages: readonly Message[];
  readonly tokensBefore: number;
  readonly tokensAfter: number;
  /** What the summary cost. */
  readonly usage?: Usage;
  /** For the user: why something was lost. */
  readonly notice?: string;
};

export type CompactionResult =
  | Compacted
  | { readonly kind: "nothing_to_cut" }
  | { readonly kind: "cannot_fit"; readonly detail: string; readonly usage?: Usage };

/** Makes the conversation fit again. Yields what the model port has to tell meanwhile; throws only when aborted. */
export async function* compact(
  deps: CompactionDeps,
  input: CompactionInput,
  signal: AbortSignal,
): AsyncGenerator<Event, CompactionResult> {
  const scale = scaleOf(deps, input);
  const estimate: Estimate = (message) => Math.ceil(estimateTokens(message) * scale);
  const room = roomOf(deps.budget, deps.compactAt, deps.fixedTokens * scale);
  if (room === undefined) return cannotFit(deps, "the system prompt and the tools alone leave no room");

  const cut = planCut(input.messages, room.keepTokens, estimate);
  const previous = input.previousSummary ?? "";
  const fixed = Math.ceil(deps.fixedTokens * scale);
  const tokensWith = (summary: string, kept: readonly Message[]) =>
    fixed + sum(sent(summary, kept).map(estimate));
  if (cut === undefined) {
    const fits = tokensWith(previous, input.messages) <= deps.budget;
    return fits ? { kind: "nothing_to_cut" } : cannotFit(deps, "nothing in the conversation can be cut");
  }
  const summaryChars = Math.floor((room.summaryTokens * CHARS_PER_TOKEN) / scale) - INTRODUCTION_CHARS;
  const made = yield* summarise(deps, input, cut, { summaryChars, scale }, signal);
  const tokensAfter = tokensWith(made.summary, cut.kept);
  const usage = made.usage ? { usage: made.usage } : {};
  if (tokensAfter > deps.budget) {
    return { ...cannotFit(deps, `${tokensAfter} tokens are left of ${input.usedTokens}`), ...usage };
  }
  return {
    kind: "compacted",
    summary: made.summary,
    firstKeptIndex: cut.firstKeptIndex,
    keptMessages: cut.kept,
    tokensBefore: input.usedTokens,
    tokensAfter,
    ...usage,
    ...(made.notice === undefined ? {} : { notice: made.notice }),
  };
}

/** What is sent: the summary, when there is one, and what was kept. */
export const sent = (summary: string, kept: readonly Message[]): readonly Message[] =>
  summary === "" ? kept : [summaryMessage(summary), ...kept];

const CHARS_PER_TOKEN = 4;
const INTRODUCTION_CHARS = 300;
const LEAST_ROOM = 512;
const LEAST_SUMMARY_TOKENS = 256;
const MOST_SUMMARY_TOKENS = 4096;
const MOST_SCALE = 3;

/** Some languages take more tokens than the estimate says: what responses reported tells by how much. */
function scaleOf(
  deps: CompactionDeps,
  { messages, previousSummary = "", usedTokens }: CompactionInput,
): number {
  const estimated = deps.fixedTokens + sum(sent(previousSummary, messages).map(estimateTokens));
  return Math.min(MOST_SCALE, Math.max(1, usedTokens / Math.max(1, estimated)));
}

type Room = { readonly keepTokens: number; readonly summaryTokens: number };

/** A quarter of the window for what stays, less for the summary; below `compactAt` if that is possible at all. */
function roomOf(budget: number, compactAt: number, fixed: number): Room | undefined {
  const calm = budget * compactAt - fixed;
  const room = Math.floor(calm >= budget / 4 ? calm : budget - fixed);
  if (room < LEAST_ROOM) return undefined;
  const keepTokens = Math.floor(Math.min(budget / 4, room / 2));
  const summary = Math.min(MOST_SUMMARY_TOKENS, Math.max(LEAST_SUMMARY_TOKENS, budget / 6));
  return { keepTokens, summaryTokens: Math.floor(Math.min(room - keepTokens, summary)) };
}

const cannotFit = (deps: CompactionDeps, why: string) => ({
  kind: "cannot_fit" as const,
  detail: `The conversation does not fit into ${deps.budget} tokens even when compacted: ${why}`,
});

type Made = { readonly summary: string; readonly usage?: Usage; readonly notice?: string };
type Size = { readonly summaryChars: number; readonly scale: number };

/** The model's summary with the exact values behind it; without the model, the earlier summary and the values. */
async function* summarise(
  deps: CompactionDeps,
  input: CompactionInput,
  cut: Cut,
  { summaryChars, scale }: Size,
  signal: AbortSignal,
): AsyncGenerator<Event, Made> {
  const earlier = splitSummary(input.previousSummary ?? "");
  const maxChars = Math.min(MOST_VALUE_CHARS, Math.floor(summaryChars / 2));
  const values = exactValues([...cut.older, ...shortenedWords(input, cut)], earlier.values, { maxChars });
  const narrativeChars = summaryChars - summaryText({ narrative: "", values }).length;
  const whole = (narrative: string) =>
    summaryText({ narrative: shortenText(narrative, narrativeChars), values });
  if (cut.older.length === 0) return { summary: whole(earlier.narrative) };

  const others = earlier.narrative.length + summaryChars + PROMPT_CHARS;
  const transcriptChars = Math.floor((deps.summaryWindow * SAFE_CHARS_PER_TOKEN) / scale - others);
  const bounds = { maxChars: Math.max(LEAST_TRANSCRIPT, transcriptChars), summaryChars: narrativeChars };
  const request = summaryRequest(cut.older, earlier.narrative, input.instructions, bounds);
  const asked = yield* ask(deps.model, request, signal);
  const usage = asked.usage ? { usage: asked.usage } : {};
  const problem = asked.problem ?? problemOf(asked.text, narrativeChars);
  if (problem === undefined) return { summary: whole(asked.text), ...usage };
  const notice = `The oldest ${cut.older.length} messages were left out without a summary: ${problem}`;
  return { summary: whole(withGap(earlier.narrative)), notice, ...usage };
}

/** What the user said at such length that it was cut: what is exact in it must not be lost with its middle. */
function shortenedWords(input: CompactionInput, cut: Cut): readonly Message[] {
  const originals = input.messages.slice(cut.firstKeptIndex);
  return originals.filter((message, index) => message.role === "user" && message !== cut.kept[index]);
}

const MOST_VALUE_CHARS = 2000;
const LEAST_TRANSCRIPT = 2000;
const PROMPT_CHARS = 2500;
/** Fewer than the estimate takes: a request that is refused makes no summary. */
const SAFE_CHARS_PER_TOKEN = 3;
/** A little too long can be shortened; far too long is not a summary. */
const MOST_OVERLONG = 4;

function problemOf(summary: string, maxChars: number): string | undefined {
  if (summary.trim() === "") return "the model wrote none";
  if (summary.length > maxChars * MOST_OVERLONG) return `the model wrote ${summary.length} characters`;
  return undefined;
}

const GAP = "[Here messages were left out without a summary.]";

const withGap = (narrative: string): string => `${narrative.replaceAll(GAP, "").trim()}\n\n${GAP}`.trim();

type Asked = { readonly text: string; readonly usage?: Usage; readonly problem?: string };

async function* ask(model: Model, request: ModelRequest, signal: AbortSignal): AsyncGenerator<Event, Asked> {
  for await (const event of model.ask(request, signal)) {
    if (event.type === "retrying") yield { family: "model", ...event };
    if (event.type === "notice") {
      yield { family: "warning", type: "warning", code: "model_notice", message: event.text };
    }
    if (event.type === "failed") return { text: "", problem: event.failure.message };
    if (event.type === "replied") {
      const { message, usage } = event.reply;
      return { text: message.content, ...(usage ? { usage } : {}) };
    }
  }
  throw new Error("Model port ended without a closing event");
}
