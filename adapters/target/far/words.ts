/** Takes out of an output stream the words that `call.sh` put there, each behind a sign that only it knows. */
export type WordFilter = {
  /** The output among these bytes and before them; words go to the callback. */
  readonly push: (bytes: Uint8Array) => Uint8Array;
  /** What was held back because a word could have begun there. */
  readonly rest: () => Uint8Array;
};

const NEWLINE = 10;

/** `onWord` says what becomes of the output right before the word. */
export function wordFilter(
  sign: string,
  onWord: (word: string, before: Uint8Array) => "keep" | "drop",
): WordFilter {
  const wanted = Buffer.from(sign);
  let held = Buffer.alloc(0);
  return {
    push: (bytes) => {
      const all = held.length === 0 ? Buffer.from(bytes) : Buffer.concat([held, bytes]);
      const output: Uint8Array[] = [];
      let at = 0;
      while (true) {
        const start = all.indexOf(wanted, at);
        const end = start === -1 ? -1 : all.indexOf(NEWLINE, start);
        if (end === -1) {
          const keep = start === -1 ? all.length - overlap(all.subarray(at), wanted) : start;
          output.push(all.subarray(at, keep));
          held = all.subarray(keep);
          return output.length === 1 ? (output[0] ?? held) : Buffer.concat(output);
        }
        const before = all.subarray(at, start);
        const word = all.toString("utf8", start + wanted.length, end);
        if (onWord(word, before) === "keep") output.push(before);
        at = end + 1;
      }
    },
    rest: () => {
      const rest = held;
      held = Buffer.alloc(0);
      return rest;
    },
  };
}

/** How many bytes at the end could be the beginning of what is wanted. */
function overlap(bytes: Buffer, wanted: Buffer): number {
  for (let count = Math.min(bytes.length, wanted.length - 1); count > 0; count--) {
    if (bytes.subarray(bytes.length - count).equals(wanted.subarray(0, count))) return count;
  }
  return 0;
}
