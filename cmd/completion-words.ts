import type { CommandSpec } from "./command.ts";
import { COMMANDS, GLOBAL_FLAGS } from "./commands.ts";
import type { FlagSpec } from "./flags.ts";

// What every shell's completion is made of.

const HELP: FlagSpec = { name: "help", short: "h", doc: "Help" };
const VERSION: FlagSpec = { name: "version", short: "V", doc: "Version" };

/** Flags before any command. */
export const rootFlags = (): readonly FlagSpec[] => [HELP, VERSION, ...GLOBAL_FLAGS];

export const flagsOf = (command: CommandSpec): readonly FlagSpec[] => [
  HELP,
  ...command.flags,
  ...(command.takesGlobalFlags ? GLOBAL_FLAGS : []),
];

/** Every flag there is, once by name. */
export const allFlags = (): readonly FlagSpec[] => [
  ...new Map([...COMMANDS.flatMap(flagsOf), ...rootFlags()].map((flag) => [flag.name, flag])).values(),
];

/** What can stand behind a command, as far as it is fixed: `show`, `export`, `rm`. */
export function choicesOf({ words }: CommandSpec): readonly string[] {
  if (words === "[command]") return COMMANDS.map(({ name }) => name);
  const plain = words.replace(/^\[|\]$/g, "");
  if (words.startsWith("[") && !words.includes("|")) return [];
  return plain
    .split("|")
    .map((part) => part.trim().split(" ")[0] ?? "")
    .filter((part) => /^[a-z]+$/.test(part));
}

/** What a flag's value can be. */
export type ValueKind =
  | { readonly type: "none" | "file" | "directory" | "free" }
  | { readonly type: "choice"; readonly words: readonly string[] };

export function valueKind({ value, optional }: FlagSpec): ValueKind {
  // One that may be left out is best typed by hand: the next word is rather something else.
  if (value === undefined || optional) return { type: "none" };
  if (/\bDIR\b/.test(value)) return { type: "directory" };
  if (/\b(FILE|PATH)\b/.test(value)) return { type: "file" };
  const words = value.split("|").filter((word) => /^[a-z-]+$/.test(word));
  return words.length > 1 ? { type: "choice", words } : { type: "free" };
}

export const spellings = ({ name, short }: FlagSpec): readonly string[] => [
  `--${name}`,
  ...(short ? [`-${short}`] : []),
];
