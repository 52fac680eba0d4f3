import { isFields, textAt } from "./lenient.ts";
import { oneLine } from "./sanitize.ts";

/** The arguments of a call in one line for people: the telling one if there is one, else the raw JSON. */
export function argumentsLine(raw: string, maxChars: number): string {
  const args = parse(raw);
  if (!isFields(args)) return oneLine(raw, maxChars);
  const telling =
    textAt(args, "command") || textAt(args, "path") || textAt(args, "url") || textAt(args, "query");
  if (telling !== "") return oneLine(telling, maxChars);
  return raw === "{}" || raw === "" ? "" : oneLine(raw, maxChars);
}

function parse(raw: string): unknown {
  try {
    return JSON.parse(raw);
  } catch {
    return undefined; // shown as it is
  }
}
