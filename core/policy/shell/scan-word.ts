import { decodeEscapes } from "./ansi-c.ts";
import { scanBacktick, scanDollar } from "./scan-dollar.ts";
import { type Cursor, giveUp, type Part, type Word } from "./syntax.ts";

/** One word from here to the first unquoted blank or operator; undefined when there is none. */
export function scanWord(cursor: Cursor): Word | undefined {
  const parts: Part[] = [];
  const { text } = cursor;
  let braces = false;
  while (cursor.at < text.length) {
    const char = text.charAt(cursor.at);
    if (char === "\\") scanEscape(cursor, parts);
    else if (char === "'") scanSingle(cursor, parts);
    else if (char === '"') scanDouble(cursor, parts);
    else if (char === "`") scanBacktick(cursor, parts, "bare");
    else if (char === "$") scanUnquotedDollar(cursor, parts);
    else if ((char === "<" || char === ">") && text.charAt(cursor.at + 1) === "(") scanProcess(cursor, parts);
    else if (char === "(" && endsWithEquals(parts)) scanArray(cursor, parts);
    else if (ENDS_WORD.has(char)) break;
    else {
      const from = cursor.at;
      PLAIN.lastIndex = from;
      PLAIN.test(text);
      cursor.at = Math.max(PLAIN.lastIndex, from + 1);
      const run = text.slice(from, cursor.at);
      braces ||= run.includes("{");
      parts.push({ type: "text", text: run, quoted: false });
    }
  }
  return parts.length === 0 ? undefined : { parts, braces };
}

const ENDS_WORD = new Set([" ", "\t", "\n", ";", "&", "|", "(", ")", "<", ">"]);
const PLAIN = /[^\\'"`$<>( \t\n;&|)]*/y;
const SINGLE_END = "'";

function scanEscape(cursor: Cursor, parts: Part[]): void {
  const next = cursor.text.charAt(cursor.at + 1);
  cursor.at += 2;
  // A backslash before the end of a line joins the two lines.
  if (next !== "\n") parts.push({ type: "text", text: next === "" ? "\\" : next, quoted: true });
}

function scanSingle(cursor: Cursor, parts: Part[]): void {
  const end = cursor.text.indexOf(SINGLE_END, cursor.at + 1);
  if (end === -1) {
    giveUp(cursor, "a quote is not closed");
    return;
  }
  parts.push({ type: "text", text: cursor.text.slice(cursor.at + 1, end), quoted: true });
  cursor.at = end + 1;
}

/** `"…"`; the cursor is at the opening quote. */
export function scanDouble(cursor: Cursor, parts: Part[]): void {
  cursor.at += 1;
  parts.push({ type: "text", text: "", quoted: true });
  scanQuotedText(cursor, parts, '"');
  if (cursor.text.charAt(cursor.at) !== '"') {
    giveUp(cursor, "a double quote is not closed");
    return;
  }
  cursor.at += 1;
}

/** Text in which only `$`, backticks and backslashes mean something, up to `end` or the end of the text. */
export function scanQuotedText(cursor: Cursor, parts: Part[], end: string): void {
  const { text } = cursor;
  while (cursor.at < text.length && text.charAt(cursor.at) !== end) {
    const char = text.charAt(cursor.at);
    if (char === "$") scanDollar(cursor, parts, { quoted: true, scanWordUntil: scanArgument });
    else if (char === "`") scanBacktick(cursor, parts, "quoted");
    else if (char === "\\") {
      const next = text.charAt(cursor.at + 1);
      cursor.at += 2;
      if (next === "\n") continue;
      parts.push({ type: "text", text: '$`"\\'.includes(next) ? next : `\\${next}`, quoted: true });
    } else {
      const from = cursor.at;
      QUOTED_PLAIN.lastIndex = from;
      QUOTED_PLAIN.test(text);
      cursor.at = Math.max(QUOTED_PLAIN.lastIndex, from + 1);
      parts.push({ type: "text", text: text.slice(from, cursor.at), quoted: true });
    }
  }
}

const QUOTED_PLAIN = /[^$`\\"]*/y;

function scanUnquotedDollar(cursor: Cursor, parts: Part[]): void {
  const next = cursor.text.charAt(cursor.at + 1);
  if (next === "'") {
    scanAnsiC(cursor, parts);
    return;
  }
  if (next === '"') {
    cursor.at += 1;
    scanDouble(cursor, parts);
    return;
  }
  scanDollar(cursor, parts, { quoted: false, scanWordUntil: scanArgument });
}

function scanAnsiC(cursor: Cursor, parts: Part[]): void {
  let end = cursor.at + 2;
  while (end < cursor.text.length && cursor.text.charAt(end) !== "'") {
    end += cursor.text.charAt(end) === "\\" ? 2 : 1;
  }
  if (end >= cursor.text.length) {
    giveUp(cursor, "a quote is not closed");
    return;
  }
  parts.push({ type: "text", text: decodeEscapes(cursor.text.slice(cursor.at + 2, end)), quoted: true });
  cursor.at = end + 1;
}

/** What stands behind the operator of `${name:-…}`, up to the brace that closes it. */
function scanArgument(cursor: Cursor, quoted: boolean): Word {
  const parts: Part[] = [];
  const { text } = cursor;
  while (cursor.at < text.length && text.charAt(cursor.at) !== "}") {
    const char = text.charAt(cursor.at);
    if (char === "\\") scanEscape(cursor, parts);
    else if (char === "'" && !quoted) scanSingle(cursor, parts);
    else if (char === '"') scanDouble(cursor, parts);
    else if (char === "`") scanBacktick(cursor, parts, "bare");
    else if (char === "$") scanDollar(cursor, parts, { quoted, scanWordUntil: scanArgument });
    else {
      const from = cursor.at;
      ARGUMENT_PLAIN.lastIndex = from;
      ARGUMENT_PLAIN.test(text);
      cursor.at = Math.max(ARGUMENT_PLAIN.lastIndex, from + 1);
      parts.push({ type: "text", text: text.slice(from, cursor.at), quoted });
    }
  }
  return { parts, braces: false };
}

const ARGUMENT_PLAIN = /[^}\\'"`$]*/y;

function scanProcess(cursor: Cursor, parts: Part[]): void {
  const direction = cursor.text.charAt(cursor.at) === ">" ? "out" : "in";
  cursor.at += 2;
  parts.push({ type: "process", script: cursor.nested(cursor), direction });
}

const endsWithEquals = (parts: readonly Part[]): boolean => {
  const last = parts.at(-1);
  return last?.type === "text" && !last.quoted && last.text.endsWith("=");
};

/** `name=(a b c)`: the elements as one text, which is all that is needed to see what they run. */
function scanArray(cursor: Cursor, parts: Part[]): void {
  cursor.at += 1;
  let first = true;
  while (cursor.at < cursor.text.length && cursor.text.charAt(cursor.at) !== ")") {
    if (/\s/.test(cursor.text.charAt(cursor.at))) {
      cursor.at += 1;
      continue;
    }
    const element = scanWord(cursor);
    if (element === undefined) {
      giveUp(cursor, "a list in parentheses is not closed");
      return;
    }
    if (!first) parts.push({ type: "text", text: " ", quoted: true });
    first = false;
    parts.push(...element.parts);
  }
  if (cursor.at >= cursor.text.length) {
    giveUp(cursor, "a list in parentheses is not closed");
    return;
  }
  cursor.at += 1;
}
