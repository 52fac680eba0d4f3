import { nearest } from "../core/nearest.ts";
import { err, ok, type Result } from "../core/result.ts";

/** A flag as help, completion and the parser know it. */
export type FlagSpec = {
  readonly name: string;
  readonly short?: string;
  /** Name of the value in help; absent for a flag that is only on or off. */
  readonly value?: string;
  /** The value may be left out; it is given as --name=VALUE, or as a next word that can be nothing else. */
  readonly optional?: RegExp;
  readonly repeat?: boolean;
  readonly doc: string;
};

export type Flags = {
  readonly on: (name: string) => boolean;
  readonly text: (name: string) => string | undefined;
  readonly list: (name: string) => readonly string[];
};

export type Arguments = { readonly flags: Flags; readonly words: readonly string[] };

/** Splits arguments into flags and words. Unknown flags, missing and surplus values are errors. */
export function parseArguments(
  argv: readonly string[],
  specs: readonly FlagSpec[],
): Result<Arguments, string> {
  const given = new Map<string, string[]>();
  const words: string[] = [];
  for (let at = 0; at < argv.length; at++) {
    const word = argv[at] ?? "";
    if (word === "--") {
      words.push(...argv.slice(at + 1));
      break;
    }
    if (!word.startsWith("-") || word === "-") {
      words.push(word);
      continue;
    }
    const [label = "", inline] = splitOnce(word);
    const spec = specs.find(({ name, short }) => label === `--${name}` || (short && label === `-${short}`));
    if (!spec) return err(unknownFlag(label, specs));
    if (!spec.value && inline !== undefined) return err(`--${spec.name} takes no value`);
    const value = spec.value ? (inline ?? (takesNext(spec, argv[at + 1]) ? argv[++at] : "")) : "";
    if (value === undefined) return err(`--${spec.name} needs a value: --${spec.name} ${spec.value}`);
    if (given.has(spec.name) && spec.value && !spec.repeat) return err(`--${spec.name} is given twice`);
    given.set(spec.name, [...(given.get(spec.name) ?? []), value]);
  }
  const flags: Flags = {
    on: (name) => given.has(name),
    text: (name) => given.get(name)?.[0],
    list: (name) => given.get(name) ?? [],
  };
  return ok({ flags, words });
}

/** The index of the first word that is no flag and no value of one: the command. */
export function firstWord(argv: readonly string[], specs: readonly FlagSpec[]): number {
  for (let at = 0; at < argv.length; at++) {
    const word = argv[at] ?? "";
    if (!word.startsWith("-") || word === "-") return at;
    const [label, inline] = splitOnce(word);
    const spec = specs.find(({ name, short }) => label === `--${name}` || (short && label === `-${short}`));
    if (spec?.value && inline === undefined && takesNext(spec, argv[at + 1])) at++;
  }
  return -1;
}

const takesNext = ({ optional }: FlagSpec, next: string | undefined): boolean =>
  optional === undefined || (next !== undefined && optional.test(next));

function splitOnce(word: string): readonly [string, string | undefined] {
  const equals = word.startsWith("--") ? word.indexOf("=") : -1;
  return equals === -1 ? [word, undefined] : [word.slice(0, equals), word.slice(equals + 1)];
}

function unknownFlag(label: string, specs: readonly FlagSpec[]): string {
  const known = specs.flatMap(({ name, short }) => [`--${name}`, ...(short ? [`-${short}`] : [])]);
  const meant = nearest(
    label,
    label.startsWith("--") ? known.filter((flag) => flag.startsWith("--")) : known,
  );
  return `Unknown flag "${label}"${meant ? `; did you mean "${meant}"?` : ""}`;
}
