import { type Cursor, giveUp, type Part, type Word } from "./syntax.ts";

export type DollarContext = {
  readonly quoted: boolean;
  /** The word behind an operator in braces; given, because it is made of words again. */
  readonly scanWordUntil: (cursor: Cursor, quoted: boolean) => Word;
};

const NAME = /[A-Za-z_][A-Za-z0-9_]*|[0-9@*#?$!-]/y;
const BRACED_NAME = /[A-Za-z_][A-Za-z0-9_]*|[0-9]+|[@*#?$!-]/y;

/** Whatever a dollar begins: a variable, a substitution, arithmetic, or only itself. */
export function scanDollar(cursor: Cursor, parts: Part[], context: DollarContext): void {
  const { text } = cursor;
  const next = text.charAt(cursor.at + 1);
  const { quoted } = context;
  if (next === "{") {
    scanBraced(cursor, parts, context);
    return;
  }
  if (next === "(" && text.charAt(cursor.at + 2) === "(" && scanArithmetic(cursor, parts, context)) return;
  if (next === "(") {
    cursor.at += 2;
    parts.push({ type: "substitution", script: cursor.nested(cursor), quoted });
    return;
  }
  const name = matchAt(NAME, text, cursor.at + 1);
  cursor.at += 1 + name.length;
  if (name === "") parts.push({ type: "text", text: "$", quoted });
  else parts.push({ type: "variable", name, operator: "", argument: undefined, quoted });
}

function scanBraced(cursor: Cursor, parts: Part[], { quoted, scanWordUntil }: DollarContext): void {
  const { text } = cursor;
  cursor.at += 2;
  const prefix =
    /[!#]/.test(text.charAt(cursor.at)) && text.charAt(cursor.at + 1) !== "}" ? text.charAt(cursor.at) : "";
  cursor.at += prefix.length;
  const name = matchAt(BRACED_NAME, text, cursor.at);
  cursor.at += name.length;
  const operator =
    prefix + matchAt(/(\[[^\]}]*\])?(:?[-+=?]|##?|%%?|\/\/?|\^\^?|,,?|@|:)?/y, text, cursor.at);
  cursor.at += operator.length - prefix.length;
  if (/^\[.*[$`]/s.test(operator)) scanInside(cursor, parts, operator, scanWordUntil);
  deeper(cursor);
  const argument = scanWordUntil(cursor, quoted);
  cursor.depth -= 1;
  if (text.charAt(cursor.at) !== "}" || name === "") {
    giveUp(cursor, "a brace after $ is not closed");
    return;
  }
  cursor.at += 1;
  parts.push({ type: "variable", name, operator, argument, quoted });
}

function deeper(cursor: Cursor): void {
  cursor.depth += 1;
  if (cursor.depth > 200) giveUp(cursor, "it is nested too deeply");
}

/** `$((…))`, when it closes as such; otherwise nothing is taken: it is a substitution of a subshell. */
function scanArithmetic(cursor: Cursor, parts: Part[], { scanWordUntil }: DollarContext): boolean {
  const { text } = cursor;
  const found = matchAt(ARITHMETIC, text.slice(cursor.at, cursor.at + MAX_ARITHMETIC), 0);
  if (found === "") return false;
  scanInside(cursor, parts, found.slice(3, -2), scanWordUntil);
  cursor.at += found.length;
  return true;
}

/** The substitutions in what is evaluated as a number. */
function scanInside(
  cursor: Cursor,
  parts: Part[],
  text: string,
  scanWordUntil: DollarContext["scanWordUntil"],
): void {
  const inside: Cursor = { ...cursor, text: `${text}}`, at: 0, error: undefined };
  const inner = scanWordUntil(inside, true);
  if (inside.at < text.length) cursor.error ??= "a brace in a number";
  cursor.error ??= inside.error;
  parts.push({ type: "arithmetic", inner });
}

const MAX_ARITHMETIC = 2000;
const ARITHMETIC = /\$\(\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)\)/y;

/** `` `…` ``: a text of its own in which backslashes were doubled. */
export function scanBacktick(cursor: Cursor, parts: Part[], where: "bare" | "quoted"): void {
  const { text } = cursor;
  let end = cursor.at + 1;
  while (end < text.length && text.charAt(end) !== "`") end += text.charAt(end) === "\\" ? 2 : 1;
  if (end >= text.length) {
    giveUp(cursor, "a backtick is not closed");
    return;
  }
  const raw = text.slice(cursor.at + 1, end);
  const script = raw.replace(where === "quoted" ? /\\([$`\\"])/g : /\\([$`\\])/g, "$1");
  cursor.at = end + 1;
  parts.push({ type: "substitution", script: cursor.nestedText(cursor, script), quoted: where === "quoted" });
}

function matchAt(pattern: RegExp, text: string, at: number): string {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0] ?? "";
}
