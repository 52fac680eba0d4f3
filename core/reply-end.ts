import { type Failure, failure } from "./failure.ts";
import type { AssistantMessage } from "./message.ts";
import type { Reply } from "./ports/model.ts";
import type { Progress } from "./progress.ts";

/** How a task ends: with this text, and why that is not an answer, if so. */
export type TaskEnd = { readonly result: string; readonly failure?: Failure };

/** What a whole response without calls amounts to. */
export function answerOf(reply: Reply, { content }: AssistantMessage): TaskEnd {
  if (reply.finish === "content_filter") {
    return { result: content, failure: failure("model", "The provider cut the answer off: content filter") };
  }
  if (reply.finish === "error") {
    return { result: content, failure: failure("model", "The provider ended the answer with an error") };
  }
  if (reply.finish !== "length") return { result: content };
  const hint = "raise max_output_tokens of the profile, or ask for less at once";
  const message = "The answer was cut off: the model's output limit was reached";
  return { result: content, failure: failure("limit", message, { hint }) };
}

/** One empty reply is asked again, a second one ends the task. */
export function afterEmpty(progress: Progress, reply: Reply): TaskEnd | undefined {
  if (reply.finish === "content_filter" || reply.finish === "length") return answerOf(reply, reply.message);
  progress.emptyReplies += 1;
  if (progress.emptyReplies < 2) return undefined;
  const why = failure("model", "The model gave an empty response twice", { retryable: true });
  return { result: progress.lastText, failure: why };
}

export const isEmpty = (message: AssistantMessage): boolean =>
  message.content.trim() === "" && message.tool_calls.length === 0;
