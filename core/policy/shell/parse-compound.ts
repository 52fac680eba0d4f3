import { compoundOf, expectWord, type ParseScript } from "./compound.ts";
import { reservedWord, skipBlanks, skipLines } from "./parse-space.ts";
import { scanWord } from "./scan-word.ts";
import { type Compound, type Cursor, giveUp, type Script, type Word } from "./syntax.ts";

/** `if … then … elif … then … else … fi`; the cursor is at `if`. */
export function parseIf(cursor: Cursor, parse: ParseScript): Compound {
  const scripts: Script[] = [];
  cursor.at += "if".length;
  while (cursor.at < cursor.text.length) {
    scripts.push(parse(cursor, { words: ["then", "elif", "else", "fi"], chars: "" }));
    const word = reservedWord(cursor);
    if (word === "") break;
    cursor.at += word.length;
    if (word === "fi") return compoundOf("branch", scripts);
  }
  giveUp(cursor, '"fi" is missing');
  return compoundOf("branch", scripts);
}

export function parseWhile(cursor: Cursor, word: "while" | "until", parse: ParseScript): Compound {
  cursor.at += word.length;
  const condition = parse(cursor, { words: ["do"], chars: "" });
  return compoundOf("loop", [condition, parseBody(cursor, parse)], { name: "" });
}

function parseBody(cursor: Cursor, parse: ParseScript): Script {
  expectWord(cursor, "do");
  const body = parse(cursor, { words: ["done"], chars: "" });
  expectWord(cursor, "done");
  return body;
}

/** `for name in words; do … done`, `for ((…)); do …`, `select`. */
export function parseFor(cursor: Cursor, word: "for" | "select", parse: ParseScript): Compound {
  cursor.at += word.length;
  skipBlanks(cursor);
  const head = /^(?:\(\([^\n]*?\)\)|[A-Za-z_]\w*)/.exec(cursor.text.slice(cursor.at, cursor.at + 2000))?.[0];
  if (head === undefined) giveUp(cursor, '"for" has no name');
  cursor.at += head?.length ?? 0;
  const counts = head?.startsWith("((") ?? false;
  skipLines(cursor);
  const words: Word[] = [];
  if (reservedWord(cursor) === "in") {
    cursor.at += "in".length;
    while (true) {
      skipBlanks(cursor);
      const item = scanWord(cursor);
      if (!item) break;
      words.push(item);
    }
  }
  skipBlanks(cursor);
  if (cursor.text.charAt(cursor.at) === ";") cursor.at += 1;
  skipLines(cursor);
  const body =
    reservedWord(cursor) === "{" ? parse(skipOver(cursor, 1), { words: ["}"], chars: "" }) : undefined;
  if (body !== undefined) expectWord(cursor, "}");
  const scripts = [{ pipelines: [] }, body ?? parseBody(cursor, parse)];
  return compoundOf("loop", scripts, { name: counts ? "((" : (head ?? ""), words });
}

function skipOver(cursor: Cursor, count: number): Cursor {
  cursor.at += count;
  return cursor;
}

/** `case word in pattern) … ;; esac`. */
export function parseCase(cursor: Cursor, parse: ParseScript): Compound {
  const words: Word[] = [];
  const scripts: Script[] = [];
  cursor.at += "case".length;
  skipBlanks(cursor);
  const subject = scanWord(cursor);
  if (subject) words.push(subject);
  skipLines(cursor);
  expectWord(cursor, "in");
  while (cursor.at < cursor.text.length) {
    skipLines(cursor);
    if (reservedWord(cursor) === "esac") {
      cursor.at += "esac".length;
      return compoundOf("branch", scripts, { words });
    }
    scanPatterns(cursor, words);
    scripts.push(parse(cursor, { words: ["esac"], chars: ";" }));
    while (/[;&]/.test(cursor.text.charAt(cursor.at))) cursor.at += 1;
  }
  giveUp(cursor, '"esac" is missing');
  return compoundOf("branch", scripts, { words });
}

function scanPatterns(cursor: Cursor, words: Word[]): void {
  if (cursor.text.charAt(cursor.at) === "(") cursor.at += 1;
  while (cursor.at < cursor.text.length) {
    skipBlanks(cursor);
    const pattern = scanWord(cursor);
    if (pattern) words.push(pattern);
    skipBlanks(cursor);
    const char = cursor.text.charAt(cursor.at);
    cursor.at += 1;
    if (char === ")") return;
    if (char !== "|") {
      giveUp(cursor, 'a pattern of "case" is not closed');
      return;
    }
  }
}
