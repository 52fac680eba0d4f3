import type { RunEnd } from "../../../core/ports/target.ts";
import type { PaneItem } from "./marks.ts";
import type { PaneIo } from "./pane-io.ts";
import type { PaneState } from "./pane-state.ts";

/** What a run has to know and do of its pane. */
export type PaneInside = {
  readonly io: PaneIo;
  readonly state: () => PaneState;
  /** A nonce that lies in the file from now on; `sent`: whether tmux has taken anything at all. */
  readonly freshNonce: () => { readonly nonce: string; readonly sent: Promise<boolean> };
  /** Every item from now on, until undone. */
  readonly listen: (listener: PaneListener) => () => void;
  /** Types the hook anew where a command took it away. */
  readonly restoreHook: () => Promise<void>;
  readonly markRunning: () => void;
  /** What was to run was not typed: somebody else is at the prompt. */
  readonly markRefused: () => void;
  readonly isGone: () => boolean;
  /** What the user has typed in answer to a question, and nobody else is to see. */
  readonly hide: (text: string) => void;
  /** A command is waited for from now until the result is called. */
  readonly waitedFor: () => () => void;
  /** The program of the pane is no more; one of the two is empty. */
  readonly paneClosed: () => void;
  readonly shellEnded: (code: string, signal: string) => void;
  readonly waitUntil: (
    holds: (state: PaneState) => boolean,
    ms: number,
    signal: AbortSignal,
  ) => Promise<boolean>;
};

export type PaneListener = {
  readonly onItem: (item: PaneItem) => void | Promise<void>;
  readonly onEnd: (end: RunEnd) => void;
};

export type RunSettings = {
  /** How to see the pane. */
  readonly attachHint: string;
  /** Whether somebody is there who could type what only the user knows. */
  readonly watched: boolean;
  readonly onNotTyped: () => void;
};

export const TYPED_BY_USER = "[typed by the user]";
