import { applyBuiltin } from "./builtins.ts";
import { expandText, expandWord, HOLE, type Scope } from "./expand.ts";
import {
  ask,
  type Finding,
  type Invocation,
  NO_STDIN,
  NOTHING,
  programName,
  type Stdin,
} from "./invocation.ts";
import type { Nested } from "./nested.ts";
import { parseShell } from "./parse.ts";
import { type Expander, inputOf, resolveRedirects } from "./redirects.ts";
import { staticOutput } from "./static-output.ts";
import { judgeFunction, judgeLoop } from "./structure.ts";
import type { Command, Compound, Pipeline, Script, Simple, Word } from "./syntax.ts";
import { unwrap } from "./unwrap.ts";
import type { Walker } from "./walker.ts";

export type Walked = {
  /** Every simple command that would run, outermost first where one runs another. */
  readonly invocations: readonly Invocation[];
  /** Commands that an argument only may be: what they must not do counts. */
  readonly guesses: readonly Invocation[];
  /** What the shape of the script says, apart from its commands. */
  readonly findings: readonly Finding[];
  /** What could not be read. */
  readonly errors: readonly string[];
};

/** Follows a command line from top to bottom, down to the simple commands, without running anything. */
export function walkCommand(text: string, home: string): Walked {
  const walker: Walker = {
    out: [],
    guesses: [],
    findings: [],
    errors: [],
    depth: 0,
    rounds: MAX_ROUNDS,
    work: { chars: MIN_WORK + WORK_PER_CHAR * text.length },
  };
  const budget = { chars: Math.max(MIN_EXPANSION, text.length) };
  const scope: Scope = {
    home,
    variables: new Map(),
    positional: [],
    cwd: undefined,
    functions: new Set(),
    budget,
  };
  followText(walker, scope, text, NO_STDIN);
  return {
    invocations: walker.out,
    guesses: walker.guesses,
    findings: walker.findings,
    errors: walker.errors,
  };
}

const MAX_NESTING = 24;
const MAX_ROUNDS = 200;
const MIN_EXPANSION = 100_000;
const MIN_WORK = 200_000;
const WORK_PER_CHAR = 8;
/** What a text costs at least. */
const TEXT_COST = 50;

function followText(walker: Walker, scope: Scope, text: string, stdin: Stdin): void {
  walker.work.chars -= text.length + TEXT_COST;
  if (walker.work.chars < 0) {
    walker.errors.push("it holds too many commands in commands");
    return;
  }
  const { script, error } = parseShell(text);
  if (error !== undefined) walker.errors.push(error);
  followScript(walker, scope, script, stdin);
}

/** Returns what the script prints, when that is known. */
function followScript(walker: Walker, scope: Scope, { pipelines }: Script, stdin: Stdin): string | undefined {
  let printed: string | undefined = "";
  for (const pipeline of pipelines) {
    const output = followPipeline(walker, scope, pipeline, stdin);
    printed = printed === undefined || output === undefined ? undefined : printed + output;
  }
  return printed;
}

function followPipeline(
  walker: Walker,
  scope: Scope,
  { stages }: Pipeline,
  stdin: Stdin,
): string | undefined {
  let input = stdin;
  let text: string | undefined;
  stages.forEach((stage, index) => {
    const start = walker.out.length;
    text = followCommand(walker, scope, stage, input);
    if (index < stages.length - 1) input = { text, from: [...input.from, ...walker.out.slice(start)] };
  });
  return text;
}

const followCommand = (walker: Walker, scope: Scope, command: Command, stdin: Stdin): string | undefined =>
  command.type === "simple"
    ? followSimple(walker, scope, command, stdin)
    : followCompound(walker, scope, command, stdin);

/** Expands words; the commands in their substitutions are followed and collected. */
function expander(walker: Walker, scope: Scope): Expander {
  const inner: Invocation[] = [];
  const substitute = (script: Script): string => {
    const start = walker.out.length;
    const { cwd } = scope;
    const text = followScript(walker, scope, script, NO_STDIN);
    scope.cwd = cwd;
    for (const invocation of walker.out.slice(start)) inner.push(invocation);
    return text ?? HOLE;
  };
  return {
    inner,
    words: (words: readonly Word[]) => words.flatMap((word) => expandWord(word, scope, substitute)),
    text: (word: Word) => expandText(word, scope, substitute),
  };
}

function followSimple(walker: Walker, scope: Scope, simple: Simple, stdin: Stdin): string | undefined {
  const expand = expander(walker, scope);
  const assignments = simple.assignments.map(({ name, append, value }) => {
    const text = expand.text(value);
    return [name, append ? (scope.variables.get(name) ?? "") + text : text] as const;
  });
  const argv = expand.words(simple.words);
  const redirects = resolveRedirects(simple.redirects, expand);
  const input = inputOf(simple.redirects, redirects, expand, stdin);
  if (argv.length === 0) {
    for (const [name, value] of assignments) scope.variables.set(name, value);
  }
  const invocation: Invocation = {
    name: programName(argv[0] ?? ""),
    argv,
    assignments,
    redirects,
    stdin: input,
    cwd: scope.cwd,
    inner: expand.inner,
    via: [],
    isFunction: scope.functions.has(argv[0] ?? ""),
  };
  invoke(walker, scope, invocation);
  const writesElsewhere = redirects.some(
    ({ operator, fd }) => operator.includes(">") && (fd === "" || fd === "1"),
  );
  return writesElsewhere ? "" : staticOutput(argv, input.text);
}

function invoke(walker: Walker, scope: Scope, invocation: Invocation): void {
  walker.out.push(invocation);
  applyBuiltin(invocation.argv, scope, invocation.stdin.text);
  const nested = unwrap(invocation);
  if (nested.length === 0) return;
  if (walker.depth >= MAX_NESTING) {
    walker.errors.push("commands run commands too deeply");
    return;
  }
  walker.depth += 1;
  for (const one of nested) followNested(walker, scope, one, invocation);
  walker.depth -= 1;
}

function followNested(walker: Walker, scope: Scope, nested: Nested, by: Invocation): void {
  const via = [...by.via, by.name];
  switch (nested.type) {
    case "argv": {
      const cwd = nested.cwd ?? by.cwd;
      const name = programName(nested.argv[0] ?? "");
      const assignments = [...by.assignments, ...(nested.assignments ?? [])];
      invoke(walker, scope, {
        ...by,
        name,
        argv: nested.argv,
        assignments,
        cwd,
        via,
        redirects: [],
        isFunction: false,
      });
      return;
    }
    case "script": {
      const inside = nested.own
        ? scope
        : { ...scope, variables: new Map(scope.variables), positional: nested.positional ?? [] };
      const start = walker.out.length;
      followText(walker, inside, nested.text, by.stdin);
      // Who ran them, and what their text came from, stays with them.
      for (let at = start; at < walker.out.length; at++) {
        const one = walker.out[at];
        if (one) walker.out[at] = { ...one, via: [...via, ...one.via] };
      }
      return;
    }
    case "guess":
      followGuess(walker, scope, nested.text, by);
  }
}

/** On the side: nothing of it counts as run, read or wrong. */
function followGuess(walker: Walker, scope: Scope, text: string, by: Invocation): void {
  if (!/[\s/]|^\w+$/.test(text)) return;
  const aside: Walker = { ...walker, out: [], findings: [], errors: [] };
  followText(aside, { ...scope, variables: new Map(scope.variables) }, text, by.stdin);
  if (walker.work.chars < 0) walker.errors.push("it holds too many commands in commands");
  for (const one of aside.out) walker.guesses.push(one);
  for (const finding of aside.findings) if (finding.verdict === "deny") walker.findings.push(finding);
}

function followCompound(walker: Walker, scope: Scope, compound: Compound, stdin: Stdin): string | undefined {
  const expand = expander(walker, scope);
  const redirects = resolveRedirects(compound.redirects, expand);
  const input = inputOf(compound.redirects, redirects, expand, stdin);
  if (redirects.length > 0) {
    walker.out.push({ ...NOTHING, redirects, stdin: input, cwd: scope.cwd, inner: expand.inner });
  }
  switch (compound.kind) {
    case "function": {
      const finding = judgeFunction(compound);
      if (finding) walker.findings.push(finding);
      scope.functions.add(compound.name);
      followAll(walker, { ...scope, positional: undefined }, compound.scripts, input);
      walker.findings.push(DEFINES);
      return undefined;
    }
    case "subshell": {
      const { cwd } = scope;
      const text = followAll(walker, scope, compound.scripts, input);
      scope.cwd = cwd;
      return text;
    }
    case "loop":
      followLoop(walker, scope, compound, expand.words(compound.words), input);
      return undefined;
    case "branch":
      expand.words(compound.words);
      followAll(walker, scope, compound.scripts, input);
      return undefined;
    case "group":
      return followAll(walker, scope, compound.scripts, input);
  }
}

/** Not worth a question, but never read-only: what a name means has changed. */
const DEFINES: Finding = ask("", "");

function followAll(
  walker: Walker,
  scope: Scope,
  scripts: readonly Script[],
  stdin: Stdin,
): string | undefined {
  const texts = scripts.map((script) => followScript(walker, scope, script, stdin));
  return texts.length === 1 ? texts[0] : undefined;
}

/** A `for` is followed once for each of its words, as long as they are few. */
function followLoop(
  walker: Walker,
  scope: Scope,
  loop: Compound,
  values: readonly string[],
  stdin: Stdin,
): void {
  const finding = judgeLoop(loop);
  if (finding) walker.findings.push(finding);
  const known = loop.name === "" || loop.words.length === 0 ? [HOLE] : values;
  for (const value of known.length === 0 ? [HOLE] : known) {
    walker.rounds -= 1;
    const goesOn = walker.rounds > 0;
    if (loop.name !== "") scope.variables.set(loop.name, goesOn ? value : HOLE);
    followAll(walker, scope, loop.scripts, stdin);
    if (!goesOn) return;
  }
}
