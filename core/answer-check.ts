import { type JsonObject, jsonOf } from "./json.ts";
import { validate } from "./json-schema/validate.ts";
import { err, ok, type Result } from "./result.ts";
import { parseStrictJson } from "./strict-json.ts";
import type { AnswerRule } from "./task-rules.ts";

const MAX_PROBLEMS = 10;

/** The rule that an answer is a JSON document of this schema. */
export const answerRule = (schema: JsonObject): AnswerRule => ({
  schema: { name: "answer", schema },
  check: (text) => checkDocument(schema, text),
});

function checkDocument(schema: JsonObject, text: string): Result<string, string> {
  const document = unfenced(text.trim());
  const parsed = parseStrictJson(document);
  if (!parsed.ok) return err(`- it must be one JSON document and nothing else: ${parsed.error}`);
  const problems = validate(schema, jsonOf(parsed.value));
  if (problems.length === 0) return ok(document);
  const shown = problems.slice(0, MAX_PROBLEMS).map((problem) => `- ${problem}`);
  const more = problems.length > MAX_PROBLEMS ? [`- and ${problems.length - MAX_PROBLEMS} more`] : [];
  return err([...shown, ...more].join("\n"));
}

/** Many models cannot help putting a document into a code fence. */
function unfenced(text: string): string {
  const fenced = /^```(?:json)?[ \t]*\n([\s\S]*?)\n?```$/i.exec(text);
  return fenced?.[1]?.trim() ?? text;
}
