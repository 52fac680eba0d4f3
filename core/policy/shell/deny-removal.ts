import { ask, deny, type Finding, type Invocation, stricter, strictestOf } from "./invocation.ts";
import { findRoots } from "./listed-paths.ts";
import { hasLetter, hasLong, splitArguments } from "./options.ts";
import { resolvePath, segmentsOf } from "./paths.ts";
import { isSystemPath, judgeRemoval } from "./protected-paths.ts";
import { named, placeOf, type RuleTable } from "./rule.ts";
import { judgeWrite } from "./sensitive-paths.ts";

/** Taking away what a system or a person needs. */
export const REMOVAL_RULES: RuleTable = new Map([
  ...named(["rm", "srm", "rimraf", "trash", "del"], judgeRm),
  ...named(["unlink", "rmdir", "shred"], judgeUnlink),
  ...named(["find", "gfind"], judgeFind),
  ...named(["rsync"], judgeMirror),
]);

function judgeRm(invocation: Invocation, home: string): Finding | undefined {
  const { options, operands } = splitArguments(invocation.argv.slice(1));
  const place = placeOf(invocation, home);
  const recursive = hasLetter(options, "rR") || hasLong(options, "recursive") || invocation.name !== "rm";
  return strictestOf(operands, (path) => {
    const removed = recursive || /[*?[]/.test(path) ? judgeRemoval(path, place) : undefined;
    // Without -r a directory stays; a glob that is everything here is still worth a word only when it is a system's.
    const counts = recursive || removed?.verdict === "deny" ? removed : undefined;
    return stricter(counts, asRemoval(judgeWrite(path, place)));
  });
}

/** The same file is worth the same protection, in other words. */
const asRemoval = (finding: Finding | undefined): Finding | undefined =>
  finding && { ...finding, reason: finding.reason.replace(/^It would change /, "It would remove ") };

function judgeUnlink(invocation: Invocation, home: string): Finding | undefined {
  const { operands } = splitArguments(invocation.argv.slice(1), {
    short: "ns",
    long: ["iterations", "size"],
  });
  const place = placeOf(invocation, home);
  return strictestOf(operands, (path) => {
    const removed = judgeRemoval(path, place);
    return stricter(removed?.verdict === "deny" ? removed : undefined, asRemoval(judgeWrite(path, place)));
  });
}

/** `find … -delete`; what it runs with -exec is judged as a command of its own. */
function judgeFind(invocation: Invocation, home: string): Finding | undefined {
  const args = invocation.argv.slice(1);
  const place = placeOf(invocation, home);
  const written = args.flatMap((arg, at) =>
    /^-(fprint0?|fprintf|fls)$/.test(arg) ? [args[at + 1] ?? ""] : [],
  );
  const writes = strictestOf(written, (path) => judgeWrite(path, place));
  if (!args.includes("-delete")) return writes;
  const narrowed = args.some((arg) =>
    /^-(i?name|i?path|i?wholename|i?regex|newer|mtime|mmin|size|empty)$/.test(arg),
  );
  return stricter(
    strictestOf(findRoots(args), (root) => {
      const found = judgeRemoval(root, place);
      if (found === undefined) return undefined;
      const path = resolvePath(root, place.cwd);
      const system = path === "/" || (path.startsWith("/") && isSystemPath(segmentsOf(path)));
      const here = root === "." && place.cwd === undefined;
      if (!narrowed || system)
        return here ? ask("remove-all", "It would remove everything in this directory") : found;
      return here || found.verdict === "ask"
        ? undefined
        : ask(found.rule, `It would remove files below "${path}"`);
    }),
    writes,
  );
}

/** `rsync --delete empty/ /`: what is not in the source is removed from the target. */
function judgeMirror(invocation: Invocation, home: string): Finding | undefined {
  const { options, operands } = splitArguments(invocation.argv.slice(1), {
    short: "eTBfM",
    long: ["rsh", "exclude", "include", "filter", "files-from"],
  });
  const target = operands.at(-1) ?? "";
  if (operands.length < 2 || /^[\w.@-]+:/.test(target)) return undefined;
  const place = placeOf(invocation, home);
  const removes = options.some((option) => option.startsWith("--del"))
    ? judgeRemoval(target, place)
    : undefined;
  const takes = hasLong(options, "remove-source-files")
    ? strictestOf(operands.slice(0, -1), (path) => judgeRemoval(path, place))
    : undefined;
  return (
    stricter(stricter(removes, takes), judgeWrite(target, place)) ??
    (resolvePath(target, place.cwd) === "/"
      ? deny("system-files", "It would copy onto the root directory")
      : undefined)
  );
}
