import { matchesKey } from "@earendil-works/pi-tui";
import { oneLine } from "../../core/sanitize.ts";
import { findIn } from "./history.ts";
import type { Painter } from "./theme.ts";
import { clipped } from "./wrap.ts";

/** Ctrl-R: the history from its end on, narrowed by what is typed. */
export type Search = {
  readonly query: string;
  readonly found: { readonly index: number; readonly text: string } | undefined;
};

export const NEW_SEARCH: Search = { query: "", found: undefined };

export type SearchStep =
  | { readonly type: "open"; readonly search: Search }
  | { readonly type: "taken"; readonly text: string }
  | { readonly type: "closed" };

/** Pure: what a key does to a search. */
export function stepSearch(search: Search, data: string, entries: readonly string[]): SearchStep {
  const { query, found } = search;
  if (matchesKey(data, "escape") || matchesKey(data, "ctrl+c") || matchesKey(data, "ctrl+g"))
    return { type: "closed" };
  if (matchesKey(data, "ctrl+r")) {
    const next = findIn(entries, query, found?.index);
    return { type: "open", search: { query, found: next ?? found } };
  }
  if (matchesKey(data, "backspace")) return searched(query.slice(0, -1), entries);
  if (data >= " " && !data.startsWith("\u001b") && data !== "\u007f") return searched(query + data, entries);
  // Every other key takes what was found, to run or to edit it.
  return found ? { type: "taken", text: found.text } : { type: "closed" };
}

const searched = (query: string, entries: readonly string[]): SearchStep => ({
  type: "open",
  search: { query, found: query === "" ? undefined : findIn(entries, query) },
});

export function searchLines({ query, found }: Search, width: number, paint: Painter): readonly string[] {
  const text = found ? oneLine(found.text, 400) : query === "" ? "" : "nothing found";
  return [
    clipped(
      `${paint("prompt", "history: ")}${oneLine(query, 200)}\u001b[7m \u001b[0m  ${paint("user", text)}`,
      width,
    ),
  ];
}
