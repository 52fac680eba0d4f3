import { statSync } from "node:fs";
import { resolve } from "node:path";
import { reasonOf } from "../adapters/host/errno.ts";
import { OutputFailure } from "../adapters/host/output.ts";
import { type Failure, failure } from "../core/failure.ts";
import { nearest } from "../core/nearest.ts";
import { err, ok, type Result } from "../core/result.ts";
import type { CommandSpec, Invocation } from "./command.ts";
import { COMMANDS, GLOBAL_FLAGS, REPL } from "./commands.ts";
import { EXEC_FLAGS } from "./exec-flags.ts";
import { errorLines, reportFailure, unexpected } from "./exit.ts";
import { type FlagSpec, firstWord, parseArguments } from "./flags.ts";

const HELP: FlagSpec = { name: "help", short: "h", doc: "Help" };
const VERSION_FLAG: FlagSpec = { name: "version", short: "V", doc: "Version" };

/** Finds the command, checks its flags and runs it. Returns the exit code; nothing is thrown past here. */
export async function dispatch(
  argv: readonly string[],
  context: Omit<Invocation, "flags" | "words" | "cwd">,
): Promise<number> {
  try {
    const found = await findCommand(argv);
    if ("message" in found) {
      context.stderr.write(errorLines(found));
      return 2;
    }
    const { command, rest } = found;
    const read = readInvocation(command, rest);
    if (read.ok) return await obey(command, { ...context, ...read.value });
    if (command.name === "exec") await tellInFormat(argv, read.error, context);
    return reportFailure(read.error, context.stderr);
  } catch (error) {
    return reportBug(error, argv, context);
  }
}

async function obey(command: CommandSpec, invocation: Invocation): Promise<number> {
  if (invocation.flags.on("help")) {
    const { commandHelp } = await import("./help.ts");
    invocation.stdout.write(commandHelp(command));
    return 0;
  }
  const { run } = await command.load();
  return run(invocation);
}

/** What the words of a command line amount to for a command. */
function readInvocation(
  command: CommandSpec,
  rest: readonly string[],
): Result<Pick<Invocation, "flags" | "words" | "cwd">, Failure> {
  const refused = (message: string, hint = `buddy help ${command.name}`) =>
    err(failure("usage", message, { hint }));
  const globals = command.takesGlobalFlags ? GLOBAL_FLAGS : [];
  const parsed = parseArguments(rest, [HELP, ...command.flags, ...globals]);
  const foreign = parsed.ok || command !== REPL ? undefined : execFlagIn(rest);
  if (foreign) return refused(`"${foreign}" is a flag of exec`, `buddy exec ${foreign} … "what to do"`);
  if (!parsed.ok) return refused(parsed.error);
  const { flags, words } = parsed.value;
  if (flags.on("help")) return ok({ flags, words, cwd: "/" });
  if (command.words === "" && words.length > 0)
    return refused(`${command.name} takes no words, but "${words[0]}" is given`);
  // On another machine the directory is looked for there.
  const elsewhere = flags.on("ssh") || flags.on("container");
  const cwd = workingDirectory(elsewhere ? undefined : flags.text("cwd"));
  return cwd.ok
    ? ok({ flags, words, cwd: cwd.value })
    : refused(cwd.error, "give a directory that is there with -C");
}

const execFlagIn = (argv: readonly string[]): string | undefined =>
  argv.find((word) => EXEC_FLAGS.some(({ name }) => word === `--${name}` || word.startsWith(`--${name}=`)));

/** A script that asked for JSON gets JSON also when it asked for it wrongly. */
async function tellInFormat(
  argv: readonly string[],
  why: Failure,
  { stdout }: Pick<Invocation, "stdout">,
): Promise<void> {
  const { failEarly, formatIn, outputAs } = await import("./output-format.ts");
  failEarly(await outputAs(formatIn(argv), stdout), why);
}

function workingDirectory(wanted: string | undefined): Result<string, string> {
  try {
    const cwd = resolve(process.cwd(), wanted ?? ".");
    return statSync(cwd).isDirectory() ? ok(cwd) : err(`"${cwd}" is not a directory`);
  } catch (error) {
    return err(
      `Cannot work in ${wanted === undefined ? "this directory" : `"${wanted}"`}: ${reasonOf(error)}`,
    );
  }
}

type Found = { readonly command: CommandSpec; readonly rest: readonly string[] };

async function findCommand(
  argv: readonly string[],
): Promise<Found | { readonly message: string; readonly hint: string }> {
  const named = (name: string) => COMMANDS.find((command) => command.name === name);
  const at = firstWord(argv, GLOBAL_FLAGS);
  // `buddy -p "…"` is `buddy exec "…"`, wherever among the flags it stands.
  const print = argv.indexOf("-p");
  const exec = print !== -1 && (at === -1 || print < at) ? named("exec") : undefined;
  if (exec) return { command: exec, rest: [...argv.slice(0, print), ...argv.slice(print + 1)] };
  const help = named("help");
  const asksForHelp = argv.includes("--help") || argv.includes("-h");
  if (at === -1 && asksForHelp && help) return { command: help, rest: [] };
  const name = argv[at];
  const command = name === undefined ? undefined : named(name);
  if (command) return { command, rest: [...argv.slice(0, at), ...argv.slice(at + 1)] };
  if (name === undefined) {
    const flags = parseArguments(argv, [HELP, VERSION_FLAG, ...GLOBAL_FLAGS]);
    return flags.ok ? { command: REPL, rest: argv } : { message: flags.error, hint: "buddy --help" };
  }
  const { unknownCommand } = await import("./help.ts");
  // One plain word is a command that was meant; a sentence is a prompt, unless it begins almost like a command.
  const sentence =
    /\s/.test(name) || (firstWord(argv.slice(at + 1), GLOBAL_FLAGS) !== -1 && isNoCommand(name));
  return sentence ? { command: REPL, rest: argv } : unknownCommand(name);
}

const isNoCommand = (word: string): boolean =>
  nearest(
    word,
    COMMANDS.map(({ name }) => name),
  ) === undefined;

/** Anything that arrives here is a bug of ours, and says so. */
function reportBug(error: unknown, argv: readonly string[], { stderr }: Pick<Invocation, "stderr">): number {
  // A standard stream that cannot be written is the world's fault, not ours.
  stderr.write(
    errorLines(
      error instanceof OutputFailure
        ? { message: error.message, hint: "nothing of the answer is lost in the session file" }
        : unexpected(error),
    ),
  );
  const verbose = argv.includes("-v") || argv.includes("--verbose");
  if (verbose && error instanceof Error) stderr.write(`${error.stack ?? ""}\n`);
  return 1;
}
