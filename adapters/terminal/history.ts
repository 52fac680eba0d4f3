export const MAX_ENTRIES = 1000;

/** Earlier prompts, oldest first, and where the user stands in them. */
export type History = {
  readonly entries: readonly string[];
  /** Undefined: the user is writing something new. */
  readonly at: number | undefined;
  /** What was being written when looking back began. */
  readonly draft: string;
};

export const historyOf = (entries: readonly string[]): History => ({
  entries: entries.slice(-MAX_ENTRIES),
  at: undefined,
  draft: "",
});

/** One step back or forth from `text`; undefined when there is nothing there. */
export function look(
  history: History,
  direction: "earlier" | "later",
  text: string,
): { readonly history: History; readonly text: string } | undefined {
  const { entries, at, draft } = history;
  const next = (at ?? entries.length) + (direction === "earlier" ? -1 : 1);
  if (next < 0 || next > entries.length || (at === undefined && direction === "later")) return undefined;
  const kept = at === undefined ? text : draft;
  if (next === entries.length) return { history: { ...history, at: undefined, draft: "" }, text: kept };
  return { history: { ...history, at: next, draft: kept }, text: entries[next] ?? "" };
}

/** A prompt that was sent; the same one twice in a row counts once. */
export function remember(history: History, text: string): History {
  const again = history.entries.at(-1) === text;
  return historyOf(text.trim() === "" || again ? history.entries : [...history.entries, text]);
}

/** The latest entry before `from` that has `query` in it, whatever the case. */
export function findIn(
  entries: readonly string[],
  query: string,
  from = entries.length,
): { readonly index: number; readonly text: string } | undefined {
  const wanted = query.toLowerCase();
  for (let index = Math.min(from, entries.length) - 1; index >= 0; index--) {
    const text = entries[index] ?? "";
    if (text.toLowerCase().includes(wanted)) return { index, text };
  }
  return undefined;
}
