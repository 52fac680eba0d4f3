import { err, ok, type Result } from "./result.ts";

const MAX_DEPTH = 64;

/**
 * JSON.parse that also refuses what two readers could read differently: the same key twice in one object,
 * nesting that overflows a stack, lone surrogates.
 */
export function parseStrictJson(text: string): Result<unknown, string> {
  const problem = scan(text);
  if (problem !== undefined) return err(problem);
  try {
    return ok(JSON.parse(text));
  } catch (error) {
    return err(`not JSON: ${error instanceof Error ? error.message : String(error)}`);
  }
}

type Open = { readonly keys: Set<string> | undefined; expectsKey: boolean };

/** One pass over the tokens. Syntax itself is left to JSON.parse. */
function scan(text: string): string | undefined {
  const open: Open[] = [];
  for (let at = 0; at < text.length; at++) {
    const char = text[at];
    const top = open.at(-1);
    if (char === '"') {
      const end = endOfString(text, at);
      const value = readString(text.slice(at, end));
      if (value !== undefined && /\p{Surrogate}/u.test(value))
        return "not JSON: a string has a lone surrogate";
      if (top?.expectsKey && top.keys && value !== undefined) {
        if (top.keys.has(value)) return `the key ${JSON.stringify(value)} occurs twice`;
        top.keys.add(value);
        top.expectsKey = false;
      }
      at = end - 1;
    } else if (char === "{") open.push({ keys: new Set(), expectsKey: true });
    else if (char === "[") open.push({ keys: undefined, expectsKey: false });
    else if (char === "}" || char === "]") open.pop();
    else if (char === "," && top) top.expectsKey = true;
    if (open.length > MAX_DEPTH) return `nested deeper than ${MAX_DEPTH} levels`;
  }
  return undefined;
}

function endOfString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    if (text[at] === "\\") at++;
    else if (text[at] === '"') return at + 1;
  }
  return text.length;
}

function readString(literal: string): string | undefined {
  if (!literal.includes("\\")) return literal.slice(1, -1);
  try {
    const value: unknown = JSON.parse(literal);
    return typeof value === "string" ? value : undefined;
  } catch {
    return undefined; // not a string: JSON.parse of the whole text says what is wrong
  }
}
