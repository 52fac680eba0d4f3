import type { PaneItem } from "./marks.ts";
import { ESCAPE_SEQUENCES } from "./plain-output.ts";
import type { ShellKind } from "./read-command.ts";

/** Where the shell of a pane stands, as far as its marks tell. */
export type PaneState = {
  readonly shell: ShellKind | undefined;
  /** The prompt is drawn and nothing has started since. */
  readonly atPrompt: boolean;
  /** Something was written behind the prompt: in its line, as when somebody types, or over lines, as by a job behind. */
  readonly touched: "no" | "line" | "lines";
  /** A command runs; only the end with the right nonce ends it. */
  readonly running: boolean;
  /** The line editor takes pasted blocks. */
  readonly takesBlocks: boolean;
};

export const NEW_PANE: PaneState = {
  shell: undefined,
  atPrompt: false,
  touched: "no",
  running: false,
  takesBlocks: false,
};

export const canType = ({ shell, atPrompt, takesBlocks }: PaneState): boolean =>
  atPrompt && shell !== undefined && (shell === "sh" || takesBlocks);

/** Nobody else has written behind the prompt. */
export const isFree = (state: PaneState): boolean => canType(state) && state.touched === "no";

/** `nonce`: what lies in the file, so that a prompt of the past that a program prints is told from a real one. */
export function stepPane(state: PaneState, item: PaneItem, nonce: string): PaneState {
  if (item.type === "mode") return item.name === "paste" ? { ...state, takesBlocks: item.on } : state;
  if (item.type === "text") {
    if (!state.atPrompt || !shows(item.text)) return state;
    const over = state.touched === "lines" || item.text.includes("\n");
    return { ...state, touched: over ? "lines" : "line" };
  }
  const { mark } = item;
  switch (mark.type) {
    case "shell":
      return { ...state, shell: shellNamed(mark.name) ?? state.shell };
    case "start":
      return { ...state, atPrompt: false, running: true };
    case "end":
      return mark.nonce === nonce ? { ...state, running: false, atPrompt: false } : state;
    case "ready":
      return state.running ? state : { ...state, atPrompt: true, touched: "no" };
    default:
      return state;
  }
}

/** Whether a text shows anything; the end of a prompt often moves the cursor or erases a line. */
const shows = (text: string): boolean =>
  /[^\u0000-\u0009\u000b-\u001f]/.test(text.replace(ESCAPE_SEQUENCES, ""));

export const shellNamed = (name: string): ShellKind | undefined =>
  name === "bash" || name === "zsh" || name === "sh" ? name : undefined;
