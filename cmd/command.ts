import type { Output } from "../adapters/host/output.ts";
import type { FlagSpec, Flags } from "./flags.ts";

/** A command as help shows it; its code is loaded only when it runs, that of `exec` and of the version excepted. */
export type CommandSpec = {
  readonly name: string;
  readonly summary: string;
  /** What follows the name: `[prompt…]`. */
  readonly words: string;
  readonly about: string;
  readonly flags: readonly FlagSpec[];
  /** Whether the flags that every run of the agent takes apply. */
  readonly takesGlobalFlags: boolean;
  readonly examples: readonly (readonly [command: string, what: string])[];
  readonly load: () => Promise<{ readonly run: (invocation: Invocation) => Promise<number> }>;
};

/** What a command gets to work with. */
export type Invocation = {
  readonly flags: Flags;
  readonly words: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly stdout: Output;
  readonly stderr: Output;
};
