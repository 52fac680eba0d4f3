/** Text put together the way HTML is set: blanks collapse, blocks stand on lines of their own. */
export type Lines = {
  /** Running text. */
  readonly text: (words: string) => void;
  /** Text kept as it is, line breaks included. */
  readonly verbatim: (words: string) => void;
  /** Marks that stick to what follows; taken back by `cancel` when nothing followed. */
  readonly open: (mark: string) => Opened;
  /** Marks that stick to what came before. */
  readonly close: (mark: string) => void;
  /** At least this many line breaks before whatever comes next. */
  readonly gap: (breaks: number) => void;
  /** Put before every line until it is taken off again. */
  readonly indent: (prefix: string) => void;
  readonly outdent: () => void;
  readonly result: () => string;
};

export type Opened = {
  readonly isEmpty: () => boolean;
  /** What was written since; undefined when that is more than a few words. */
  readonly words: () => string | undefined;
  readonly cancel: () => void;
};

const FEW_PARTS = 4;

/** The nesting of a hostile page could make every line endless. */
const MAX_PREFIXES = 12;

export function lines(): Lines {
  const parts: string[] = [];
  const prefixes: string[] = [];
  let breaks = 0;
  let space = false;
  let blank = true;
  /** After a mark: no blank and no line break comes between it and what it marks. */
  let glued = false;
  let written = 0;
  let last = "";

  const prefix = () => prefixes.slice(0, MAX_PREFIXES).join("");
  /** An empty line belongs to what is on both sides of it. */
  const between = () => (last.length < prefix().length ? last : prefix());
  const put = (words: string): void => {
    if (blank) parts.push(prefix());
    else if (glued) space = false;
    else if (breaks > 0) parts.push(`\n${`${between().trimEnd()}\n`.repeat(breaks - 1)}${prefix()}`);
    else if (space) parts.push(" ");
    parts.push(words);
    last = prefix();
    [breaks, space, blank, glued] = [0, false, false, false];
  };

  return {
    text: (words) => {
      const plain = words.replace(/[\s\u00a0]+/g, " ");
      if (plain.startsWith(" ")) space = true;
      if (plain.trim() === "") return;
      put(plain.trim());
      written += 1;
      space = plain.endsWith(" ");
    },
    verbatim: (words) => {
      const rows = words.replace(/\r\n?/g, "\n").split("\n");
      for (const [index, row] of rows.entries()) {
        if (index > 0) breaks += 1;
        if (row === "") continue;
        put(row);
        written += 1;
      }
    },
    open: (mark) => {
      put(mark);
      const [at, before] = [parts.length, written];
      glued = true;
      return {
        isEmpty: () => written === before,
        words: () => (parts.length - at <= FEW_PARTS ? parts.slice(at).join("").trim() : undefined),
        cancel: () => {
          parts[at - 1] = "";
        },
      };
    },
    close: (mark) => void parts.push(mark),
    gap: (wanted) => {
      breaks = Math.max(breaks, wanted);
    },
    indent: (mark) => void prefixes.push(mark),
    outdent: () => void prefixes.pop(),
    result: () =>
      parts
        .join("")
        // Not by an expression: it would start over at every blank of a long run of them.
        .split("\n")
        .map((line) => line.trimEnd())
        .join("\n")
        .replace(/\n{3,}/g, "\n\n")
        .trim(),
  };
}
