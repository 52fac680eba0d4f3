/**
 * What the prompt hook says without showing anything: an escape sequence of a number that no terminal knows.
 * `start`: a command begins. `line_end`: zsh looks after an unfinished line. `end`: a prompt is due, with the exit code
 * and the nonce that lay there. `ready`: the prompt is drawn. `asks_more`: the prompt for a further line begins;
 * `more`: it is drawn. zsh knows no nonce there.
 */
export type Mark =
  | { readonly type: "start" | "line_end" | "ready" }
  | { readonly type: "asks_more" | "more"; readonly nonce: string }
  | { readonly type: "shell"; readonly name: string }
  | { readonly type: "end"; readonly nonce: string; readonly code: number };

export type PaneItem =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "mark"; readonly mark: Mark }
  /** The program switched the terminal: bracketed paste, the alternate screen. */
  | { readonly type: "mode"; readonly name: "paste" | "alternate"; readonly on: boolean };

export const MARK_NUMBER = "6973";

const ESC = "\u001b";
const SEQUENCE = new RegExp(
  `${ESC}(?:\\]${MARK_NUMBER};([ -~]{1,120}?)(?:${ESC}\\\\|\\u0007)|\\[\\?([0-9;]{1,20})([hl]))`,
  "g",
);
/** The beginning of one of those at the end of what has come so far. */
const UNFINISHED = new RegExp(
  `${ESC}(?:\\](?:[0-9]{0,3}|${MARK_NUMBER}(?:;[ -~]{0,120}(?:${ESC})?)?)|\\[(?:\\?[0-9;]{0,20})?)?$`,
);

/** Takes what a pane wrote apart. Pieces of one sequence may come in different calls. */
export function paneScanner(): (text: string) => readonly PaneItem[] {
  let rest = "";
  return (more) => {
    const text = rest + more;
    const cut = text.slice(-MOST_UNFINISHED).match(UNFINISHED);
    const whole = cut ? text.slice(0, text.length - cut[0].length) : text;
    rest = cut ? cut[0] : "";
    return itemsOf(whole);
  };
}

const MOST_UNFINISHED = 160;

function itemsOf(text: string): readonly PaneItem[] {
  const items: PaneItem[] = [];
  let at = 0;
  for (const found of text.matchAll(SEQUENCE)) {
    if (found.index > at) items.push({ type: "text", text: text.slice(at, found.index) });
    items.push(...sequenceItems(found));
    at = found.index + found[0].length;
  }
  if (at < text.length) items.push({ type: "text", text: text.slice(at) });
  return items;
}

function sequenceItems([, fields, modes, set]: RegExpMatchArray): readonly PaneItem[] {
  if (fields !== undefined) {
    const mark = markOf(fields.split(";"));
    return mark ? [{ type: "mark", mark }] : [];
  }
  const items: PaneItem[] = [];
  for (const mode of (modes ?? "").split(";")) {
    const name = MODES.get(mode);
    if (name) items.push({ type: "mode", name, on: set === "h" });
  }
  return items;
}

const MODES: ReadonlyMap<string, "paste" | "alternate"> = new Map([
  ["2004", "paste"],
  ["47", "alternate"],
  ["1047", "alternate"],
  ["1049", "alternate"],
]);

function markOf([kind, first = "", second = ""]: readonly string[]): Mark | undefined {
  switch (kind) {
    case "s":
      return { type: "start" };
    case "l":
      return { type: "line_end" };
    case "r":
      return { type: "ready" };
    case "q":
      return { type: "asks_more", nonce: first };
    case "c":
      return { type: "more", nonce: first };
    case "k":
      return { type: "shell", name: first };
    case "e":
      return /^\d{1,3}$/.test(second) ? { type: "end", nonce: first, code: Number(second) } : undefined;
    default:
      return undefined;
  }
}
