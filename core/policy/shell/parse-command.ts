import { compoundOf, expectWord, type ParseScript } from "./compound.ts";
import { parseCase, parseFor, parseIf, parseWhile } from "./parse-compound.ts";
import { parseRedirect } from "./parse-redirect.ts";
import { reservedWord, type Stops, skipBlanks, skipLines } from "./parse-space.ts";
import { scanWord } from "./scan-word.ts";
import {
  type Assignment,
  type Command,
  type Compound,
  type Cursor,
  giveUp,
  type Redirect,
  type Script,
  type Word,
} from "./syntax.ts";

/** One stage of a pipeline; undefined when an operator or a stop stands here. */
export function parseCommand(cursor: Cursor, stops: Stops, parse: ParseScript): Command | undefined {
  skipBlanks(cursor);
  const { text } = cursor;
  const char = text.charAt(cursor.at);
  if (char === "(") return parseParenthesis(cursor);
  const word = reservedWord(cursor);
  if (word === "!" || word === "time" || word === "coproc") {
    cursor.at += word.length;
    skipBlanks(cursor);
    if (word === "time" && text.startsWith("-p", cursor.at)) cursor.at += 2;
    return parseCommand(cursor, stops, parse);
  }
  const compound = parseReserved(cursor, word, parse);
  if (compound) return withRedirects(cursor, compound);
  if (word !== "" && MISPLACED.has(word)) {
    // `done` and the like where nothing was begun: wrong, but what follows is still looked at.
    cursor.error ??= `unexpected "${word}"`;
    cursor.at += word.length;
    return parseCommand(cursor, stops, parse);
  }
  return parseFunction(cursor, parse) ?? parseSimple(cursor);
}

const MISPLACED = new Set(["then", "else", "elif", "fi", "do", "done", "esac", "}"]);

function parseReserved(cursor: Cursor, word: string, parse: ParseScript): Compound | undefined {
  switch (word) {
    case "{": {
      cursor.at += 1;
      const body = parse(cursor, { words: ["}"], chars: "" });
      expectWord(cursor, "}");
      return compoundOf("group", [body]);
    }
    case "if":
      return parseIf(cursor, parse);
    case "while":
    case "until":
      return parseWhile(cursor, word, parse);
    case "for":
    case "select":
      return parseFor(cursor, word, parse);
    case "case":
      return parseCase(cursor, parse);
    default:
      return undefined;
  }
}

function withRedirects(cursor: Cursor, compound: Compound): Compound {
  const redirects: Redirect[] = [];
  for (let found = parseRedirect(cursor); found; found = parseRedirect(cursor)) redirects.push(found);
  return redirects.length === 0 ? compound : { ...compound, redirects };
}

function parseParenthesis(cursor: Cursor): Compound {
  const arithmetic =
    cursor.text.charAt(cursor.at + 1) === "("
      ? /^\(\([^()]*(?:\([^()]*\)[^()]*)*\)\)/.exec(cursor.text.slice(cursor.at, cursor.at + 2000))
      : null;
  if (arithmetic) {
    cursor.at += arithmetic[0].length;
    return compoundOf("group", [cursor.nestedText(cursor, `: "${arithmetic[0].replaceAll('"', "")}"`)]);
  }
  cursor.at += 1;
  return withRedirects(cursor, compoundOf("subshell", [cursor.nested(cursor)]));
}

const FUNCTION =
  /(?:function[ \t]+([^\s(){}<>;&|$'"`\\]+)[ \t]*(?:\([ \t]*\))?|([^\s(){}<>;&|$'"`\\=]+)[ \t]*\([ \t]*\))/y;

function parseFunction(cursor: Cursor, parse: ParseScript): Compound | undefined {
  FUNCTION.lastIndex = cursor.at;
  const found = FUNCTION.exec(cursor.text);
  if (!found) return undefined;
  cursor.at += found[0].length;
  skipLines(cursor);
  const body = parseCommand(cursor, { words: [], chars: "" }, parse);
  if (body === undefined) giveUp(cursor, "a function has no body");
  const script: Script = { pipelines: body ? [{ stages: [body], background: false }] : [] };
  return compoundOf("function", [script], { name: found[1] ?? found[2] ?? "" });
}

const ASSIGNMENT = /([A-Za-z_][A-Za-z0-9_]*)(?:\[[^\]\s$`]*\])?(\+?)=/y;

function parseSimple(cursor: Cursor): Command | undefined {
  const assignments: Assignment[] = [];
  const words: Word[] = [];
  const redirects: Redirect[] = [];
  while (true) {
    skipBlanks(cursor);
    const redirect = parseRedirect(cursor);
    if (redirect) {
      redirects.push(redirect);
      continue;
    }
    const assignment = words.length === 0 ? parseAssignment(cursor) : undefined;
    if (assignment) {
      assignments.push(assignment);
      continue;
    }
    const word = scanWord(cursor);
    if (!word) break;
    words.push(word);
    if (words.length === 1 && isDoubleBracket(word)) scanTest(cursor, words);
  }
  if (assignments.length + words.length + redirects.length === 0) return undefined;
  return { type: "simple", assignments, words, redirects };
}

function parseAssignment(cursor: Cursor): Assignment | undefined {
  ASSIGNMENT.lastIndex = cursor.at;
  const found = ASSIGNMENT.exec(cursor.text);
  if (!found) return undefined;
  // The equals sign stays in sight, so that a list in parentheses is known as one.
  cursor.at += found[0].length - 1;
  const word = scanWord(cursor);
  const [first, ...rest] = word?.parts ?? [];
  const head = first?.type === "text" ? [{ ...first, text: first.text.slice(1) }] : [];
  const value = { parts: [...head, ...rest], braces: false };
  return { name: found[1] ?? "", append: found[2] === "+", value };
}

const isDoubleBracket = ({ parts: [part, more] }: Word): boolean =>
  more === undefined && part?.type === "text" && !part.quoted && part.text === "[[";

/** Between `[[` and `]]` operators are plain words. */
function scanTest(cursor: Cursor, words: Word[]): void {
  while (cursor.at < cursor.text.length) {
    skipLines(cursor);
    const word = scanWord(cursor);
    if (word) words.push(word);
    else cursor.at += 1;
    const [part] = word?.parts ?? [];
    if (part?.type === "text" && part.text === "]]") return;
  }
  giveUp(cursor, '"]]" is missing');
}
