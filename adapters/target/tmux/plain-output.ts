/** What a program wrote to a terminal, as a file would have it: no escape sequences, the last state of each line. */
export type PlainOutput = {
  /** Complete lines of what has come so far. One character per byte, in and out. */
  readonly add: (text: string) => string;
  /** The line that was not finished. */
  readonly end: () => string;
};

/** A line without an end is not waited for beyond this. */
const LONGEST_LINE = 256 * 1024;

export function plainOutput(): PlainOutput {
  let rest = "";
  return {
    add: (text) => {
      rest += text;
      const newline = rest.lastIndexOf("\n") + 1;
      const cut = newline === 0 && rest.length > LONGEST_LINE ? rest.length - MOST_SEQUENCE : newline;
      const whole = rest.slice(0, cut);
      rest = rest.slice(cut);
      return cleaned(whole);
    },
    end: () => cleaned(rest),
  };
}

/** What may belong to a sequence that is not complete stays back. */
const MOST_SEQUENCE = 4096;

const ESC = "\u001b";
export const ESCAPE_SEQUENCES = new RegExp(
  // CSI; OSC, DCS, SOS, PM and APC up to their end; two-character ones with what may stand between
  `${ESC}(?:\\[[0-?]*[ -/]*[@-~]|[\\]PX^_][^\\u0007${ESC}]*(?:\\u0007|${ESC}\\\\)?|[ -/]*[0-~])`,
  "g",
);
const ERASES_LINE = new RegExp(`${ESC}\\[[012]?K`, "g");
/** Stands for the erasure of a line while it is worked out. */
const ERASED = "\u0001";
const SHIFTS = /[\u000e\u000f]/g;

function cleaned(text: string): string {
  if (!/[\u001b\r\b\u000e\u000f]/.test(text)) return text;
  const unixed = text.replace(/\r+\n/g, "\n");
  if (!/[\r\b]/.test(unixed)) return unixed.replace(ESCAPE_SEQUENCES, "").replace(SHIFTS, "");
  return unixed.split("\n").map(lastState).join("\n");
}

/** A line that was written over: progress bars, spinners. */
function lastState(line: string): string {
  if (!/[\r\b]/.test(line)) return line.replace(ESCAPE_SEQUENCES, "").replace(SHIFTS, "");
  const bare = line.replace(ERASES_LINE, ERASED).replace(ESCAPE_SEQUENCES, "").replace(SHIFTS, "");
  // Columns are characters, so what is valid UTF-8 is written over as such.
  const text = Buffer.from(bare, "latin1").toString("utf8");
  return text.includes("\ufffd")
    ? overwritten(bare)
    : Buffer.from(overwritten(text), "utf8").toString("latin1");
}

function overwritten(line: string): string {
  let cells: string[] = [];
  let at = 0;
  for (const cell of line) {
    if (cell === "\r") at = 0;
    else if (cell === "\b") at = Math.max(0, at - 1);
    else if (cell === ERASED) cells = cells.slice(0, at);
    else cells[at++] = cell;
  }
  return Array.from(cells, (cell) => cell ?? " ").join("");
}
