import type { Command } from "../../core/runtime/state.ts";
import type { PromptEditor } from "./editor.ts";
import type { Item } from "./item.ts";
import type { Keys } from "./keys.ts";
import type { Choice } from "./picker.ts";
import type { View } from "./view-state.ts";

/** What keys and commands of the user can do to the REPL. */
export type Controller = {
  readonly view: () => View;
  readonly editor: PromptEditor;
  readonly keys: Keys;
  readonly send: (command: Command) => void;
  readonly print: (...items: readonly Item[]) => void;
  /** Lines of our own; what comes from outside must be made displayable before. */
  readonly say: (...lines: readonly string[]) => void;
  /** For a moment, in place of the footer. */
  readonly hint: (text: string) => void;
  readonly pick: (title: string, choices: readonly Choice[], at?: number) => Promise<string | undefined>;
  /** Lets the user write something else; what was in the editor comes back afterwards. */
  readonly ask: (label: string, text: string) => Promise<string | undefined>;
  /** Gives the terminal to something else while `work` runs. */
  readonly handOver: <T>(work: () => Promise<T>) => Promise<T>;
  /** A prompt, `!command` or `/command`. */
  readonly submit: (text: string) => void;
  readonly followUp: (text: string) => void;
  /** Ends the command that the user runs; false when there is none. */
  readonly stopShell: () => boolean;
  readonly choose: (choices: Partial<View["choices"]>) => void;
  readonly copy: (text: string) => void;
  /** Nothing of the session that was open counts any more. */
  readonly leaveSession: () => void;
  readonly quit: (code: number) => void;
};
