import { type History, historyOf, look, remember } from "./history.ts";
import type { HistoryFile } from "./history-file.ts";

/** Earlier prompts, kept for the next run as they are made. */
export type Past = {
  readonly entries: () => readonly string[];
  /** What to write instead of `text`; undefined when there is nothing further. */
  readonly step: (direction: "earlier" | "later", text: string) => string | undefined;
  /** Whether `text` is the earlier prompt that is being looked at, unchanged. */
  readonly isAt: (text: string) => boolean;
  readonly add: (text: string) => void;
};

export function pastOf(file: HistoryFile): Past {
  let history: History = historyOf(file.read());
  return {
    entries: () => history.entries,
    step: (direction, text) => {
      const found = look(history, direction, text);
      if (found === undefined) return undefined;
      history = found.history;
      return found.text;
    },
    isAt: (text) => history.at !== undefined && history.entries[history.at] === text,
    add: (text) => {
      history = remember(history, text);
      file.add(text);
    },
  };
}
