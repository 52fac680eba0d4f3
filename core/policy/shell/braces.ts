const MAX_WORDS = 64;

/** `{a,b}c` as bash reads it: `ac`, `bc`. A shell that does not know this runs the text itself, which is harmless. */
export function expandBraces(text: string): readonly string[] {
  let words: readonly string[] = [text];
  for (let round = 0; round < 8; round++) {
    const next = words.flatMap(expandOnce).slice(0, MAX_WORDS);
    if (next.length === words.length) return words;
    words = next;
  }
  return words;
}

function expandOnce(text: string): readonly string[] {
  // The innermost pair that has a comma or a range.
  const found = /\{([^{}]*,[^{}]*|[\w-]+\.\.[\w-]+)\}/.exec(text);
  if (!found) return [text];
  const [whole, inner = ""] = found;
  const before = text.slice(0, found.index);
  const after = text.slice(found.index + whole.length);
  return alternatives(inner).map((middle) => before + middle + after);
}

function alternatives(inner: string): readonly string[] {
  const [from, to] = inner.includes(",") ? [] : inner.split("..");
  if (from === undefined || to === undefined) return inner.split(",");
  const [first, last] = [from, to].map((end) => (/^-?\d+$/.test(end) ? Number(end) : end.charCodeAt(0)));
  if (first === undefined || last === undefined) return [inner];
  const digits = /\d/.test(from);
  const count = Math.min(Math.abs(last - first) + 1, MAX_WORDS);
  const step = last < first ? -1 : 1;
  return Array.from({ length: count }, (_, at) => {
    const value = first + at * step;
    return digits ? String(value) : String.fromCharCode(value);
  });
}
