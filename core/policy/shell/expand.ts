import { expandBraces } from "./braces.ts";
import { changedBy } from "./change-value.ts";
import { HOLE, hasHole } from "./hole.ts";
import { isSecretName } from "./secret-names.ts";
import type { Part, Script, Word } from "./syntax.ts";

/** What is known while a script is followed from top to bottom. */
export type Scope = {
  readonly home: string;
  readonly variables: Map<string, string>;
  /** `$1` and on; undefined where they are not known. */
  positional: readonly string[] | undefined;
  /** Set once a `cd` said where it is. */
  cwd: string | undefined;
  readonly functions: Map<string, readonly Script[]>;
  /** What is in files that were written on the way, by their paths. */
  readonly files: Map<string, string>;
  readonly notes: {
    /** Characters that variables may still put into words, so that doubling them again and again ends. */
    charsLeft: number;
    /** A variable was used that by its name holds a secret. */
    secrets: boolean;
  };
};

/** Follows a substitution and returns what it prints, as far as that is known. */
export type Substitute = (script: Script, direction?: "in" | "out") => string;

/** The words that a word becomes: none, one or several. */
export function expandWord(word: Word, scope: Scope, substitute: Substitute): readonly string[] {
  const [only, more] = word.parts;
  if (only?.type === "text" && more === undefined && !word.braces && !only.text.startsWith("~")) {
    return [only.text];
  }
  const fields = newFields();
  word.parts.forEach((part, index) => {
    addPart(fields, index === 0 ? withTilde(part, scope) : part, scope, substitute);
  });
  const words = fields.done();
  return word.braces ? words.flatMap(expandBraces) : words;
}

/** The word as one text, as in an assignment or a here-document. */
export const expandText = (word: Word, scope: Scope, substitute: Substitute): string =>
  word.parts
    .map((part, index) => textOf(index === 0 ? withTilde(part, scope) : part, scope, substitute))
    .join("");

type Fields = ReturnType<typeof newFields>;

/** Collects text into fields; blanks of an unquoted expansion separate them. */
function newFields() {
  const fields: string[] = [];
  let current: string | undefined;
  const add = (text: string): void => {
    current = (current ?? "") + text;
  };
  const end = (): void => {
    if (current !== undefined) fields.push(current);
    current = undefined;
  };
  const split = (text: string, separators = ""): void => {
    const blanks = [...separators].reduce((rest, char) => rest.replaceAll(char, " "), text);
    blanks.split(/[ \t\n]+/).forEach((piece, index) => {
      if (index > 0) end();
      if (piece !== "") add(piece);
    });
  };
  const done = (): readonly string[] => {
    end();
    return fields;
  };
  return { add, end, split, done };
}

function addPart(fields: Fields, part: Part, scope: Scope, substitute: Substitute): void {
  if (part.type === "variable" && (part.name === "@" || part.name === "*") && part.operator === "") {
    const values = (scope.positional ?? [HOLE]).map((value) => spend(value, scope));
    values.forEach((value, index) => {
      if (index > 0) fields.end();
      fields.add(value);
    });
    return;
  }
  const text = textOf(part, scope, substitute);
  // The elements of a list are kept as one text.
  const isList = part.type === "variable" && /^\[[@*]\]$/.test(part.operator);
  const splits = isList || ((part.type === "variable" || part.type === "substitution") && !part.quoted);
  if (splits) fields.split(text, scope.variables.get("IFS"));
  else fields.add(text);
}

function textOf(part: Part, scope: Scope, substitute: Substitute): string {
  switch (part.type) {
    case "text":
      return part.text;
    case "substitution":
      return substitute(part.script).replace(/\n+$/, "");
    case "process": {
      const text = substitute(part.script, part.direction);
      const path = `/dev/fd/${HOLE}${scope.files.size}`;
      if (!hasHole(text)) scope.files.set(path, text);
      return path;
    }
    case "arithmetic":
      expandText(part.inner, scope, substitute);
      return HOLE;
    case "variable":
      return spend(variableText(part, scope, substitute), scope);
  }
}

function spend(text: string, { notes }: Scope): string {
  notes.charsLeft -= text.length;
  return notes.charsLeft < 0 ? HOLE : text;
}

function withTilde(part: Part, { home }: Scope): Part {
  if (part.type !== "text" || part.quoted || !part.text.startsWith("~")) return part;
  const [, user = "", rest = ""] = /^~([^/:]*)(.*)$/s.exec(part.text) ?? [];
  if (user === "+") return { ...part, text: `.${rest}` };
  if (user === "-") return { ...part, text: HOLE + rest };
  if (user === "") return { ...part, text: home + rest };
  return { ...part, text: (user === "root" ? "/root" : `/home/${user}`) + rest };
}

type Variable = Part & { readonly type: "variable" };

function variableText({ name, operator, argument }: Variable, scope: Scope, substitute: Substitute): string {
  const value = knownValue(name, scope);
  if (value === undefined && isSecretName(name)) scope.notes.secrets = true;
  const given = argument === undefined ? "" : expandText(argument, scope, substitute);
  switch (operator) {
    case "":
      return value ?? HOLE;
    case "-":
    case ":-":
    case "=":
    case ":=":
      if (operator.endsWith("=") && value === undefined) scope.variables.set(name, given);
      return value === undefined || value === "" ? given : value;
    case "+":
    case ":+":
      return given;
    case ":":
      return substring(value, given);
    case "!":
      return value === undefined ? HOLE : (knownValue(value, scope) ?? HOLE);
    case "[@]":
    case "[*]":
    case "?":
    case ":?":
      return value ?? HOLE;
    default:
      if (/^\[\d+\]$/.test(operator)) return elementOf(value, Number(operator.slice(1, -1)));
      return value === undefined ? HOLE : (changedBy(operator, value, given) ?? HOLE);
  }
}

/** Of a list, which is kept as one text. */
const elementOf = (value: string | undefined, index: number): string =>
  value === undefined ? HOLE : (value.split(" ")[index] ?? value);

function substring(value: string | undefined, range: string): string {
  const [, from, length] = /^\s*(\d+)(?::(\d+))?$/.exec(range) ?? [];
  if (value === undefined || from === undefined || hasHole(value)) return HOLE;
  const start = Number(from);
  return value.slice(start, length === undefined ? undefined : start + Number(length));
}

function knownValue(name: string, { variables, positional, home }: Scope): string | undefined {
  const set = variables.get(name);
  if (set !== undefined) return set;
  if (/^[1-9]\d*$/.test(name))
    return positional === undefined ? undefined : (positional[Number(name) - 1] ?? "");
  if (name === "HOME") return home;
  return USUAL.get(name);
}

/** What these are in any shell that buddy starts. */
const USUAL = new Map([
  ["PWD", "."],
  ["TMPDIR", "/tmp"],
  ["IFS", " \t\n"],
  ["SHELL", "sh"],
  ["BASH", "bash"],
  ["0", "sh"],
  ["PATH", "/usr/local/bin:/usr/bin:/bin"],
]);
