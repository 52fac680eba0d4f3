import fc from "fast-check";
import {
  type CompactionDeps,
  type CompactionInput,
  type CompactionResult,
  compact,
} from "../../core/compaction.ts";
import { type Message, type ToolMessage, text, userMessage } from "../../core/message.ts";
import { assistant, call } from "../fakes/model.ts";

export const result = (id: string, output: string, more: Partial<ToolMessage> = {}): ToolMessage => ({
  role: "tool",
  tool_call_id: id,
  name: "run_shell",
  content: [text(JSON.stringify({ result: { exit_code: 0, stdout: output } }))],
  is_error: false,
  ...more,
});

export const image = { type: "image", media_type: "image/png", data: "eA==" } as const;

const prose = fc
  .tuple(fc.string({ maxLength: 60 }), fc.constantFrom(1, 1, 1, 20, 300))
  .map(([words, times]) => `${words}.`.repeat(times));

/** One user message, answer, or answer with calls and their results. */
const unit = fc.oneof(
  prose.map((words): readonly Message[] => [userMessage(words)]),
  prose.map((words): readonly Message[] => [assistant(words)]),
  fc
    .tuple(prose, fc.array(fc.tuple(prose, prose), { minLength: 1, maxLength: 4 }))
    .map(([words, runs]): readonly Message[] => [
      assistant(
        words,
        runs.map(([command], index) => call(`c${index}`, "run_shell", { command })),
        words,
      ),
      ...runs.map(([, output], index) => result(`c${index}`, output)),
    ]),
  prose.map((words): readonly Message[] => [{ role: "user", content: [text(words), image, image] }]),
);

/** Conversations as the loop leaves them: every call answered, right behind it. */
export const conversation = fc
  .array(unit, { minLength: 1, maxLength: 25 })
  .map((units) => [userMessage("first"), ...units.flat()]);

/** Every call is answered, in order, right behind it; no result is without its call. */
export function isWhole(messages: readonly Message[]): boolean {
  let waiting: readonly string[] = [];
  for (const message of messages) {
    if (message.role === "tool") {
      if (message.tool_call_id !== waiting[0]) return false;
      waiting = waiting.slice(1);
      continue;
    }
    if (waiting.length > 0) return false;
    if (message.role === "assistant") waiting = message.tool_calls.map(({ id }) => id);
  }
  return waiting.length === 0;
}

/** Runs a compaction to its end. */
export async function compacted(
  deps: CompactionDeps,
  input: CompactionInput,
  signal: AbortSignal = new AbortController().signal,
): Promise<CompactionResult> {
  const run = compact(deps, input, signal);
  for (let step = await run.next(); ; step = await run.next()) if (step.done) return step.value;
}
