import { literalsIn, sedCommands, shellEscapes } from "./embedded.ts";
import { HOLE } from "./hole.ts";
import { evaluatesIndex } from "./indexes.ts";
import type { Invocation, Stdin } from "./invocation.ts";
import { findRoots, foundBelow, listedPaths } from "./listed-paths.ts";
import { guess, type Nested, quoteWords, script } from "./nested.ts";
import { splitArguments } from "./options.ts";
import { resolvePath } from "./paths.ts";
import { words } from "./words.ts";

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
  ["watch", (args) => operandScript(args, "n", ["interval"])],
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
  ["awk", awkGuesses],
  ["gawk", awkGuesses],
  ["mawk", awkGuesses],
  ["nawk", awkGuesses],
  ["man", manGuesses],
  ["let", subscripts],
  ["test", subscripts],
  ["[", subscripts],
  ["[[", subscripts],
  ["printf", subscripts],
  ...words(
    "xterm uxterm rxvt urxvt konsole gnome-terminal xfce4-terminal alacritty kitty foot st terminator",
  ).map((name) => [name, unwrapTerminal] as const),
  ["make", unwrapMake],
  ["gmake", unwrapMake],
  ...words(`
    vim vi nvim ex view ed less more gdb lldb psql mysql sqlite3 ftp emacs mutt
  `).map((name) => [name, unwrapEscapes] as const),
  ["tmux", unwrapTmux],
  ["screen", (args) => [guess(quoteWords(afterOptions(args))), ...args.map(guess)]],
]);

/** Literals of a program that hands text to a shell: by system(), or through a pipe. */
function awkGuesses(args: readonly string[]): readonly Nested[] {
  return args.filter((arg) => /[|]|system|getline/.test(arg)).flatMap((arg) => literalsIn(arg).map(guess));
}

/** The program that shows a page of the manual. */
function manGuesses(args: readonly string[]): readonly Nested[] {
  const { values } = splitArguments(args, { short: "PHCLmMSserRt", long: ["pager", "html"] });
  return words("P H pager html").flatMap((name) => (values.get(name) ?? []).map(guess));
}

/** An index is evaluated, and with it what stands in it: `[ -v 'a[$(…)]' ]`. */
function subscripts(args: readonly string[]): readonly Nested[] {
  return args.filter(evaluatesIndex).map((arg) => guess(`: "${arg.replaceAll('"', "")}"`));
}

/** `xterm -e rm …`, `gnome-terminal -- rm …`. */
function unwrapTerminal(args: readonly string[]): readonly Nested[] {
  const at = args.findIndex((arg) => /^(-e|-x|--|--command|--execute)$/.test(arg));
  const rest = at === -1 ? [] : args.slice(at + 1);
  return rest.length === 0 ? [] : [guess(quoteWords(rest)), guess(rest.join(" "))];
}

const stdinScript = ({ text }: Stdin): readonly Nested[] =>
  text === undefined
    ? []
    : [guess(text), ...text.split("\n").map((line) => guess(line.replace(/^(\S+\s+){5}/, "")))];

function sourced([file = ""]: readonly string[], { stdin, files, cwd }: Invocation): readonly Nested[] {
  const fromStdin = /^\/(dev\/(stdin|fd\/\d)|proc\/self\/fd\/)/.test(file);
  const text = fromStdin ? stdin.text : files.get(resolvePath(file, cwd));
  return text === undefined ? [] : [{ type: "script", text, own: true }];
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
  return at === -1 ? [] : [{ type: "argv", argv: withFound(args.slice(at + 1), args.slice(1, at)) }];
}

/** What is found stands for the braces, or at the end when there are none. */
function withFound(argv: readonly string[], roots: readonly string[]): readonly string[] {
  const found = roots.filter((root) => !root.startsWith("-")).map((root) => `${root.replace(/\/+$/, "")}/*`);
  const paths = found.length === 0 ? ["./*"] : found;
  const braces = /^\{.{0,2}\}$/;
  return argv.some((arg) => braces.test(arg))
    ? argv.flatMap((arg) => (braces.test(arg) ? paths : [arg]))
    : [...argv, ...paths];
}

/** Operands come from standard input: known text, the directories that `find` searches, or nobody knows. */
function unwrapXargs(args: readonly string[], { stdin }: Invocation): readonly Nested[] {
  const { operands, values, options } = splitArguments(
    args,
    {
      short: "adEILnPs",
      long: words(`
        arg-file delimiter max-lines max-args max-procs max-chars replace process-slot-var
      `),
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

function inputItems(stdin: Stdin, options: readonly string[]): readonly string[] {
  const { text } = stdin;
  if (text !== undefined) {
    const nul = options.some((option) => /^-[a-z]*0|^--null/.test(option));
    return text
      .split(nul ? /\0/ : /\s+/)
      .filter((item) => item !== "")
      .map((item) => item.replace(/^(["'])(.*)\1$/, "$2"))
      .slice(0, 1000);
  }
  const searched = listedPaths(stdin);
  return searched.length > 0 ? searched : [HOLE];
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
  const whole = /\{.{0,2}\}/.test(template) ? template : `${template} {}`;
  return items.slice(0, 32).flatMap((item) => [
    script(whole.replace(/\{.{0,2}\}/g, () => item)),
    // As a rule an item arrives quoted.
    script(whole.replace(/\{.{0,2}\}/g, () => quoteWords([item]))),
  ]);
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
      const path = foundBelow(root, args);
      found.push({ type: "argv", argv: argv.map((word) => word.replaceAll("{}", path)) });
    }
    at += argv.length;
    if (found.length > 200) break;
  }
  return found;
}

const hasRecipe = (arg: string): boolean => {
  const at = arg.search(/[:;]/);
  return at !== -1 && /\s/.test(arg.slice(at));
};

/** Recipes of a makefile that is given in the command itself. */
function unwrapMake(args: readonly string[], { stdin, files, cwd }: Invocation): readonly Nested[] {
  const fromStdin = args.some(
    (arg, at) =>
      /^-f-$|^--(make)?file=-$/.test(arg) || (arg === "-" && /^-f$|^--(make)?file$/.test(args[at - 1] ?? "")),
  );
  const texts = [
    ...(fromStdin && stdin.text !== undefined ? [stdin.text] : []),
    ...args.flatMap((arg) => files.get(resolvePath(arg, cwd)) ?? []),
    ...args.filter((arg) => /^--eval|\$\(shell|^\w*SHELL\w*=/.test(arg) || hasRecipe(arg)),
  ];
  return texts
    .flatMap((text) => text.split(/[:;\n\t]+|\$\(shell/))
    .map((piece) => guess(piece.replace(/^[@+\s-]+|^\w*SHELL\w*=/g, "")));
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
