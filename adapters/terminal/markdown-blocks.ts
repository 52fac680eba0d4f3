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
  /** So much of the front is whole blocks. */
  readonly finished: number;
};

export const NOTHING_SCANNED: BlockScan = { at: 0, fence: undefined, afterBlank: undefined, finished: 0 };

/** Goes on with a text that has grown at its end. */
export function scanBlocks(scan: BlockScan, text: string): BlockScan {
  let state = scan;
  for (let end = text.indexOf("\n", state.at); end !== -1; end = text.indexOf("\n", state.at)) {
    state = { ...afterLine(state, text.slice(state.at, end), end + 1), at: end + 1 };
  }
  const begun = text.slice(state.at);
  return begun.trim() === "" || state.fence !== undefined
    ? state
    : { ...state, finished: endBefore(state, begun) };
}

/** The scan of what is left when the finished blocks are taken off the front. */
export const withoutFinished = ({ at, fence, afterBlank, finished }: BlockScan): BlockScan => ({
  at: at - finished,
  fence,
  afterBlank: afterBlank === undefined ? undefined : Math.max(0, afterBlank - finished),
  finished: 0,
});

function afterLine(state: BlockScan, line: string, next: number): Omit<BlockScan, "at"> {
  const mark = FENCE.exec(line)?.[1];
  if (state.fence !== undefined) {
    if (mark === undefined || !closes(line, mark, state.fence)) return state;
    return { fence: undefined, afterBlank: undefined, finished: next };
  }
  if (line.trim() === "") return { ...state, afterBlank: next };
  return { fence: mark, afterBlank: undefined, finished: endBefore(state, line) };
}

/** An indented line after a blank one goes on with the list item before it; any other begins a block. */
const endBefore = ({ afterBlank, finished }: BlockScan, line: string): number =>
  afterBlank === undefined || /^[ \t]/.test(line) ? finished : Math.max(finished, afterBlank);

const closes = (line: string, mark: string, fence: string): boolean =>
  mark[0] === fence[0] && mark.length >= fence.length && line.trim() === mark;

/** The end of a long unfinished block, for showing while it grows; a code block that is cut stays one. */
export function lastPart(text: string, maxChars: number): string {
  if (text.length <= maxChars) return text;
  const from = text.indexOf("\n", text.length - maxChars);
  const cut = from === -1 ? text.length - maxChars : from + 1;
  const { fence } = scanBlocks(NOTHING_SCANNED, text.slice(0, cut));
  return fence === undefined ? text.slice(cut) : `${fence}\n${text.slice(cut)}`;
}
