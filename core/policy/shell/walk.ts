import { applyBuiltin } from "./builtins.ts";
import { outputOf } from "./command-output.ts";
import { expandText, expandWord, type Scope } from "./expand.ts";
import { HOLE } from "./hole.ts";
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
import { judgeFunction, judgeLoop } from "./structure.ts";
import type { Command, Compound, Pipeline, Script, Simple, Word } from "./syntax.ts";
import { unwrap } from "./unwrap.ts";
import { newScope, newWalker, type Walker } from "./walker.ts";

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
  const walker = newWalker(text);
  const scope = newScope(text, home);
  followText(walker, scope, text, NO_STDIN);
  if (scope.notes.secrets) walker.findings.push(MORE_THAN_LOOKING);
  return {
    invocations: walker.out,
    guesses: walker.guesses,
    findings: walker.findings,
    errors: walker.errors,
  };
}

const MAX_NESTING = 24;
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
  { stages, background }: Pipeline,
  stdin: Stdin,
): string | undefined {
  if (background) walker.findings.push(MORE_THAN_LOOKING);
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
function expander(walker: Walker, scope: Scope, stdin: Stdin): Expander {
  const inner: Invocation[] = [];
  const substitute = (script: Script, direction: "in" | "out" = "in"): string => {
    const start = walker.out.length;
    const { cwd } = scope;
    // Into `>(…)` goes what the command passes on; what it reads itself is near enough.
    const text = followScript(walker, scope, script, direction === "out" ? stdin : NO_STDIN);
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
  const expand = expander(walker, scope, stdin);
  const assignments = simple.assignments.map(({ name, append, value }) => {
    const text = expand.text(value);
    return [name, append ? (scope.variables.get(name) ?? "") + text : text] as const;
  });
  const argv = expand.words(simple.words);
  const redirects = resolveRedirects(simple.redirects, expand);
  const input = inputOf(simple.redirects, redirects, expand, { stdin, scope });
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
    files: scope.files,
  };
  // What a name is only known to be after expansion may be right here and wrong in a shell.
  if (simple.words[0]?.parts.some(({ type }) => type !== "text")) walker.findings.push(MORE_THAN_LOOKING);
  invoke(walker, scope, invocation);
  return outputOf(invocation, scope);
}

function invoke(walker: Walker, scope: Scope, invocation: Invocation): void {
  walker.out.push(invocation);
  applyBuiltin(invocation, scope);
  const nested = unwrap(invocation);
  const body = invocation.argv.length > 1 ? scope.functions.get(invocation.argv[0] ?? "") : undefined;
  if (nested.length === 0 && body === undefined) return;
  if (walker.depth >= MAX_NESTING) {
    walker.errors.push("commands run commands too deeply");
    return;
  }
  walker.depth += 1;
  for (const one of nested) followNested(walker, scope, one, invocation);
  walker.rounds -= body === undefined ? 0 : 1;
  if (body !== undefined && walker.rounds > 0) {
    followAll(walker, { ...scope, positional: invocation.argv.slice(1) }, body, invocation.stdin);
  }
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
      if (nested.zero !== undefined) inside.variables.set("0", nested.zero);
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
  const expand = expander(walker, scope, stdin);
  const redirects = resolveRedirects(compound.redirects, expand);
  const input = inputOf(compound.redirects, redirects, expand, { stdin, scope });
  if (redirects.length > 0) {
    walker.out.push({ ...NOTHING, redirects, stdin: input, cwd: scope.cwd, inner: expand.inner });
  }
  switch (compound.kind) {
    case "function": {
      const finding = judgeFunction(compound);
      if (finding) walker.findings.push(finding);
      scope.functions.set(compound.name, compound.scripts);
      followAll(walker, { ...scope, positional: undefined }, compound.scripts, input);
      walker.findings.push(MORE_THAN_LOOKING);
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

/** Not worth a question, but never read-only. */
const MORE_THAN_LOOKING: Finding = ask("", "");

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
  // Without a list a `for` goes through the arguments.
  const given = loop.words.length === 0 ? (scope.positional ?? []) : values;
  const known = loop.name === "" || loop.name === "((" ? [HOLE] : given;
  for (const value of known.length === 0 ? [HOLE] : known) {
    walker.rounds -= 1;
    const goesOn = walker.rounds > 0;
    if (loop.name !== "") scope.variables.set(loop.name, goesOn ? value : HOLE);
    followAll(walker, scope, loop.scripts, stdin);
    if (!goesOn) return;
  }
}
