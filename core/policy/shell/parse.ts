import { parseCommand } from "./parse-command.ts";
import { atStop, type Stops, skipBlanks, skipLines } from "./parse-space.ts";
import { type Cursor, giveUp, MAX_DEPTH, type Pipeline, type Script } from "./syntax.ts";

export type Parsed = {
  readonly script: Script;
  /** What is wrong with the text; `script` then holds what was understood. */
  readonly error: string | undefined;
};

/** Reads a command line as a shell would, without running or expanding anything. Takes time in proportion to its length. */
export function parseShell(text: string): Parsed {
  const cursor = newCursor(text, 0);
  const script = parseScript(cursor, NO_STOPS);
  return { script, error: cursor.error };
}

const NO_STOPS: Stops = { words: [], chars: "" };
const AT_PARENTHESIS: Stops = { words: [], chars: ")" };

function newCursor(text: string, depth: number): Cursor {
  return {
    text,
    at: 0,
    depth,
    error: undefined,
    pending: [],
    pendingEnds: [],
    nested: (cursor) => {
      const script = parseScript(cursor, AT_PARENTHESIS);
      if (cursor.text.charAt(cursor.at) !== ")") giveUp(cursor, "a parenthesis is not closed");
      else cursor.at += 1;
      return script;
    },
    nestedText: (cursor, inner) => {
      const inside = newCursor(inner, cursor.depth + 1);
      const script = parseScript(inside, NO_STOPS);
      cursor.error ??= inside.error;
      return script;
    },
  };
}

/** Commands up to one of the stops, which is left in place. */
export function parseScript(cursor: Cursor, stops: Stops): Script {
  const pipelines: Pipeline[] = [];
  cursor.depth += 1;
  if (cursor.depth > MAX_DEPTH) giveUp(cursor, "it is nested too deeply");
  while (true) {
    skipLines(cursor);
    if (cursor.at >= cursor.text.length || atStop(cursor, stops)) break;
    const before = cursor.at;
    const pipeline = parsePipeline(cursor, stops);
    if (pipeline.stages.length > 0) pipelines.push(pipeline);
    if (cursor.at === before) skipUnexpected(cursor);
  }
  cursor.depth -= 1;
  return { pipelines };
}

/** A misplaced operator is wrong, but what follows it is still looked at. */
function skipUnexpected(cursor: Cursor): void {
  cursor.error ??= `unexpected "${cursor.text.charAt(cursor.at)}"`;
  cursor.at += 1;
}

function parsePipeline(cursor: Cursor, stops: Stops): Pipeline {
  const stages = [];
  while (true) {
    const command = parseCommand(cursor, stops, parseScript);
    if (command) stages.push(command);
    skipBlanks(cursor);
    const { text, at } = cursor;
    const char = text.charAt(at);
    const next = text.charAt(at + 1);
    if (char === "|" && next !== "|") {
      if (!command) cursor.error ??= 'unexpected "|"';
      cursor.at += next === "&" ? 2 : 1;
      skipLines(cursor);
      continue;
    }
    const joins = (char === "|" || char === "&") && next === char;
    if (joins || (char === ";" && next !== ";" && next !== "&")) cursor.at += joins ? 2 : 1;
    const background = char === "&" && !joins;
    if (background) cursor.at += 1;
    if (!command && (joins || background || char === ";")) cursor.error ??= `unexpected "${char}"`;
    return { stages, background };
  }
}
