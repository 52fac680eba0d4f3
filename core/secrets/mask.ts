/** What stands in the text instead of a secret. */
export type Mask = (secret: string) => string;

/** Masks what it knows of in a text. Time grows with the length of the text and no faster. */
export type MaskRule = (text: string, mask: Mask) => string;

/** A stretch of text to mask; `quote` goes around the mask. */
export type Span = { readonly from: number; readonly to: number; readonly quote?: string };

/**
 * Masks the spans that `spansOf` finds behind the matches of `pattern`. A match without a span is passed over and the
 * search goes on behind the match, so `spansOf` may look only a bounded distance ahead before it says no.
 */
export function maskSpans(
  text: string,
  pattern: RegExp,
  spansOf: (match: RegExpExecArray) => readonly Span[],
  mask: Mask,
): string {
  pattern.lastIndex = 0;
  const pieces: string[] = [];
  let done = 0;
  for (let match = pattern.exec(text); match !== null; match = pattern.exec(text)) {
    for (const { from, to, quote = "" } of spansOf(match)) {
      pieces.push(text.slice(done, from), quote, mask(text.slice(from, to)), quote);
      done = to;
    }
    pattern.lastIndex = Math.max(pattern.lastIndex, done);
  }
  if (pieces.length === 0) return text;
  pieces.push(text.slice(done));
  return pieces.join("");
}
