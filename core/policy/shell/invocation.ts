/** One simple command as it would run, with everything that is known about its surroundings. */
export type Invocation = {
  /** The program without its directory, in lower case: some file systems do not tell the difference. */
  readonly name: string;
  readonly argv: readonly string[];
  /** Variables set for this command alone. */
  readonly assignments: readonly (readonly [name: string, value: string])[];
  readonly redirects: readonly ResolvedRedirect[];
  readonly stdin: Stdin;
  /** Where it runs, when a `cd` before it said so. */
  readonly cwd: string | undefined;
  /** Commands inside its words: `$(…)`, `<(…)`. */
  readonly inner: readonly Invocation[];
  /** Programs that run it: `sudo`, `xargs`, `sh`. */
  readonly via: readonly string[];
  /** Calls a function that the script defines. */
  readonly isFunction: boolean;
  /** What is in files that the script wrote before, by their paths. */
  readonly files: ReadonlyMap<string, string>;
};

export type ResolvedRedirect = { readonly operator: string; readonly fd: string; readonly target: string };

export type Stdin = {
  /** What it reads, when that is known. */
  readonly text: string | undefined;
  /** The commands whose output it reads. */
  readonly from: readonly Invocation[];
};

export const NO_STDIN: Stdin = { text: undefined, from: [] };

/** No command, to hang redirections on. */
export const NOTHING: Invocation = {
  name: "",
  argv: [],
  assignments: [],
  redirects: [],
  stdin: NO_STDIN,
  cwd: undefined,
  inner: [],
  via: [],
  isFunction: false,
  files: new Map(),
};

export const programName = (word: string): string =>
  word
    .slice(word.lastIndexOf("/") + 1)
    .toLowerCase()
    .replace(/\.exe$/, "");

/** What a rule says about a command: never, or only after asking. */
export type Finding = {
  readonly verdict: "deny" | "ask";
  readonly rule: string;
  readonly reason: string;
};

export const deny = (rule: string, reason: string): Finding => ({ verdict: "deny", rule, reason });
export const ask = (rule: string, reason: string): Finding => ({ verdict: "ask", rule, reason });

/** The stricter of the two; the first when they are as strict. */
export function stricter(a: Finding | undefined, b: Finding | undefined): Finding | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  return b.verdict === "deny" && a.verdict === "ask" ? b : a;
}

/** The strictest of what a rule says about each of several things. */
export function strictestOf<T>(
  things: readonly T[],
  rule: (thing: T) => Finding | undefined,
): Finding | undefined {
  let found: Finding | undefined;
  for (const thing of things) {
    found = stricter(found, rule(thing));
    if (found?.verdict === "deny") return found;
  }
  return found;
}
