export type Diff = {
  /** Unified, without file names; empty when nothing changed. */
  readonly text: string;
  readonly added: number;
  readonly removed: number;
};

const CONTEXT_LINES = 3;
/** Beyond so many differing lines on a side, or steps of the search, what lies between is shown as replaced. */
const MAX_LINES = 20_000;
const MAX_STEPS = 1000;

/** What changed between two texts, line by line. Always complete and right; the shortest where that is cheap. */
export function diffTexts(before: string, after: string): Diff {
  const [old, now] = [linesOf(before), linesOf(after)];
  let start = 0;
  while (start < old.length && start < now.length && old[start] === now[start]) start++;
  let end = 0;
  while (
    end < old.length - start &&
    end < now.length - start &&
    old[old.length - 1 - end] === now[now.length - 1 - end]
  ) {
    end++;
  }
  const changes = changesBetween(old.slice(start, old.length - end), now.slice(start, now.length - end)).map(
    ({ at, removed, to, added }) => ({ at: at + start, removed, to: to + start, added }),
  );
  return {
    text: hunksOf(changes, old.length)
      .map((hunk) => hunkText(hunk, old, now))
      .join(""),
    added: changes.reduce((sum, change) => sum + change.added, 0),
    removed: changes.reduce((sum, change) => sum + change.removed, 0),
  };
}

/** Lines `at` … `at + removed` of the old text became `to` … `to + added` of the new one. */
type Change = { readonly at: number; readonly removed: number; readonly to: number; readonly added: number };

/** Lines with their ends, so that a missing last one is a difference. */
const linesOf = (text: string): readonly string[] => text.match(/[^\n]*\n|[^\n]+$/g) ?? [];

function changesBetween(old: readonly string[], now: readonly string[]): readonly Change[] {
  if (old.length === 0 && now.length === 0) return [];
  const whole = [{ at: 0, removed: old.length, to: 0, added: now.length }];
  if (old.length === 0 || now.length === 0 || old.length + now.length > MAX_LINES) return whole;
  const trace = shortestTrace(old, now);
  return trace ? changesOf(trace, old.length, now.length) : whole;
}

/** Myers' greedy search: for each number of steps the furthest reach on every diagonal before it. */
function shortestTrace(old: readonly string[], now: readonly string[]): readonly Int32Array[] | undefined {
  const steps = Math.min(MAX_STEPS, old.length + now.length);
  const middle = steps + 1;
  const reach = new Int32Array(2 * steps + 3);
  const trace: Int32Array[] = [];
  for (let step = 0; step <= steps; step++) {
    trace.push(reach.slice(middle - step - 1, middle + step + 2));
    for (let diagonal = -step; diagonal <= step; diagonal += 2) {
      const left = reach[middle + diagonal - 1] ?? 0;
      const above = reach[middle + diagonal + 1] ?? 0;
      let x = diagonal === -step || (diagonal !== step && left < above) ? above : left + 1;
      while (x < old.length && x - diagonal < now.length && old[x] === now[x - diagonal]) x++;
      reach[middle + diagonal] = x;
      if (x >= old.length && x - diagonal >= now.length) return trace;
    }
  }
  return undefined;
}

/** Walks the search back from the end of both texts and joins steps that touch. */
function changesOf(trace: readonly Int32Array[], oldLength: number, nowLength: number): readonly Change[] {
  const changes: Change[] = [];
  let [x, y] = [oldLength, nowLength];
  for (let step = trace.length - 1; step > 0; step--) {
    const reach = trace[step] ?? new Int32Array();
    const at = (diagonal: number) => reach[diagonal + step + 1] ?? 0;
    const diagonal = x - y;
    const down = diagonal === -step || (diagonal !== step && at(diagonal - 1) < at(diagonal + 1));
    const fromX = down ? at(diagonal + 1) : at(diagonal - 1);
    const fromY = fromX - (down ? diagonal + 1 : diagonal - 1);
    const last = changes[0];
    const [endX, endY] = [fromX + (down ? 0 : 1), fromY + (down ? 1 : 0)];
    if (last && last.at === endX && last.to === endY) {
      changes[0] = {
        at: fromX,
        to: fromY,
        removed: last.removed + (down ? 0 : 1),
        added: last.added + (down ? 1 : 0),
      };
    } else changes.unshift({ at: fromX, to: fromY, removed: down ? 0 : 1, added: down ? 1 : 0 });
    [x, y] = [fromX, fromY];
  }
  return changes;
}

/** Changes whose surroundings touch are shown together. */
function hunksOf(changes: readonly Change[], oldLength: number): readonly (readonly Change[])[] {
  const hunks: Change[][] = [];
  for (const change of changes) {
    const last = hunks.at(-1)?.at(-1);
    const gap = last ? change.at - (last.at + last.removed) : oldLength + 1;
    if (last && gap <= 2 * CONTEXT_LINES) hunks.at(-1)?.push(change);
    else hunks.push([change]);
  }
  return hunks;
}

function hunkText(hunk: readonly Change[], old: readonly string[], now: readonly string[]): string {
  const [first, last] = [hunk[0], hunk.at(-1)];
  if (first === undefined || last === undefined) return "";
  const before = Math.min(CONTEXT_LINES, first.at);
  const [from, to] = [first.at - before, Math.min(old.length, last.at + last.removed + CONTEXT_LINES)];
  const nowFrom = first.to - before;
  const nowTo = last.to + last.added + (to - last.at - last.removed);
  const shown: string[] = [`@@ -${range(from, to - from)} +${range(nowFrom, nowTo - nowFrom)} @@\n`];
  let at = from;
  for (const { at: start, removed, to: nowStart, added } of hunk) {
    shown.push(marked(" ", old.slice(at, start)));
    shown.push(marked("-", old.slice(start, start + removed)));
    shown.push(marked("+", now.slice(nowStart, nowStart + added)));
    at = start + removed;
  }
  shown.push(marked(" ", old.slice(at, to)));
  return shown.join("");
}

const range = (start: number, count: number): string =>
  count === 1 ? `${start + 1}` : `${count === 0 ? start : start + 1},${count}`;

const marked = (mark: string, lines: readonly string[]): string =>
  lines
    .map((line) => `${mark}${line}${line.endsWith("\n") ? "" : "\n\\ No newline at end of file\n"}`)
    .join("");
