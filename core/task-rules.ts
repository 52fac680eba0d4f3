import { type Failure, failure } from "./failure.ts";
import { type UserMessage, userMessage } from "./message.ts";
import type { OutputSchema } from "./ports/model.ts";
import type { Progress } from "./progress.ts";
import type { Result } from "./result.ts";

/** What a run was told to keep to, besides the number of model calls. */
export type TaskRules = {
  readonly maxTokens?: number;
  readonly maxCostUsd?: number;
  /** `fail`: the first call that nobody could approve ends the task. */
  readonly onDeny: "continue" | "fail";
  readonly answer?: AnswerRule;
};

/** The answer has to be a document of this kind. */
export type AnswerRule = {
  readonly schema: OutputSchema;
  /** The document alone, or what is wrong with it in words for the model. */
  readonly check: (text: string) => Result<string, string>;
};

/** Which limit the task has come to, if any. */
export function limitReached(
  { maxIterations, rules }: { readonly maxIterations: number; readonly rules?: TaskRules | undefined },
  { turns, charged }: Progress,
): Failure | undefined {
  if (turns >= maxIterations) {
    const message = `Stopped after ${turns} model calls: the limit of max_iterations`;
    return failure("limit", message, { hint: "raise it with --max-iterations N" });
  }
  if (rules?.maxTokens !== undefined && charged.tokens >= rules.maxTokens) {
    const message = `Stopped after ${charged.tokens} tokens: the limit is ${rules.maxTokens}`;
    return failure("limit", message, { hint: "raise it with --max-tokens-total N" });
  }
  if (rules?.maxCostUsd !== undefined && charged.costUsd >= rules.maxCostUsd) {
    const message = `Stopped after spending $${charged.costUsd}: the limit is $${rules.maxCostUsd}`;
    return failure("limit", message, { hint: "raise it with --max-cost USD" });
  }
  return undefined;
}

/** Asks for the best answer that there is, before a limit ends the task. */
export const wrapUpMessage = (): UserMessage =>
  userMessage(
    "The limit of this task is reached: no more tools can be used. Give the best answer you can with what you " +
      "have found so far, and say what is left open.",
  );

/** How often an answer of the wrong shape is sent back. */
export const MAX_REPAIRS = 2;

/** With the schema: a server may have ignored the option that it came by. */
export const repairMessage = (problems: string, { schema }: OutputSchema): UserMessage =>
  userMessage(
    `The answer does not satisfy the JSON Schema that it has to satisfy:\n${problems}\n` +
      `The schema is: ${JSON.stringify(schema)}\n` +
      "Answer again with the corrected JSON document and nothing else: no explanation, no code fence.",
  );

export const wrongAnswer = (problems: string): Failure =>
  failure("schema", `The answer does not satisfy the schema: ${problems.split("\n").join("; ")}`, {
    hint: "make the schema simpler, describe its fields, or use a stronger model",
  });

export const stoppedByDenial = ({ denials }: Progress): Failure => {
  const last = denials.at(-1);
  return failure("approval", `Not approved: ${last?.subject ?? "a call"} (${last?.reason ?? "denied"})`, {
    hint: "run it on a terminal, or give --approve all or a duration",
  });
};
