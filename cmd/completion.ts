import { failure } from "../core/failure.ts";
import type { Invocation } from "./command.ts";
import { COMMANDS } from "./commands.ts";
import { allFlags, choicesOf, flagsOf, rootFlags, spellings, valueKind } from "./completion-words.ts";
import { reportFailure } from "./exit.ts";
import type { FlagSpec } from "./flags.ts";

const SHELLS: Readonly<Record<string, () => string>> = { bash: bashScript, zsh: zshScript, fish: fishScript };

/** `buddy completion bash|zsh|fish`. */
export async function run({ words, stdout, stderr }: Invocation): Promise<number> {
  const [shell = "", ...rest] = words;
  const script = Object.hasOwn(SHELLS, shell) && rest.length === 0 ? SHELLS[shell] : undefined;
  if (!script) {
    const said = shell === "" ? "No shell is given" : `There is no completion for "${words.join(" ")}"`;
    return reportFailure(failure("usage", said, { hint: "buddy completion bash, zsh or fish" }), stderr);
  }
  stdout.write(script());
  return 0;
}

const names = (): readonly string[] => COMMANDS.map(({ name }) => name);

export function bashScript(): string {
  const values = allFlags().flatMap((flag) => {
    const action = bashValue(flag);
    return action === undefined ? [] : [`    ${spellings(flag).join("|")}) ${action}; return ;;`];
  });
  const commands = COMMANDS.map((command) => {
    const words = [...choicesOf(command), ...flagsOf(command).flatMap(spellings)].join(" ");
    return `    ${command.name}) words="${words}" ;;`;
  });
  return [
    "# bash completion for buddy",
    "_buddy() {",
    "  local cur prev command words i",
    `  cur="\${COMP_WORDS[COMP_CWORD]}"`,
    `  prev="\${COMP_WORDS[COMP_CWORD-1]}"`,
    "  COMPREPLY=()",
    '  case "$prev" in',
    ...values,
    "  esac",
    "  for ((i = 1; i < COMP_CWORD; i++)); do",
    `    case "\${COMP_WORDS[i]}" in`,
    `      ${names().join("|")}) command="\${COMP_WORDS[i]}"; break ;;`,
    "    esac",
    "  done",
    '  case "$command" in',
    ...commands,
    `    *) words="${[...names(), ...rootFlags().flatMap(spellings)].join(" ")}" ;;`,
    "  esac",
    '  COMPREPLY=($(compgen -W "$words" -- "$cur"))',
    "}",
    "complete -o default -F _buddy buddy",
    "",
  ].join("\n");
}

function bashValue(flag: FlagSpec): string | undefined {
  const value = valueKind(flag);
  switch (value.type) {
    case "none":
      return undefined;
    case "file":
      return 'COMPREPLY=($(compgen -f -- "$cur"))';
    case "directory":
      return 'COMPREPLY=($(compgen -d -- "$cur"))';
    case "choice":
      return `COMPREPLY=($(compgen -W "${value.words.join(" ")}" -- "$cur"))`;
    case "free":
      return ":";
  }
}

export function zshScript(): string {
  const commands = COMMANDS.map(({ name, summary }) => `    ${zshWord(`${name}:${summary}`)}`);
  const cases = COMMANDS.map((command) => {
    const choices = choicesOf(command);
    const words = choices.length > 0 ? [`'*:what:(${choices.join(" ")})'`] : ["'*:word:_default'"];
    return `    ${command.name}) _arguments ${[...flagsOf(command).flatMap(zshFlag), ...words].join(" ")} ;;`;
  });
  return [
    "#compdef buddy",
    "_buddy() {",
    "  local -a commands",
    "  local context state line",
    "  typeset -A opt_args",
    "  commands=(",
    ...commands,
    "  )",
    `  _arguments -C ${rootFlags().flatMap(zshFlag).join(" ")} '1:command:->command' '*::word:->words'`,
    '  case "$state" in',
    "  command) _describe command commands ;;",
    "  words)",
    '    case "$line[1]" in',
    ...cases,
    "    esac ;;",
    "  esac",
    "}",
    'if [ "$funcstack[1]" = "_buddy" ]; then _buddy "$@"; else compdef _buddy buddy; fi',
    "",
  ].join("\n");
}

const zshWord = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

/** Brackets and colons have a meaning inside the specification of a flag. */
const zshText = (text: string): string => text.replace(/[[\]:]/g, "\\$&");

function zshFlag(flag: FlagSpec): readonly string[] {
  const value = valueKind(flag);
  const label = `:${zshText(flag.value ?? "")}:`;
  const action = { none: "", file: `${label}_files`, directory: `${label}_files -/`, free: `${label}( )` };
  const after = value.type === "choice" ? `${label}(${value.words.join(" ")})` : action[value.type];
  const repeat = flag.repeat ? "*" : "";
  return spellings(flag).map((spelling) => zshWord(`${repeat}${spelling}[${zshText(flag.doc)}]${after}`));
}

export function fishScript(): string {
  const noCommand = `not __fish_seen_subcommand_from ${names().join(" ")}`;
  return [
    "# fish completion for buddy",
    "complete -c buddy -f",
    ...COMMANDS.map(
      ({ name, summary }) => `complete -c buddy -n ${fishWord(noCommand)} -a ${name} -d ${fishWord(summary)}`,
    ),
    ...rootFlags().map((flag) => fishFlag(flag, noCommand)),
    ...COMMANDS.flatMap((command) => {
      const seen = `__fish_seen_subcommand_from ${command.name}`;
      const choices = choicesOf(command);
      return [
        ...(choices.length > 0
          ? [`complete -c buddy -n ${fishWord(seen)} -a ${fishWord(choices.join(" "))}`]
          : []),
        ...flagsOf(command).map((flag) => fishFlag(flag, seen)),
      ];
    }),
    "",
  ].join("\n");
}

const fishWord = (text: string): string => `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;

function fishFlag(flag: FlagSpec, when: string): string {
  const { name, short, doc } = flag;
  const value = valueKind(flag);
  const takes = {
    none: "",
    file: " -r -F",
    directory: " -x -a '(__fish_complete_directories)'",
    free: " -x",
  };
  const after = value.type === "choice" ? ` -x -a ${fishWord(value.words.join(" "))}` : takes[value.type];
  const brief = short ? ` -${short.length === 1 ? "s" : "o"} ${short}` : "";
  return `complete -c buddy -n ${fishWord(when)} -l ${name}${brief}${after} -d ${fishWord(doc)}`;
}
