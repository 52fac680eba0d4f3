import { listsIn, literalsIn, runsSomething, spawned } from "./embedded.ts";
import { hasHole } from "./hole.ts";
import type { Invocation } from "./invocation.ts";
import { guess, type Nested, quoteWords } from "./nested.ts";
import { resolvePath } from "./paths.ts";

const SHELLS =
  /^(sh|bash|zsh|dash|ksh|ksh93|mksh|ash|fish|yash|rbash|csh|tcsh|elvish|nu|xonsh|pwsh|powershell)(-?[\d.]+)?$/;
const CODE =
  /^(python|pypy|perl|ruby|node|nodejs|deno|bun|php|lua|luajit|tclsh|rscript|osascript|ghci|julia|elixir|groovy|expect|guile|scala)([\d.]*|-[\d.]+)?$/;

export const isShell = (name: string): boolean => SHELLS.test(name);
export const isCodeInterpreter = (name: string): boolean => CODE.test(name);
export const isInterpreter = (name: string): boolean => isShell(name) || isCodeInterpreter(name);

/** What an interpreter was told to run: a text, its standard input, or a file. */
export type Source =
  | {
      readonly type: "text";
      readonly text: string;
      /** `$0`, where the arguments say so. */
      readonly zero?: string | undefined;
      readonly rest: readonly string[];
    }
  | { readonly type: "stdin" }
  | { readonly type: "file"; readonly path: string }
  | { readonly type: "nothing" };

export function sourceOf(name: string, args: readonly string[]): Source {
  return isShell(name) ? shellSource(args) : codeSource(name, args);
}

function shellSource(args: readonly string[]): Source {
  let takesText = false;
  let at = 0;
  for (; at < args.length; at++) {
    const arg = args[at] ?? "";
    if (arg === "--" || arg === "-") {
      at += arg === "--" ? 1 : 0;
      break;
    }
    if (!/^[-+]./.test(arg)) break;
    if (/^--(version|help)$/.test(arg)) return { type: "nothing" };
    if (/^--(rcfile|init-file)$/.test(arg)) at += 1;
    if (arg === "--command") takesText = true;
    if (arg.startsWith("--")) continue;
    if (arg.startsWith("-") && arg.includes("c")) takesText = true;
    if (/[oO]$/.test(arg)) at += 1;
  }
  const operand = args[at];
  if (takesText && operand !== undefined) {
    return { type: "text", text: operand, zero: args[at + 1], rest: args.slice(at + 2) };
  }
  const readsStdin =
    operand === undefined || operand === "-" || args.slice(0, at).some((arg) => /^-[a-z]*s[a-z]*$/.test(arg));
  return readsStdin || isStdinPath(operand) ? { type: "stdin" } : { type: "file", path: operand };
}

export const isStdinPath = (path: string): boolean => /^\/(dev\/(stdin|fd\/0)|proc\/self\/fd\/0)$/.test(path);

const TAKES_TEXT: readonly (readonly [RegExp, RegExp])[] = [
  [/^(python|pypy)/, /^-[a-zA-Z]*c$/],
  [/^perl/, /^-[a-zA-Z0-9]*[eE]$/],
  [/^ruby/, /^-[a-zA-Z]*e$/],
  [/^(node|bun)/, /^(-e|-p|-pe|--eval|--print)$/],
  [/^deno/, /^eval$/],
  [/^php/, /^(-r|-B|-R|-E|--run)$/],
  [/^(lua|luajit|rscript|osascript|ghci|julia|elixir|groovy|scala)/, /^(-e|--eval|-E)$/],
  [/^(tclsh|expect|guile)/, /^-c$/],
];

function codeSource(name: string, args: readonly string[]): Source {
  const [, flag] = TAKES_TEXT.find(([program]) => program.test(name)) ?? [];
  const at =
    flag === undefined ? -1 : args.findIndex((arg) => flag.test(arg) || joined(flag, arg) !== undefined);
  if (flag !== undefined && at !== -1) {
    const inside = joined(flag, args[at] ?? "");
    const texts = inside === undefined ? [args[at + 1] ?? ""] : [inside];
    // Several -e are lines of one program.
    const more = args.slice(at + 2).filter((_, index, rest) => flag.test(rest[index - 1] ?? ""));
    return { type: "text", text: [...texts, ...more].join("\n"), rest: args.slice(at + 2) };
  }
  if (args.some((arg) => /^(--?version|-V|--help|-h)$/.test(arg))) return { type: "nothing" };
  const operand = args.find((arg) => !arg.startsWith("-") && !(arg === "run" && /^(deno|bun)/.test(name)));
  if (args.includes("-m")) return { type: "file", path: args[args.indexOf("-m") + 1] ?? "" };
  return operand === undefined || isStdinPath(operand) || args[0] === "-"
    ? { type: "stdin" }
    : { type: "file", path: operand };
}

/** `-cimport os`, `-e'system …'`, `--eval=…`: the text in the same word. */
function joined(flag: RegExp, arg: string): string | undefined {
  const [, long] = /^--(?:eval|print|run)=([\s\S]*)$/.exec(arg) ?? [];
  if (long !== undefined) return long;
  const [head = ""] = /^-[a-zA-Z0-9]/.exec(arg) ?? [];
  return arg.length > 3 && !arg.startsWith("--") && /[^a-zA-Z0-9-]/.test(arg) && flag.test(head)
    ? arg.slice(2)
    : undefined;
}

/** What a shell or another interpreter runs. */
export function unwrapInterpreter(
  name: string,
  args: readonly string[],
  { stdin, files, cwd }: Pick<Invocation, "stdin" | "files" | "cwd">,
): readonly Nested[] {
  if (
    isShell(name) &&
    args.some((arg) => /^-[a-z]*n[a-z]*$/.test(arg)) &&
    !args.some((arg) => /^-[a-z]*c/.test(arg))
  )
    return [];
  const source = sourceOf(name, args);
  const text =
    source.type === "text"
      ? source.text
      : source.type === "stdin"
        ? stdin.text
        : source.type === "file"
          ? files.get(resolvePath(source.path, cwd))
          : undefined;
  if (text === undefined) return [];
  if (/^(expect|tclsh)/.test(name)) return spawned(text).map(guess);
  if (!isShell(name)) return codeGuesses(text);
  if (hasHole(text) && text.length === 1) return [];
  const { zero, rest } = source.type === "text" ? source : { rest: [] };
  return [{ type: "script", text, positional: rest, ...(zero === undefined ? {} : { zero }) }];
}

/** Commands that a program text may hand to a shell. */
export function codeGuesses(code: string): readonly Nested[] {
  if (!runsSomething(code)) return [];
  const lists = listsIn(code).map((words) => quoteWords(words));
  return [...literalsIn(code), ...lists].slice(0, 200).map(guess);
}
