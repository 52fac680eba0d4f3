const SHOWN_LINES = 12;
const SHOWN_CHARS = 160;
/** Lines that are compared letter by letter when none is the same. */
const COMPARED_LINES = 20_000;
const LEAST_LIKENESS = 0.5;

/** The lines of a text that are most like a search, numbered, for somebody who mistook them. */
export function closestPlace(text: string, search: string): string | undefined {
  const lines = text.split(/\r?\n/);
  const wanted = search.split(/\r?\n/).map((line) => line.trim());
  const start = startBySameLines(lines, wanted) ?? startByLikeness(lines, wanted);
  if (start === undefined) return undefined;
  const first = Math.max(0, start);
  return lines
    .slice(first, first + Math.min(SHOWN_LINES, wanted.length + 1))
    .map((line, index) => `${first + index + 1}\t${line.slice(0, SHOWN_CHARS)}`)
    .join("\n");
}

/** Each line that both have speaks for a start; the one that most speak for. */
function startBySameLines(lines: readonly string[], wanted: readonly string[]): number | undefined {
  const places = new Map<string, number>();
  const told = wanted.filter((line) => line.length > 2).slice(0, 200);
  for (const line of told) if (!places.has(line)) places.set(line, wanted.indexOf(line));
  const votes = new Map<number, number>();
  for (const [at, line] of lines.entries()) {
    const place = places.get(line.trim());
    if (place !== undefined) votes.set(at - place, (votes.get(at - place) ?? 0) + 1);
  }
  let best: number | undefined;
  for (const [start, count] of votes) if (best === undefined || count > (votes.get(best) ?? 0)) best = start;
  return best;
}

function startByLikeness(lines: readonly string[], wanted: readonly string[]): number | undefined {
  const longest = wanted.reduce((a, b) => (b.length > a.length ? b : a), "");
  const pairs = pairsOf(longest.slice(0, 200));
  if (pairs.size === 0) return undefined;
  let best: { readonly at: number; readonly likeness: number } = { at: 0, likeness: 0 };
  for (const [at, line] of lines.slice(0, COMPARED_LINES).entries()) {
    const likeness = shared(pairs, pairsOf(line.trim().slice(0, 200)));
    if (likeness > best.likeness) best = { at, likeness };
  }
  return best.likeness < LEAST_LIKENESS ? undefined : best.at - wanted.indexOf(longest);
}

function pairsOf(text: string): ReadonlySet<string> {
  const pairs = new Set<string>();
  for (let at = 0; at + 1 < text.length; at++) pairs.add(text.slice(at, at + 2).toLowerCase());
  return pairs;
}

function shared(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  let common = 0;
  for (const pair of a) if (b.has(pair)) common += 1;
  return (2 * common) / (a.size + b.size);
}
