import { readSmallFile } from "../adapters/host/read-small-file.ts";
import { answerRule } from "../core/answer-check.ts";
import { type Failure, failure } from "../core/failure.ts";
import { checkSchema } from "../core/json-schema/check-schema.ts";
import { err, ok, type Result } from "../core/result.ts";
import { parseStrictJson } from "../core/strict-json.ts";
import type { AnswerRule } from "../core/task-rules.ts";

const MAX_BYTES = 1024 * 1024;

/** The schema of `--output-schema`, of which every word is understood. */
export function answerSchema(path: string): Result<AnswerRule, Failure> {
  const wrong = (why: string): Result<never, Failure> =>
    err(failure("usage", `Cannot use the schema "${path}": ${why}`));
  const read = readSmallFile(path, MAX_BYTES);
  if (!read.ok) return wrong(read.error.reason);
  const parsed = parseStrictJson(read.value.replace(/^\ufeff/, ""));
  if (!parsed.ok) return wrong(parsed.error);
  const schema = checkSchema(parsed.value);
  return schema.ok ? ok(answerRule(schema.value)) : wrong(schema.error);
}
