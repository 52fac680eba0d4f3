import { guess, type Nested, quoteWords, script } from "./nested.ts";
import { hasLetter, hasLong, type OptionSpec, splitArguments } from "./options.ts";
import { words } from "./words.ts";

type Prefix = OptionSpec & {
  /** Operands before the command: the time of `timeout`. */
  readonly skip?: number;
};

/** Programs whose arguments end in a command that they run. */
const PREFIXES: ReadonlyMap<string, Prefix> = new Map<string, Prefix>([
  [
    "sudo",
    {
      short: "ugpCDhRrtTU",
      long: words(`
        user group prompt close-from chdir host chroot role type other-user command-timeout
      `),
    },
  ],
  ["doas", { short: "Cu" }],
  ["run0", { short: "uD", long: ["user", "chdir", "unit", "property", "setenv", "background"] }],
  ["pkexec", { long: ["user"] }],
  ["env", { short: "uCP", long: ["unset", "chdir"] }],
  ["nice", { short: "n", long: ["adjustment"] }],
  ["ionice", { short: "cnpPu", long: ["class", "classdata"] }],
  ["chrt", { short: "TPD", skip: 1 }],
  ["taskset", { skip: 1 }],
  ["numactl", { short: "NmCipl", long: ["cpunodebind", "membind", "interleave", "physcpubind"] }],
  ["nohup", {}],
  ["setsid", {}],
  ["stdbuf", { short: "ioe", long: ["input", "output", "error"] }],
  ["timeout", { short: "ks", long: ["kill-after", "signal"], skip: 1 }],
  ["gtimeout", { short: "ks", long: ["kill-after", "signal"], skip: 1 }],
  ["time", { short: "fo", long: ["format", "output"] }],
  ["command", {}],
  ["builtin", {}],
  ["exec", { short: "a" }],
  ["noglob", {}],
  ["nocorrect", {}],
  [
    "unshare",
    { short: "SGRw", long: ["setuid", "setgid", "root", "wd", "map-user", "map-group", "propagation"] },
  ],
  ["nsenter", { short: "tSG", long: ["target", "setuid", "setgid"] }],
  ["chroot", { long: ["userspec", "groups"], skip: 1 }],
  ["fakechroot", {}],
  ["setarch", { skip: 1 }],
  ["linux64", {}],
  ["linux32", {}],
  ["strace", { short: "oesuEaOPSbIX" }],
  ["ltrace", { short: "oesuanDFlxw" }],
  ["valgrind", {}],
  ["fakeroot", { short: "lsib" }],
  ["firejail", {}],
  ["bwrap", {}],
  ["proot", { short: "rbwqk" }],
  ["xvfb-run", { short: "nsefp" }],
  ["dbus-run-session", {}],
  ["dbus-launch", {}],
  ["torsocks", {}],
  ["proxychains", { short: "f" }],
  ["proxychains4", { short: "f" }],
  ["unbuffer", {}],
  ["sshpass", { short: "pfePd" }],
  ["caffeinate", { short: "wt" }],
  [
    "systemd-run",
    {
      short: "puGHMtE",
      long: words(`
        property unit uid gid setenv slice working-directory description on-active on-calendar
      `),
    },
  ],
  ["systemd-inhibit", {}],
  ["setpriv", { long: ["reuid", "regid"] }],
  ["gosu", { skip: 1 }],
  ["su-exec", { skip: 1 }],
  ["cgexec", { short: "g" }],
  ["aa-exec", { short: "pn" }],
  ["busybox", {}],
  ["toybox", {}],
  ["rlwrap", {}],
  ["ionice", { short: "cnpPu" }],
  ["catchsegv", {}],
  ["entr", {}],
  ["ld.so", {}],
  ["daemonize", { short: "acepolu" }],
  ["pipenv", {}],
  ["rtk", {}],
]);

/** What a program that only prepares the ground for another runs; undefined when it is none. */
export function unwrapPrefix(name: string, args: readonly string[]): readonly Nested[] | undefined {
  const prefix = PREFIXES.get(/^ld-linux/.test(name) ? "ld.so" : name);
  if (prefix === undefined) return undefined;
  const split = splitArguments(args, prefix, { stopAtOperand: true });
  // `command -v rm` only looks it up.
  if (name === "command" && hasLetter(split.options, "vV")) return [];
  if (name === "sudo" && hasLetter(split.options, "lvkK") && split.operands.length === 0) return [];
  if (name === "env") {
    const text = splitString(args);
    if (text !== undefined) return [script(text)];
  }
  const [assignments, rest] = leadingAssignments(split.operands);
  const argv = (rest[0] === "--" ? rest.slice(1) : rest).slice(prefix.skip ?? 0);
  // What the options of a sandbox take is not known one by one: every place where a command may begin counts.
  if (UNKNOWN_OPTIONS.has(name))
    return args.slice(0, 64).map((_, at) => guess(quoteWords(args.slice(at, at + 64))));
  if (argv.length === 0) return [];
  const chdir = split.values.get(name === "sudo" ? "D" : "C")?.at(-1) ?? split.values.get("chdir")?.at(-1);
  const where = name === "chroot" ? {} : chdir === undefined ? {} : { cwd: chdir };
  const asShell =
    name === "sudo" && (hasLetter(split.options, "si") || hasLong(split.options, "shell", "login"));
  if (asShell) return [script(argv.join(" "))];
  return [{ type: "argv", argv, assignments, ...where }];
}

const UNKNOWN_OPTIONS = new Set(["bwrap", "firejail", "valgrind", "proot"]);

/** `env -S "rm -rf /"`, `env -iS…`, `env --split-string=…`. */
function splitString(args: readonly string[]): string | undefined {
  const at = args.findIndex((arg) => /^-[a-zA-Z0]*S|^--split-string/.test(arg));
  if (at === -1 || args.slice(0, at).some((arg) => !arg.startsWith("-") && !arg.includes("=")))
    return undefined;
  const [, joined = ""] = /^(?:-[a-zA-Z0]*?S|--split-string=?)([\s\S]*)$/.exec(args[at] ?? "") ?? [];
  return [joined, ...args.slice(at + 1)].join(" ");
}

function leadingAssignments(
  operands: readonly string[],
): readonly [readonly (readonly [string, string])[], readonly string[]] {
  const at = operands.findIndex((operand) => !/^[A-Za-z_][A-Za-z0-9_]*=/.test(operand));
  const count = at === -1 ? operands.length : at;
  const pairs = operands.slice(0, count).map((operand) => {
    const equals = operand.indexOf("=");
    return [operand.slice(0, equals), operand.slice(equals + 1)] as const;
  });
  return [pairs, operands.slice(count)];
}
