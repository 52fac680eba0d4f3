/** `endings`: only line endings are made alike. `looks`: also trailing blanks go and typography becomes plain. */
export type Fold = "endings" | "looks";

/** A text in which things that look alike are alike, with the way back to the original. */
export type FoldedText = {
  readonly text: string;
  /** The place in the original. An end behind the last visible character of a line takes the blanks behind it along. */
  readonly original: (index: number, side: "start" | "end") => number;
  /** The line, from 1, that an index is on. */
  readonly lineAt: (index: number) => number;
};

export function foldText(text: string, fold: Fold): FoldedText {
  const lines: string[] = [];
  // Of each line: where it starts in the folded text and in the original, and where its blanks end there.
  const starts: number[] = [];
  const origins: number[] = [];
  const ends: number[] = [];
  let folded = 0;
  let at = text.startsWith(BOM) ? 1 : 0;
  while (at <= text.length) {
    const newline = text.indexOf("\n", at);
    const stop = newline === -1 ? text.length : newline;
    const end = newline > at && text[newline - 1] === "\r" ? newline - 1 : stop;
    const raw = text.slice(at, end);
    const line = fold === "looks" ? plain(raw) : raw;
    lines.push(line);
    starts.push(folded);
    origins.push(at);
    ends.push(end);
    folded += line.length + 1;
    if (newline === -1) break;
    at = newline + 1;
  }
  const lineOf = (index: number) => lastAtMost(starts, index);
  return {
    text: lines.join("\n"),
    lineAt: (index) => lineOf(index) + 1,
    original: (index, side) => {
      const line = lineOf(index);
      const column = index - (starts[line] ?? 0);
      if (side === "end" && column > 0 && column === lines[line]?.length) return ends[line] ?? 0;
      return (origins[line] ?? 0) + column;
    },
  };
}

const BOM = "\ufeff";

/** Character by character, so that columns stay. */
const plain = (line: string): string =>
  line
    .replace(/[\u2018-\u201b\u2032]/g, "'")
    .replace(/[\u201c-\u201f\u2033]/g, '"')
    .replace(/[\u2010-\u2015\u2212]/g, "-")
    .replace(/[\u00a0\u2000-\u200a\u202f\u205f\u3000]/g, " ")
    .trimEnd();

/** The index of the last number that is not above; the numbers ascend and begin with 0. */
function lastAtMost(numbers: readonly number[], limit: number): number {
  let [low, high] = [0, numbers.length - 1];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((numbers[middle] ?? 0) <= limit) low = middle;
    else high = middle - 1;
  }
  return low;
}
