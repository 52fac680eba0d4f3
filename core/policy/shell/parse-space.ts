import type { Cursor } from "./syntax.ts";

/** Where a list of commands ends: at a reserved word, or at one of the characters. */
export type Stops = { readonly words: readonly string[]; readonly chars: string };

/** Blanks, joined lines and comments; stays before a newline. */
export function skipBlanks(cursor: Cursor): void {
  const { text } = cursor;
  while (true) {
    const char = text.charAt(cursor.at);
    if (char === " " || char === "\t") cursor.at += 1;
    else if (char === "\\" && text.charAt(cursor.at + 1) === "\n") cursor.at += 2;
    else if (char === "#") {
      const end = text.indexOf("\n", cursor.at);
      cursor.at = end === -1 ? text.length : end;
    } else return;
  }
}

/** Blanks and newlines; a newline brings the here-documents that wait for it. */
export function skipLines(cursor: Cursor): void {
  while (true) {
    skipBlanks(cursor);
    if (cursor.text.charAt(cursor.at) !== "\n") return;
    cursor.at += 1;
    readHereDocuments(cursor);
  }
}

function readHereDocuments(cursor: Cursor): void {
  const bodies = cursor.pending.splice(0);
  for (const { delimiter, stripTabs } of cursor.pendingEnds.splice(0)) {
    const lines: string[] = [];
    while (cursor.at < cursor.text.length) {
      const end = cursor.text.indexOf("\n", cursor.at);
      const raw = cursor.text.slice(cursor.at, end === -1 ? undefined : end);
      const line = stripTabs ? raw.replace(/^\t+/, "") : raw;
      cursor.at = end === -1 ? cursor.text.length : end + 1;
      if (line === delimiter) break;
      lines.push(`${line}\n`);
    }
    bodies.shift()?.(lines.join(""));
  }
}

const WORD = /[a-z]+|[{}!]|\[\[/y;
const ENDS = /[\s;&|()<>]|$/y;

/** The reserved word at the cursor, if what stands there can be one. */
export function reservedWord(cursor: Cursor): string {
  const { text, at } = cursor;
  WORD.lastIndex = at;
  const word = WORD.exec(text)?.[0] ?? "";
  if (word === "") return "";
  ENDS.lastIndex = at + word.length;
  return ENDS.test(text) ? word : "";
}

export function atStop(cursor: Cursor, { words, chars }: Stops): boolean {
  const char = cursor.text.charAt(cursor.at);
  if (chars !== "" && chars.includes(char)) {
    // In an arm of `case` only a double semicolon ends the list.
    return char !== ";" || /^;[;&]/.test(cursor.text.slice(cursor.at, cursor.at + 2));
  }
  return words.length > 0 && words.includes(reservedWord(cursor));
}
