import { printsEnvironment, revealsSecrets } from "./deny-leaks.ts";
import { hasHole } from "./hole.ts";
import type { Invocation } from "./invocation.ts";
import { resolvePath } from "./paths.ts";
import { READERS } from "./readers.ts";
import { placeOf } from "./rule.ts";
import { isSecret } from "./sensitive-paths.ts";
import { words } from "./words.ts";

/** Whether a command only looks: it is on the list, with options that are harmless, and writes nowhere. */
export function isReadOnly(invocation: Invocation, home: string): boolean {
  const { argv, name, redirects, assignments, isFunction } = invocation;
  const [program = "", ...args] = argv;
  if (argv.length === 0)
    return assignments.length === 0 && redirects.every((one) => isHarmless(one, invocation, home));
  // A program of a directory is somebody's, whatever its name.
  if (isFunction || !/^(\/usr)?(\/bin\/)?[^/]+$/.test(program) || program !== program.toLowerCase())
    return false;
  if (assignments.length > 0 || !redirects.every((one) => isHarmless(one, invocation, home))) return false;
  const reader = READERS.get(name);
  if (reader === undefined || !reader(args)) return false;
  // What is not known may be an option, or a file that nobody should see.
  if (args.some(hasHole) && !PRINTS_WORDS.has(name)) return false;
  if (SEARCHES.test(name) && args.some((arg) => coversHome(arg, invocation, home))) return false;
  return !printsEnvironment(invocation) && (NEVER_OPENS.has(name) || !revealsSecrets(invocation, home));
}

const SEARCHES = /^([ef]?grep|rg)$/;

/** A search of everything finds keys and credentials as well. */
function coversHome(path: string, { cwd }: Invocation, home: string): boolean {
  const resolved = resolvePath(path, cwd);
  return resolved === "/" || resolved === "/proc" || `${home}/`.startsWith(`${resolved}/`);
}

const PRINTS_WORDS = new Set(words("echo test [ [[ true false : basename dirname seq expr sleep"));
const NEVER_OPENS = new Set([
  ...PRINTS_WORDS,
  "ls",
  "stat",
  "cd",
  "pwd",
  "printf",
  "du",
  "df",
  "which",
  "type",
  "command",
  "realpath",
  "readlink",
]);

function isHarmless(
  { operator, target }: Invocation["redirects"][number],
  invocation: Invocation,
  home: string,
): boolean {
  if (operator === "<<" || operator === "<<<") return true;
  if (/^[<>]&$/.test(operator)) return /^(\d+|-)$/.test(target);
  if (operator === "<")
    return (
      !hasHole(target) && !/^\/dev\/(tcp|udp)/.test(target) && !isSecret(target, placeOf(invocation, home))
    );
  return operator !== "<>" && target === "/dev/null";
}
