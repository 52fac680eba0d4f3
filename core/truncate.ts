/** Keeps the head and the tail of a text that may be endless, in bounded memory. */
export type HeadTail = {
  readonly add: (text: string) => void;
  readonly text: () => string;
  readonly omittedChars: () => number;
};

/** A quarter of `maxChars` for the head, three quarters for the tail, a line between that says what is missing. */
export function headTail(maxChars: number): HeadTail {
  const headMax = Math.floor(maxChars / 4);
  const tailMax = maxChars - headMax;
  let head = "";
  let tail = "";
  let dropped = 0;

  const trimTail = (slack: number) => {
    if (tail.length <= tailMax + slack) return;
    const cut = charBoundary(tail, tail.length - tailMax);
    dropped += cut;
    tail = tail.slice(cut);
  };

  return {
    add: (text) => {
      const room = headMax - head.length;
      // Once the tail has begun nothing joins the head, even if a split character left room in it.
      const toHead = tail === "" && dropped === 0 && room > 0 ? charBoundary(text, room) : 0;
      head += text.slice(0, toHead);
      if (toHead === text.length) return;
      tail += text.slice(toHead);
      // Trimmed only when it has doubled: the cost stays in proportion to what was added.
      trimTail(tailMax);
    },
    text: () => {
      trimTail(0);
      if (dropped === 0) return head + tail;
      return `${head}\n[… ${dropped} characters left out …]\n${tail}`;
    },
    omittedChars: () => {
      trimTail(0);
      return dropped;
    },
  };
}

/** The first `maxChars` characters, never half a surrogate pair. */
export const truncateEnd = (text: string, maxChars: number): string =>
  text.length <= maxChars ? text : text.slice(0, charBoundary(text, maxChars));

/** The greatest index ≤ `at` that does not split a surrogate pair. */
function charBoundary(text: string, at: number): number {
  if (at >= text.length) return text.length;
  const code = text.charCodeAt(at);
  return code >= 0xdc00 && code <= 0xdfff && at > 0 ? at - 1 : at;
}
