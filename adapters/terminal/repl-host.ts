import type { ExtensionCommand } from "../../core/extension.ts";
import type { ToolSpec } from "../../core/ports/model.ts";
import type { Store } from "../../core/ports/store.ts";
import type { Target } from "../../core/ports/target.ts";
import type { Result } from "../../core/result.ts";

/** What the REPL knows and can do beyond commands of the runtime; whoever starts it decides how. */
export type ReplHost = {
  readonly version: string;
  readonly home: string | undefined;
  readonly target: Pick<Target, "run" | "cwd" | "summary">;
  /** Runs commands that look around for completion, where they do not disturb the user. */
  readonly aside: Pick<Target, "run">;
  /** How to join the shared terminal, where there is one. */
  readonly attachHint: string | undefined;
  /** `user@host` of this machine. */
  readonly place: string;
  readonly contextFiles: readonly string[];
  readonly skills: readonly string[];
  readonly mcpServers: readonly string[];
  readonly tools: readonly ToolSpec[];
  readonly commands: readonly ExtensionCommand[];
  readonly profiles: readonly ProfileChoice[];
  readonly thinkingLevels: readonly string[];
  readonly thinking: () => string;
  /** What the next model is asked with; takes effect when it is switched to. */
  readonly setThinking: (level: string) => void;
  /** Absent when nothing is saved. */
  readonly store: Store | undefined;
  readonly logIn: (profile: string, what: "login" | "logout") => Promise<void>;
  readonly exportSession: (ref: string, path: string) => Promise<Result<string, string>>;
  /** The conversation so far, for someone who comes back to it. */
  readonly showSession: (ref: string) => Promise<readonly string[]>;
  readonly branch: () => Promise<string>;
  readonly redact: (text: string) => string;
  readonly unixMs: () => number;
  readonly monotonicMs: () => number;
};

export type ProfileChoice = { readonly name: string; readonly model: string };
