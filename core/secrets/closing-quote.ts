const STOPS = /["'`\n]/g;

/**
 * Where a string ends that was opened by `quote`, which carries the backslashes of the strings it is nested in: a quote
 * of its own content carries more. The end of a JSON string or of a line around it ends it as well.
 */
export function closingQuote(text: string, from: number, quote: string): number {
  const depth = quote.length;
  STOPS.lastIndex = from;
  for (let stop = STOPS.exec(text); stop !== null; stop = STOPS.exec(text)) {
    const at = stop.index;
    if (stop[0] === "\n") return at;
    const backslashes = countBackslashes(text, from, at);
    if (stop[0] === quote.at(-1)) {
      const own = backslashes % (2 * depth);
      if (own !== 2 * depth - 1) return at - own;
    } else if (stop[0] === '"' && endsJsonString(text, at + 1)) return at - backslashes;
  }
  return text.length;
}

function countBackslashes(text: string, from: number, end: number): number {
  let at = end;
  while (at > from && text[at - 1] === "\\") at -= 1;
  return end - at;
}

const endsJsonString = (text: string, at: number) => /^\s*(?:[,:}\]]|$)/.test(text.slice(at, at + 8));
