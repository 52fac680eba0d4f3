import type { Finding, Invocation } from "./invocation.ts";

/** What is found on the way through a script. */
export type Walker = {
  out: Invocation[];
  readonly guesses: Invocation[];
  findings: Finding[];
  errors: string[];
  depth: number;
  /** How many more rounds of loops are followed. */
  rounds: number;
  /** Characters that are still read, so that commands in commands in commands end. */
  readonly work: { chars: number };
};
