import type { Mark, PaneItem } from "./marks.ts";

export type ShellKind = "bash" | "zsh" | "sh";

/** What became known of a typed command. */
export type Read =
  | { readonly type: "output"; readonly text: string }
  | { readonly type: "alternate" }
  /** A shell that takes one line at a time wants the next one. */
  | { readonly type: "next_line" }
  /** Quotes, a heredoc or a construct are left open; `sure` when the nonce says so. */
  | { readonly type: "incomplete"; readonly sure: boolean }
  | { readonly type: "ended"; readonly code: number };

export type CommandReader = {
  readonly read: (item: PaneItem) => readonly Read[];
  /** Whether the line editor has let go of it, so that an editor which is there again is a new prompt. */
  readonly isTaken: () => boolean;
  /** Whatever comes from now on belongs to no output. */
  readonly stopOutput: () => void;
};

/** A POSIX shell echoes by the terminal and takes lines one by one; the others edit a block and say when it starts. */
export const commandReader = (shell: ShellKind, nonce: string, lines: number): CommandReader =>
  shell === "sh" ? lineReader(nonce, lines) : blockReader(nonce);

/** What comes after the line editor let go but before anything started: the words of a syntax error. */
const MOST_BEFORE_START = 64 * 1024;
/** What zsh writes behind its mark for an unfinished line: a sign, blanks to the edge, back again. */
const MOST_LINE_END = 4096;
const LINE_END = /^(?:\u001b\[[0-9;]*m|[^\r\n ]){0,40} *\r ?\r?$/;

function blockReader(nonce: string): CommandReader {
  let started = false;
  let taking = false;
  let early = "";
  let held: string | undefined;
  let alternate = false;

  const onText = (text: string): readonly Read[] => {
    if (!taking || alternate) return [];
    if (held !== undefined) {
      held += text;
      if (held.length <= MOST_LINE_END) return [];
      const all = held;
      held = undefined;
      return [{ type: "output", text: all }];
    }
    if (started) return [{ type: "output", text }];
    early = (early + text).slice(-MOST_BEFORE_START);
    return [];
  };

  const onEnd = (code: number): readonly Read[] => {
    // zsh ends the line of the command only after its editor let go.
    const before = started ? "" : early.replace(/^\r*\n/, "");
    const rest = held === undefined || LINE_END.test(held) ? "" : held;
    const text = before + rest;
    taking = false;
    return [...(text === "" ? [] : [{ type: "output", text } as const]), { type: "ended", code }];
  };

  const onMark = (mark: Mark): readonly Read[] => {
    if (mark.type === "start" && !started) {
      started = true;
      taking = true;
    }
    if (mark.type === "line_end" && taking) {
      // The one before was not zsh's: a program printed it.
      const before = held;
      held = "";
      return before ? [{ type: "output", text: before }] : [];
    }
    if (mark.type === "more" && (mark.nonce === nonce || mark.nonce === "zsh")) {
      return [{ type: "incomplete", sure: mark.nonce === nonce }];
    }
    return mark.type === "end" && mark.nonce === nonce ? onEnd(mark.code) : [];
  };

  const onMode = (name: "paste" | "alternate", on: boolean): readonly Read[] => {
    if (name === "alternate" && taking) {
      const entered = on && !alternate;
      alternate = on;
      return entered ? [{ type: "alternate" }] : [];
    }
    if (name === "paste" && !on && !started) {
      taking = true;
      early = "";
    }
    return [];
  };

  return {
    read: (item) => {
      if (item.type === "text") return onText(item.text);
      return item.type === "mark" ? onMark(item.mark) : onMode(item.name, item.on);
    },
    isTaken: () => taking,
    stopOutput: () => {
      taking = false;
      started = true;
    },
  };
}

function lineReader(nonce: string, lines: number): CommandReader {
  let left = lines - 1;
  let echo = true;
  let taking = true;
  let alternate = false;

  const nextLine = (): readonly Read[] => {
    left -= 1;
    echo = true;
    taking = true;
    return [{ type: "next_line" }];
  };

  const onText = (text: string): readonly Read[] => {
    const newline = text.indexOf("\n");
    if (echo && newline === -1) return [];
    const output = echo ? text.slice(newline + 1) : text;
    echo = false;
    return taking && !alternate && output !== "" ? [{ type: "output", text: output }] : [];
  };

  const onMark = (mark: Mark): readonly Read[] => {
    if (mark.type === "ready") return !taking && left > 0 ? nextLine() : [];
    if (!("nonce" in mark) || mark.nonce !== nonce) return [];
    if (mark.type === "more") return left > 0 ? nextLine() : [{ type: "incomplete", sure: true }];
    taking = false;
    return mark.type === "end" && left === 0 ? [{ type: "ended", code: mark.code }] : [];
  };

  return {
    read: (item) => {
      if (item.type === "text") return onText(item.text);
      if (item.type === "mark") return onMark(item.mark);
      if (item.name === "paste") return [];
      const entered = item.on && !alternate;
      alternate = item.on;
      return entered ? [{ type: "alternate" }] : [];
    },
    isTaken: () => !echo,
    stopOutput: () => {
      taking = false;
      echo = false;
      left = 0;
    },
  };
}
