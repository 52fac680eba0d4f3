import { isFields, textAt } from "../../core/lenient.ts";
import type { ToolMessage } from "../../core/message.ts";
import { textOf } from "../../core/message.ts";
import type { ResultBody } from "./item.ts";

const IS_DIFF = /^@@ -\d+(?:,\d+)? \+\d+(?:,\d+)? @@/m;

/** What of a result is worth a block of its own: a diff, or more than one line of output. */
export function resultBody({ content }: ToolMessage): ResultBody {
  const result = envelopeOf(textOf(content));
  const diff = textAt(result, "diff") || textAt(result, "patch");
  if (diff !== "") return { type: "diff", text: diff };
  const said = ["stdout", "stderr", "output", "content", "text"].map((key) => textAt(result, key).trimEnd());
  const text = said.filter((part) => part !== "").join("\n");
  if (IS_DIFF.test(text)) return { type: "diff", text };
  return text.includes("\n") ? { type: "output", text } : { type: "nothing" };
}

function envelopeOf(text: string): Readonly<Record<string, unknown>> {
  try {
    const parsed: unknown = JSON.parse(text);
    if (!isFields(parsed)) return {};
    return isFields(parsed.result) ? parsed.result : parsed;
  } catch {
    return { output: text }; // not ours: shown as it is
  }
}
