// Why not the renderer of pi-tui: it clears the screen and draws everything again when the width changes or something
// above the screen does. Here what is printed stays: only the lines below it are drawn again.
//
// Between two drawings the cursor is parked at the first column of the first live line. Terminals keep the cursor at
// its place in the text when they wrap their lines anew, so after any resize "clear from here to the end" removes the
// live lines, however many rows they take by then, and nothing else.

const BEGIN = "\u001b[?2026h";
const END = "\u001b[?2026l";
const CLEAR_BELOW = "\u001b[J";
const CLEAR_REST = "\u001b[K";
const [SAVE, RESTORE] = ["\u001b7", "\u001b8"];
/** A live line that is too long by then must be cut, not wrapped: the way back up counts lines. */
const [NO_WRAP, WRAP] = ["\u001b[?7l", "\u001b[?7h"];

export type LiveRegion = {
  /** Prints lines that stay, and draws the live ones below them. */
  readonly draw: (printed: readonly string[], live: readonly string[]) => void;
  /** The terminal was resized or written to by others: nothing on it can be relied on. */
  readonly forget: () => void;
  /** Takes the live lines away; the cursor is where they began. */
  readonly clear: () => void;
};

export function liveRegion(write: (text: string) => void): LiveRegion {
  let shown: readonly string[] | undefined;

  const draw: LiveRegion["draw"] = (printed, live) => {
    if (printed.length === 0 && shown !== undefined && live.length === shown.length) {
      const changes = changedLines(shown, live);
      if (changes !== "") write(`${BEGIN}${SAVE}${NO_WRAP}${changes}${WRAP}${RESTORE}${END}`);
    } else {
      const above = printed.map((line) => `${line}\r\n`).join("");
      const up = live.length > 1 ? `\u001b[${live.length - 1}A` : "";
      write(`${BEGIN}\r${CLEAR_BELOW}${above}${NO_WRAP}${live.join("\r\n")}${up}\r${WRAP}${END}`);
    }
    shown = live;
  };

  return {
    draw,
    forget: () => {
      shown = undefined;
    },
    clear: () => {
      write(`\r${CLEAR_BELOW}`);
      shown = undefined;
    },
  };
}

/** Writes only what differs, and never below the last line, so that nothing scrolls. */
function changedLines(before: readonly string[], after: readonly string[]): string {
  let row = 0;
  let out = "";
  for (const [index, line] of after.entries()) {
    if (line === before[index]) continue;
    out += `${index > row ? `\u001b[${index - row}B` : ""}\r${line}${CLEAR_REST}`;
    row = index;
  }
  return out;
}
