import * as v from "valibot";
import type { Rule } from "../../core/catalogue.ts";
import { catalogueSchema } from "../../core/catalogue-schema.ts";
import type { RawTable } from "../../core/config/layers.ts";
import { err, ok, type Result } from "../../core/result.ts";

/** The rules of a user's own `models.toml`. */
export function checkRules(values: RawTable): Result<readonly Rule[], string> {
  const parsed = v.safeParse(catalogueSchema, values);
  return parsed.success ? ok(parsed.output.rules) : err(wordsOf(parsed.issues[0]));
}

/** `rules.2.context must be a number`, with rules counted from 1. */
function wordsOf(issue: v.InferIssue<typeof catalogueSchema>): string {
  const keys = (issue.path ?? []).map(({ key }) => (typeof key === "number" ? key + 1 : String(key)));
  return `${keys.join(".")} ${issue.message}`;
}
