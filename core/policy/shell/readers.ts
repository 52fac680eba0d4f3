import { evaluatesIndex } from "./indexes.ts";
import { splitArguments } from "./options.ts";
import { readsByProgram } from "./program-readers.ts";
import { isSecretName } from "./secret-names.ts";
import { words } from "./words.ts";

/** Whether these arguments leave a program harmless. */
export type Reader = (args: readonly string[]) => boolean;

const any: Reader = () => true;

/** None of these options, in a cluster, joined with its value, or shortened as getopt allows. */
const without =
  (letters: string, ...long: readonly string[]): Reader =>
  (args) =>
    options(args).every((option) => {
      if (!option.startsWith("--")) return ![...option.slice(1)].some((letter) => letters.includes(letter));
      const given = option.slice(2).split("=")[0] ?? "";
      return !long.some((name) => given !== "" && (name.startsWith(given) || given.startsWith(name)));
    });

/** Everything that a program may take as an option. */
function options(args: readonly string[]): readonly string[] {
  const end = args.indexOf("--");
  return (end === -1 ? args : args.slice(0, end)).filter((arg) => arg.startsWith("-") && arg !== "-");
}

const atMost =
  (count: number, reader: Reader, short = ""): Reader =>
  (args) =>
    reader(args) && splitArguments(args, { short }).operands.length <= count;

const noOperands: Reader = (args) => options(args).length === args.length;

/** An index is evaluated, and with it what stands in it. */
const noSubscripts: Reader = (args) => !args.some(evaluatesIndex);

/** Programs that only look, with what makes them do more. */
export const READERS: ReadonlyMap<string, Reader> = new Map<string, Reader>([
  ...words(`
    ls cat head tail wc pwd cd echo true false : basename dirname stat readlink realpath nl tac rev cut paste join
    comm tr fold fmt expand unexpand od hexdump strings cmp md5sum sha1sum sha224sum sha256sum sha384sum sha512sum
    b2sum cksum sum du df free uptime uname id whoami groups who w tty nproc arch lscpu lsblk lsusb lspci locale
    getconf seq expr sleep cal which whereis type grep egrep fgrep column users last vmstat iostat pgrep
    pidof pstree numfmt factor logname look tsort shasum md5 sw_vers
  `).map((name) => [name, any] as const),
  ...words("test [ [[").map((name) => [name, noSubscripts] as const),
  ["printf", (args) => args[0] !== "-v" && noSubscripts(args)],
  ["hash", noOperands],
  ["sort", without("oTS", "output", "temporary-directory", "compress-program", "files0-from")],
  ["uniq", atMost(1, any, "fsw")],
  ["diff", without("l", "paginate", "output")],
  ["file", without("Czf", "compile", "uncompress", "magic-file", "files-from")],
  ["tree", without("oR", "output")],
  ["xxd", atMost(1, without("r", "revert"), "cglos")],
  ["base64", without("o", "output")],
  ["rg", without("z", "pre", "pre-glob", "hostname-bin", "search-zip", "config")],
  ["fd", without("xXl", "exec", "exec-batch", "list-details")],
  ["fdfind", without("xXl", "exec", "exec-batch", "list-details")],
  [
    "jq",
    (args) =>
      !args.some((arg) => /\benv\b|\$ENV|input_filename|\binclude\b|\bimport\b/.test(arg)) &&
      without("fL", "from-file", "library-path")(args),
  ],
  [
    "date",
    (args) =>
      args.every(
        (arg) =>
          arg.startsWith("+") ||
          /^(-u|--utc|--universal|-R|-I\w*|--iso-8601.*|--rfc-\S+)$/.test(arg) ||
          /^(--date=|-d)/.test(arg),
      ) ||
      (args.length === 2 && args[0] === "-d"),
  ],
  ["hostname", (args) => args.every((arg) => /^-[fsidIAya]+$/.test(arg))],
  [
    "printenv",
    (args) => args.length > 0 && args.every((arg) => /^[A-Z_][A-Z0-9_]*$/i.test(arg) && !isSecretName(arg)),
  ],
  [
    "ps",
    (args) =>
      args.every((arg) =>
        arg.startsWith("-") ? !/^-[a-zA-Z]*E/.test(arg) : !/^[a-zA-Z]*[eE]/.test(arg) || /^\d+$/.test(arg),
      ),
  ],
  ["git", (args) => args.length === 1 && /^(--version|version)$/.test(args[0] ?? "")],
  ["command", (args) => /^-[vV]+$/.test(args[0] ?? "")],
  ["ss", without("K", "kill", "diag", "D")],
  ["netstat", any],
  ["lsof", without("D")],
  [
    "ip",
    (args) =>
      args.every((arg) =>
        /^(-\w+|a|addr|address|r|route|l|link|n|neigh|show|list|ls|dev|\w*\d+|rule|get)$/.test(arg),
      ) && !args.some((arg) => /^-(b|batch|n|netns)$/.test(arg)),
  ],
  ["find", readsByProgram.find],
  ["sed", readsByProgram.sed],
  ["gsed", readsByProgram.sed],
  ["awk", readsByProgram.awk],
  ["gawk", readsByProgram.awk],
  ["mawk", readsByProgram.awk],
  // Those that run another: the other is judged as well.
  ["time", (args) => !args.some((arg) => /^(-[a-z]*o|--output)/.test(arg))],
  ["timeout", any],
  ["nice", any],
  // A bare "version" is the name of a script or a target to most of them.
  ...words(
    "node python python3 bun npm go rustc cargo java ruby perl php deno make gcc clang docker tsc",
  ).map((name) => [name, (args: readonly string[]) => args.length === 1 && args[0] === "--version"] as const),
  ["ssh", (args) => args.length === 1 && args[0] === "-V"],
]);
