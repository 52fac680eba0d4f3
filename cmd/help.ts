import { nearest } from "../core/nearest.ts";
import type { CommandSpec, Invocation } from "./command.ts";
import { COMMANDS, GLOBAL_FLAGS } from "./commands.ts";
import { errorLines } from "./exit.ts";
import type { FlagSpec } from "./flags.ts";
import { ENVIRONMENT, EXIT_MEANINGS, spelledFlag } from "./reference.ts";

export async function run({ words, stdout, stderr }: Invocation): Promise<number> {
  const [name] = words;
  if (name === undefined) {
    stdout.write(generalHelp());
    return 0;
  }
  const command = COMMANDS.find((candidate) => candidate.name === name);
  if (!command) {
    stderr.write(errorLines(unknownCommand(name)));
    return 2;
  }
  stdout.write(commandHelp(command));
  return 0;
}

export function unknownCommand(name: string) {
  const meant = nearest(
    name,
    COMMANDS.map((command) => command.name),
  );
  return {
    message: `Unknown command "${name}"${meant ? `; did you mean "${meant}"?` : ""}`,
    hint: meant ? `buddy help ${meant}` : 'to run one task: buddy exec "…"; all commands: buddy --help',
  };
}

export function generalHelp(): string {
  return [
    "buddy: a terminal agent in one self-contained executable",
    "",
    "Usage: buddy [flags] [prompt]       a conversation on the terminal",
    "       buddy <command> [flags]",
    "",
    "Commands:",
    ...columns(COMMANDS.map(({ name, words, summary }) => [`${name} ${words}`.trim(), summary])),
    "",
    "Flags of every run:",
    ...columns(GLOBAL_FLAGS.map(flagRow)),
    ...columns([
      ["-h, --help", "This help; after a command, the help of that command"],
      ["-V, --version", "Version, commit and date"],
    ]),
    "",
    "Examples:",
    ...columns(COMMANDS.flatMap(({ examples }) => examples.slice(0, 2))),
    "",
    "Environment:",
    ...columns(ENVIRONMENT),
    "",
    "Exit codes:",
    ...columns(EXIT_MEANINGS),
    "",
  ].join("\n");
}

export function commandHelp(command: CommandSpec): string {
  const flags = [...command.flags, ...(command.takesGlobalFlags ? GLOBAL_FLAGS : [])];
  return [
    `buddy ${command.name}: ${command.summary}`,
    "",
    `Usage: buddy ${command.name} ${[...(flags.length > 0 ? ["[flags]"] : []), command.words].join(" ")}`.trimEnd(),
    "",
    ...wrap(command.about, 100),
    ...(flags.length > 0 ? ["", "Flags:", ...columns(flags.map(flagRow))] : []),
    "",
    "Examples:",
    ...command.examples.flatMap(([line, what]) => [`  # ${what}`, `  ${line}`]),
    "",
  ].join("\n");
}

const flagRow = (flag: FlagSpec): readonly [string, string] => [spelledFlag(flag), flag.doc];

const FIRST_COLUMN = 34;

function columns(rows: readonly (readonly [string, string])[]): readonly string[] {
  return rows.flatMap(([left, right]) =>
    left.length < FIRST_COLUMN - 2
      ? [`  ${left.padEnd(FIRST_COLUMN - 2)}${right}`]
      : [`  ${left}`, `${" ".repeat(FIRST_COLUMN)}${right}`],
  );
}

function wrap(text: string, width: number): readonly string[] {
  const lines: string[] = [];
  for (const word of text.split(" ")) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= width)
      lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}
