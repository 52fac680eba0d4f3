// Text from models, tools, files and hosts is hostile: nothing of it may steer a terminal, and nothing may hide in it.

/**
 * As terminals read them: control sequences, and strings up to their end. Any escape ends a string, and so does a
 * line: what follows one that was never ended must not vanish with it.
 */
const ESCAPE_SEQUENCE =
  /(?:\u001b\[|\u009b)[0-?]*[ -/]*[@-~]|(?:\u001b[\]PX^_]|[\u0090\u0098\u009d-\u009f])[^\n\u0007\u0018\u001a\u001b\u009c]*(?:\u0007|\u001b\\|\u009c)?|\u001b[ -/]*[0-~]/g;

/** Controls, marks without a shape, half characters, and every space but the plain one. */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Z}\p{Default_Ignorable_Code_Point}\u2800]/gu;

/** Pictures that are joined or coloured by marks without a shape. */
const PICTURES =
  /\p{Extended_Pictographic}[\ufe0e\ufe0f\u{1f3fb}-\u{1f3ff}]*(?:\u200d\p{Extended_Pictographic}[\ufe0e\ufe0f\u{1f3fb}-\u{1f3ff}]*)*/gu;

const PLAIN = /^[ -~\n\t]*$/;

/** For display: escape sequences go, everything else without a shape is spelled. Lines, tabs and ordinary spaces stay. */
export function displayText(text: string): string {
  if (PLAIN.test(text)) return text;
  return text.replace(ESCAPE_SEQUENCE, "").replace(INVISIBLE, shown);
}

/** For what a model says to people: as displayed, with the marks that belong to a picture left in it. */
export function proseText(text: string): string {
  if (PLAIN.test(text)) return text;
  const safe = text.replace(ESCAPE_SEQUENCE, "");
  let prose = "";
  let at = 0;
  for (const { 0: picture, index } of safe.matchAll(PICTURES)) {
    prose += safe.slice(at, index).replace(INVISIBLE, shown) + picture;
    at = index + picture.length;
  }
  return prose + safe.slice(at).replace(INVISIBLE, shown);
}

/** For approval: nothing is left out and everything but the plain space that cannot be seen is spelled, in one line. */
export function spelledOut(text: string): string {
  return text.replace(INVISIBLE, (char) => (char === " " ? char : spelled(char)));
}

/** For one line of chrome: displayed text with line breaks folded, cut to `max` characters. */
export function oneLine(text: string, max: number): string {
  // Cut before the work on it: what is far behind the end cannot matter, but that there is more does.
  const looked = text.slice(0, max * 16);
  const line = displayText(looked).replace(/\s+/g, " ").trim();
  if (line.length <= max && looked.length === text.length) return line;
  return `${line.slice(0, max - 1).replace(/[\ud800-\udbff]$/, "")}…`;
}

/** Spaces that ordinary writing has: no-break ones, and the one of East Asian scripts. */
const WRITTEN = " \n\t\u00a0\u202f\u3000";

const shown = (char: string): string => (WRITTEN.includes(char) ? char : spelled(char));

function spelled(char: string): string {
  const code = char.codePointAt(0) ?? 0;
  const hex = code.toString(16);
  return code <= 0xff ? `\\x${hex.padStart(2, "0")}` : `\\u{${hex}}`;
}
