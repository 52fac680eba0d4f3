import { HOLE, hasHole } from "./hole.ts";
import { ask, deny, type Finding } from "./invocation.ts";
import { canBe, isWildcard, resolvePath, segmentsOf } from "./paths.ts";
import { words } from "./words.ts";

export type Place = { readonly home: string; readonly cwd: string | undefined };

/** Directories at the root whose loss is the loss of a system, or of everybody's files. */
const ROOTS = [
  ...["bin", "boot", "dev", "etc", "home", "lib", "lib32", "lib64", "libx32", "media", "mnt", "opt", "proc"],
  ...["root", "run", "sbin", "srv", "sys", "usr", "var", "nix", "snap"],
  ...["users", "system", "library", "applications", "volumes", "private", "cores"],
];

/** Those in which nothing at any depth is the user's own. */
const SYSTEM = new Set([
  ...["bin", "boot", "dev", "etc", "lib", "lib32", "lib64", "libx32", "proc", "sbin", "sys", "usr"],
  ...["system", "library"],
]);

const RULE = "remove-system";

/** What removing a path with everything below it would mean. */
export function judgeRemoval(path: string, place: Place): Finding | undefined {
  if (hasHole(path)) return judgeUnknown(path, place);
  const resolved = resolvePath(path, place.cwd);
  if (!resolved.startsWith("/")) return judgeRelative(resolved);
  const segments = segmentsOf(resolved);
  if (segments.length === 0) return deny(RULE, "It would remove the root directory");
  const own = segmentsOf(place.home);
  const isOwn =
    own.length > 0 && own.length < segments.length && own.every((one, at) => segments[at] === one);
  if (isOwn) return judgeOwn(resolved, segments.slice(own.length));
  if (coversHome(segments, own)) return deny(RULE, `It would remove a home directory: "${resolved}"`);
  return judgeAbsolute(resolved, segments);
}

/** A value that is not known may be empty: then what is left decides whether to ask. */
function judgeUnknown(path: string, place: Place): Finding | undefined {
  const without = path.replaceAll(HOLE, "");
  if (without !== "" && judgeRemoval(without, place) === undefined) return undefined;
  return ask("remove-unknown", "What would be removed depends on a value that is not known before it runs");
}

function judgeRelative(path: string): Finding | undefined {
  const segments = path.split("/");
  const up = segments.filter((segment) => segment === "..").length;
  const rest = segments.slice(up);
  const all = rest.length === 0 || (rest.length === 1 && isWildcard(rest[0] ?? ""));
  if (up > 0 && all) return deny(RULE, `It would remove a directory above this one: "${path}"`);
  if (path === "." || (all && up === 0))
    return ask("remove-all", "It would remove everything in this directory");
  if (path === ".git") return ask("remove-all", "It would remove the history of this repository");
  return undefined;
}

const coversHome = (segments: readonly string[], home: readonly string[]): boolean =>
  segments.length <= home.length && segments.every((one, at) => canBe(one, (home[at] ?? "").toLowerCase()));

/** Below the home directory there is nothing of the system, wherever the home directory is. */
function judgeOwn(path: string, [first = "", second, ...deeper]: readonly string[]): Finding | undefined {
  const all = second === undefined || (isWildcard(second) && deeper.length === 0);
  if (second === undefined && isWildcard(first)) {
    return deny(RULE, `It would remove everything in the home directory: "${path}"`);
  }
  if (!all || !PRECIOUS.some((name) => canBe(first, name))) return undefined;
  return ask("remove-all", `It would remove what a person keeps: "${path}"`);
}

const PRECIOUS = words(`
  documents desktop downloads pictures music videos movies .config .local
`);

function judgeAbsolute(path: string, segments: readonly string[]): Finding | undefined {
  const [first = "", second, third] = segments;
  const finding = deny(RULE, `It would remove a system directory: "${path}"`);
  if (canBe(first, "tmp") && !isWildcard(first)) {
    return second === undefined || (isWildcard(second) && third === undefined)
      ? ask("remove-all", `It would remove what other programs keep: "${path}"`)
      : undefined;
  }
  const root = ROOTS.find((name) => canBe(first, name));
  if (root === undefined) return isWildcard(first) ? finding : undefined;
  const all = second === undefined || (isWildcard(second) && third === undefined);
  if (all) return finding;
  if (isWildcard(first) || isSystemPath(segments)) return finding;
  if (root === "home" || root === "users") {
    return third === undefined || (isWildcard(third) && segments.length === 3)
      ? deny(RULE, `It would remove somebody's home directory: "${path}"`)
      : undefined;
  }
  if (first === "usr" && second === "local")
    return ask("system-files", `It would remove installed programs: "${path}"`);
  return undefined;
}

/** Whether a path is the system's own, and nobody's work. */
export function isSystemPath(segments: readonly string[]): boolean {
  const [first = "", second = "", third] = segments;
  if (first === "dev")
    return !/^(shm|null|zero|full|random|urandom|stdin|stdout|stderr|tty|ptmx|pts|fd)$/.test(second);
  if (first === "proc") return !(second === "self" && third === "fd");
  if (first === "usr")
    return (
      second !== "local" ||
      third === undefined ||
      (/^(bin|sbin|lib|etc|share|include)$/.test(third) && segments.length === 3)
    );
  if (first === "var")
    return /^(lib|log|spool|mail|db|root|cache)$/.test(second) && (second !== "cache" || third === undefined);
  return [...SYSTEM].some((name) => canBe(first, name));
}
