import { join } from "node:path";
import type { CommandSpec } from "../cmd/command.ts";
import { COMMANDS, GLOBAL_FLAGS, REPL } from "../cmd/commands.ts";
import type { FlagSpec } from "../cmd/flags.ts";
import { ENVIRONMENT, EXIT_MEANINGS, spelledFlag } from "../cmd/reference.ts";

// Writes docs/buddy.1 from the table of commands: `make docs`.

export const MAN_PAGE = join(import.meta.dir, "../docs/buddy.1");

/** The whole page, in the man macros. */
export function manPage(): string {
  return [
    '.\\" Made by make docs from cmd/commands.ts. Change it there.',
    '.TH BUDDY 1 "" "buddy" "User Commands"',
    ".SH NAME",
    "buddy \\- a terminal agent in one self-contained executable",
    ".SH SYNOPSIS",
    `.B buddy`,
    roff(REPL.words),
    ...COMMANDS.flatMap(({ name, words }) => [
      ".br",
      `.B ${roff(`buddy ${name}`)}`,
      ...(words === "" ? [] : [roff(words)]),
    ]),
    ".SH DESCRIPTION",
    roff(
      "buddy gives a language model tools on the machine you choose, for a person at a terminal or for a script. In a script, standard output carries the answer and nothing else, and the exit code says how the run ended.",
    ),
    ".SH COMMANDS",
    ...COMMANDS.flatMap(commandSection),
    ".SH FLAGS OF EVERY RUN",
    roff(
      "Values are given as --flag value or --flag=value; -- ends flags. Durations: 500ms, 30s, 10m, 1h30m, or a whole number of seconds.",
    ),
    ...GLOBAL_FLAGS.flatMap(flagItem),
    ".SH EXIT STATUS",
    ...EXIT_MEANINGS.flatMap(([code, meaning]) => item(code, meaning)),
    ".SH ENVIRONMENT",
    ...ENVIRONMENT.flatMap(([name, meaning]) => item(name, meaning)),
    ".SH FILES",
    ...item("~/.config/buddy/buddy.toml", "the user's configuration ($XDG_CONFIG_HOME counts)"),
    ...item("./buddy.toml", "the project's configuration; see buddy trust"),
    ...item(".buddyx/sessions/", "sessions of this directory"),
    ".SH EXAMPLES",
    ...COMMANDS.flatMap(({ examples }) =>
      examples.slice(0, 2).flatMap(([line, what]) => example(line, what)),
    ),
    "",
  ].join("\n");
}

function commandSection(command: CommandSpec): readonly string[] {
  const more = command.takesGlobalFlags ? " Takes the flags of every run." : "";
  return [
    `.SS ${roff(`buddy ${command.name} ${command.words}`.trim())}`,
    `${roff(`${command.summary}. ${command.about}${more}`)}`,
    ...command.flags.flatMap(flagItem),
  ];
}

function flagItem(flag: FlagSpec): readonly string[] {
  const { doc, repeat } = flag;
  return item(spelledFlag(flag), repeat && !doc.includes("repeatable") ? `${doc} (repeatable)` : doc);
}

const item = (label: string, text: string): readonly string[] => [".TP", `.B ${roff(label)}`, roff(text)];

const example = (line: string, what: string): readonly string[] => [
  ".PP",
  roff(what),
  ".nf",
  `    ${roff(line)}`,
  ".fi",
];

/** A dash is a dash, a backslash a backslash, and no line begins with a control character. */
function roff(text: string): string {
  const escaped = text
    .replaceAll("\\", "\\e")
    .replaceAll("-", "\\-")
    .replace(
      /[^\u0020-\u007e]/gu,
      (char) => `\\[u${char.codePointAt(0)?.toString(16).toUpperCase().padStart(4, "0")}]`,
    );
  return /^[.']/.test(escaped) ? `\\&${escaped}` : escaped;
}

if (import.meta.main) await Bun.write(MAN_PAGE, manPage());
