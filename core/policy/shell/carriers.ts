import { sedCommands, shellEscapes } from "./embedded.ts";
import { HOLE } from "./expand.ts";
import type { Invocation, Stdin } from "./invocation.ts";
import { guess, type Nested, quoteWords, script } from "./nested.ts";
import { splitArguments } from "./options.ts";
import { codeGuesses } from "./shells.ts";

type Carrier = (args: readonly string[], invocation: Invocation) => readonly Nested[];

/** Programs that carry commands in their arguments or their input, each in its own way. */
export const CARRIERS: ReadonlyMap<string, Carrier> = new Map<string, Carrier>([
  ["eval", (args) => [{ type: "script", text: args.join(" "), own: true }]],
  ["trap", (args) => (args[0] === undefined || /^-./.test(args[0]) ? [] : [script(args[0])])],
  [
    "alias",
    (args) => args.filter((arg) => arg.includes("=")).map((arg) => script(arg.slice(arg.indexOf("=") + 1))),
  ],
  ["su", (args) => suScript(args)],
  ["runuser", (args) => suScript(args)],
  ["script", (args) => optionScript(args, "c", "command")],
  ["flock", (args) => flockScript(args)],
  ["watch", (args) => operandScript(args, "nd", ["interval"])],
  ["xargs", unwrapXargs],
  ["parallel", unwrapParallel],
  ["find", unwrapFind],
  ["fd", (args) => afterOption(args, /^(-x|-X|--exec|--exec-batch)$/)],
  ["fdfind", (args) => afterOption(args, /^(-x|-X|--exec|--exec-batch)$/)],
  ["at", (_args, { stdin }) => stdinScript(stdin)],
  ["batch", (_args, { stdin }) => stdinScript(stdin)],
  ["crontab", (_args, { stdin }) => stdinScript(stdin)],
  [".", sourced],
  ["source", sourced],
  ["sed", (args) => args.flatMap(sedCommands).map(script)],
  ["gsed", (args) => args.flatMap(sedCommands).map(script)],
  ["awk", (args) => args.flatMap(codeGuesses)],
  ["gawk", (args) => args.flatMap(codeGuesses)],
  ["mawk", (args) => args.flatMap(codeGuesses)],
  ["make", unwrapMake],
  ["gmake", unwrapMake],
  ...[
    "vim",
    "vi",
    "nvim",
    "ex",
    "view",
    "ed",
    "less",
    "more",
    "gdb",
    "lldb",
    "psql",
    "mysql",
    "sqlite3",
    "ftp",
    "emacs",
    "mutt",
  ].map((name) => [name, unwrapEscapes] as const),
  ["tmux", unwrapTmux],
  ["screen", (args) => [guess(quoteWords(afterOptions(args))), ...args.map(guess)]],
]);

const stdinScript = ({ text }: Stdin): readonly Nested[] =>
  text === undefined
    ? []
    : [guess(text), ...text.split("\n").map((line) => guess(line.replace(/^(\S+\s+){5}/, "")))];

function sourced([file = ""]: readonly string[], { stdin }: Invocation): readonly Nested[] {
  const fromStdin = /^\/(dev\/(stdin|fd\/)|proc\/self\/fd\/)/.test(file);
  return fromStdin && stdin.text !== undefined ? [{ type: "script", text: stdin.text, own: true }] : [];
}

function suScript(args: readonly string[]): readonly Nested[] {
  const { values, operands } = splitArguments(args, {
    short: "csgGuw",
    long: ["command", "shell", "session-command", "group", "user"],
  });
  const texts = [
    ...(values.get("c") ?? []),
    ...(values.get("command") ?? []),
    ...(values.get("session-command") ?? []),
  ];
  const user = values.get("u")?.length ? [quoteWords(operands)] : [];
  return [...texts, ...user].filter((text) => text !== "").map(script);
}

function optionScript(args: readonly string[], letter: string, long: string): readonly Nested[] {
  const { values } = splitArguments(args, { short: letter, long: [long] });
  return [...(values.get(letter) ?? []), ...(values.get(long) ?? [])].map(script);
}

function operandScript(args: readonly string[], short: string, long: readonly string[]): readonly Nested[] {
  const { operands } = splitArguments(args, { short, long }, { stopAtOperand: true });
  return operands.length === 0 ? [] : [script(operands.join(" "))];
}

function flockScript(args: readonly string[]): readonly Nested[] {
  const { operands } = splitArguments(
    args,
    { short: "wE", long: ["timeout", "conflict-exit-code"] },
    { stopAtOperand: true },
  );
  const [, ...argv] = operands;
  if (argv[0] === "-c" || argv[0] === "--command") return [script(argv[1] ?? "")];
  return argv.length === 0 ? [] : [{ type: "argv", argv }];
}

const afterOptions = (args: readonly string[]): readonly string[] =>
  splitArguments(args, { short: "SXpcehtT" }, { stopAtOperand: true }).operands;

function afterOption(args: readonly string[], option: RegExp): readonly Nested[] {
  const at = args.findIndex((arg) => option.test(arg));
  return at === -1
    ? []
    : [{ type: "argv", argv: args.slice(at + 1).map((arg) => arg.replace(/^\{.{0,2}\}$/, "./*")) }];
}

/** Operands come from standard input: known text, the directories that `find` searches, or nobody knows. */
function unwrapXargs(args: readonly string[], { stdin }: Invocation): readonly Nested[] {
  const { operands, values, options } = splitArguments(
    args,
    {
      short: "adEILnPs",
      long: [
        "arg-file",
        "delimiter",
        "max-lines",
        "max-args",
        "max-procs",
        "max-chars",
        "replace",
        "process-slot-var",
      ],
    },
    { stopAtOperand: true },
  );
  const argv = operands.length === 0 ? ["echo"] : operands;
  const items = inputItems(stdin, options);
  const mark =
    values.get("I")?.at(-1) ??
    values.get("replace")?.at(-1) ??
    (options.some((option) => /^-i|^--replace$/.test(option)) ? "{}" : undefined);
  if (mark === undefined || mark === "") return [{ type: "argv", argv: [...argv, ...items] }];
  return items
    .slice(0, 32)
    .map((item) => ({ type: "argv", argv: argv.map((word) => word.replaceAll(mark, item)) }));
}

function inputItems({ text, from }: Stdin, options: readonly string[]): readonly string[] {
  if (text !== undefined) {
    const nul = options.some((option) => /^-[a-z]*0|^--null/.test(option));
    return text
      .split(nul ? /\0/ : /\s+/)
      .filter((item) => item !== "")
      .map((item) => item.replace(/^(["'])(.*)\1$/, "$2"))
      .slice(0, 1000);
  }
  const searched = from
    .filter(({ name }) => name === "find" || name === "ls" || name === "fd")
    .flatMap(({ argv }) => findRoots(argv.slice(1)));
  return searched.length > 0 ? searched.map((root) => `${root.replace(/\/+$/, "")}/*`) : [HOLE];
}

function unwrapParallel(args: readonly string[], { stdin }: Invocation): readonly Nested[] {
  const at = args.findIndex((arg) => /^::::?\+?$/.test(arg));
  const { operands } = splitArguments(
    at === -1 ? args : args.slice(0, at),
    { short: "jnNSPLIda", long: ["jobs", "max-args", "delay", "timeout", "arg-file"] },
    { stopAtOperand: true },
  );
  const items =
    at === -1 ? (stdin.text?.split("\n").filter((line) => line !== "") ?? [HOLE]) : args.slice(at + 1);
  if (operands.length === 0) return items.map(script);
  const template = operands.join(" ");
  return items
    .slice(0, 32)
    .map((item) =>
      script(/\{.{0,2}\}/.test(template) ? template.replace(/\{.{0,2}\}/g, item) : `${template} ${item}`),
    );
}

/** Where `find` looks: the words before its first expression. */
export function findRoots(args: readonly string[]): readonly string[] {
  const start = args.findIndex((arg) => !/^-([HLP]|O\d|D)$/.test(arg));
  const rest = start === -1 ? [] : args.slice(start);
  const end = rest.findIndex((arg) => /^[-(!,]/.test(arg));
  const roots = end === -1 ? rest : rest.slice(0, end);
  return roots.length === 0 ? ["."] : roots;
}

function unwrapFind(args: readonly string[]): readonly Nested[] {
  const found: Nested[] = [];
  const roots = findRoots(args);
  for (let at = 0; at < args.length; at++) {
    if (!/^-(exec|execdir|ok|okdir)$/.test(args[at] ?? "")) continue;
    const rest = args.slice(at + 1);
    const end = rest.findIndex((arg, index) => arg === ";" || (arg === "+" && rest[index - 1] === "{}"));
    const argv = end === -1 ? rest : rest.slice(0, end);
    for (const root of roots.slice(0, 16)) {
      found.push({
        type: "argv",
        argv: argv.map((word) => word.replaceAll("{}", `${root.replace(/\/+$/, "")}/*`)),
      });
    }
    at += argv.length;
    if (found.length > 200) break;
  }
  return found;
}

/** Recipes of a makefile that is given in the command itself. */
function unwrapMake(args: readonly string[], { stdin }: Invocation): readonly Nested[] {
  const fromStdin = args.some(
    (arg, at) =>
      /^-f-$|^--(make)?file=-$/.test(arg) || (arg === "-" && /^-f$|^--(make)?file$/.test(args[at - 1] ?? "")),
  );
  const texts = [
    ...(fromStdin && stdin.text !== undefined ? [stdin.text] : []),
    ...args.filter((arg) => /^--eval|\$\(shell/.test(arg) || /[:;].*\s/.test(arg)),
  ];
  return texts
    .flatMap((text) => text.split(/[:;\n\t]+|\$\(shell/))
    .map((piece) => guess(piece.replace(/^[@+\s-]+/, "")));
}

function unwrapEscapes(args: readonly string[], { stdin }: Invocation): readonly Nested[] {
  const texts = [...args, ...(stdin.text === undefined ? [] : [stdin.text])];
  return texts
    .flatMap((text) => [...shellEscapes(text), ...(/^\(|system\(/.test(text) ? literalsOf(text) : [])])
    .map(guess);
}

const literalsOf = (text: string): readonly string[] =>
  [...text.matchAll(/"([^"]*)"|'([^']*)'/g)].map(([, a, b]) => a ?? b ?? "");

function unwrapTmux(args: readonly string[]): readonly Nested[] {
  const words = args.filter((arg) => !/^-|^(Enter|C-m|KPEnter)$/.test(arg));
  return [
    ...words.map(guess),
    guess(words.join(" ")),
    guess(words.slice(1).join(" ")),
    guess(words.slice(2).join(" ")),
  ];
}
