import type { Scope } from "./expand.ts";
import type { Finding, Invocation } from "./invocation.ts";

/** What is found on the way through a script. */
export type Walker = {
  out: Invocation[];
  readonly guesses: Invocation[];
  findings: Finding[];
  errors: string[];
  depth: number;
  /** How many more rounds of loops and calls of functions are followed. */
  rounds: number;
  /** Characters that are still read, so that commands in commands in commands end. */
  readonly work: { chars: number };
};

const MAX_ROUNDS = 200;
const MIN_EXPANSION = 100_000;
const MIN_WORK = 200_000;
const WORK_PER_CHAR = 8;

export const newWalker = (text: string): Walker => ({
  out: [],
  guesses: [],
  findings: [],
  errors: [],
  depth: 0,
  rounds: MAX_ROUNDS,
  work: { chars: MIN_WORK + WORK_PER_CHAR * text.length },
});

export const newScope = (text: string, home: string): Scope => ({
  home,
  variables: new Map(),
  positional: [],
  cwd: undefined,
  functions: new Map(),
  files: new Map(),
  notes: { charsLeft: Math.max(MIN_EXPANSION, text.length), secrets: false },
});
