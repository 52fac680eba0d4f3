// A streamed answer is printed block by block: what is printed is never touched again, so a block must be one that
// nothing that follows can change.

const FENCE = /^ {0,3}(`{3,}|~{3,})/;

/** How far a growing text has been looked at: each line is looked at once. */
export type BlockScan = {
  /** The start of the last line, which may still grow. */
  readonly at: number;
  /** The mark of the code block that is open there. */
  readonly fence: string | undefined;
  /** Where the line after the blank ones just before begins. */
  readonly afterBlank: number | undefined;
  /** Where whole blocks end, in order. */
  readonly ends: readonly number[];
};

export const NOTHING_SCANNED: BlockScan = { at: 0, fence: undefined, afterBlank: undefined, ends: [] };

/** So much of a line says what kind it is. */
const LINE_START = 80;

/** Whether something added to a text can change what its blocks are: in the middle of a line it cannot. */
export const canChange = (scan: BlockScan, before: string, added: string): boolean =>
  before.length - scan.at < LINE_START || added.includes("\n");

/** Goes on with a text that has grown at its end. */
export function scanBlocks(scan: BlockScan, text: string): BlockScan {
  let state = scan;
  for (let end = text.indexOf("\n", state.at); end !== -1; end = text.indexOf("\n", state.at)) {
    state = { ...afterLine(state, text.slice(state.at, end), end + 1), at: end + 1 };
  }
  const begun = text.slice(state.at, state.at + LINE_START);
  const open = begun.trim() === "" || state.fence !== undefined;
  return open ? state : { ...state, ends: endsBefore(state, begun) };
}

/** The whole blocks at the front of a text, and what is left of it. */
export function takeBlocks(
  scan: BlockScan,
  text: string,
): { readonly blocks: readonly string[]; readonly rest: string; readonly scan: BlockScan } {
  const { ends, at, fence, afterBlank } = scan;
  const last = ends.at(-1) ?? 0;
  return {
    blocks: ends.map((end, index) => text.slice(ends[index - 1] ?? 0, end)),
    rest: text.slice(last),
    scan: {
      at: at - last,
      fence,
      afterBlank: afterBlank === undefined ? undefined : Math.max(0, afterBlank - last),
      ends: [],
    },
  };
}

/** A whole text, block by block. */
export function blocksOf(text: string): readonly string[] {
  const { blocks, rest } = takeBlocks(scanBlocks(NOTHING_SCANNED, text), text);
  return rest.trim() === "" ? blocks : [...blocks, rest];
}

function afterLine(state: BlockScan, line: string, next: number): Omit<BlockScan, "at"> {
  const mark = FENCE.exec(line)?.[1];
  if (state.fence !== undefined) {
    if (mark === undefined || !closes(line, mark, state.fence)) return state;
    return { fence: undefined, afterBlank: undefined, ends: [...state.ends, next] };
  }
  if (line.trim() === "") return { ...state, afterBlank: next };
  return { fence: mark, afterBlank: undefined, ends: endsBefore(state, line) };
}

/** An indented line after a blank one goes on with the list item before it; any other begins a block. */
const endsBefore = ({ afterBlank, ends }: BlockScan, line: string): readonly number[] =>
  afterBlank === undefined || /^[ \t]/.test(line) || (ends.at(-1) ?? 0) >= afterBlank
    ? ends
    : [...ends, afterBlank];

const closes = (line: string, mark: string, fence: string): boolean =>
  mark[0] === fence[0] && mark.length >= fence.length && line.trim() === mark;

/** The end of a long unfinished block, for showing while it grows; `fence`: it is a code block, and stays one. */
export function lastPart(text: string, maxChars: number, fence: string | undefined): string {
  if (text.length <= maxChars) return text;
  const from = text.indexOf("\n", text.length - maxChars);
  const cut = from === -1 ? text.length - maxChars : from + 1;
  return fence === undefined ? text.slice(cut) : `${fence}\n${text.slice(cut)}`;
}
