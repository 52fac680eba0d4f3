import { absolutePath, isWindows, normalized, type PathContext, type PathOperation } from "./path-form.ts";
import { type NamedPath, namedPath, placeAt } from "./path-names.ts";
import * as places from "./sensitive-places.ts";

export type PathRules = PathContext & {
  /** `tools.files_allowed_paths`: only these may be written. A sensitive place is open when it, or one in it, is named. */
  readonly allowedPaths: readonly string[];
  readonly operation: PathOperation;
  /** Where buddy keeps its own configuration and state, when that is not the usual place. */
  readonly ownPaths?: readonly string[];
};

export type PathVerdict =
  | { readonly type: "allowed"; readonly path: string }
  | { readonly type: "denied"; readonly path: string; readonly rule: string; readonly reason: string };

/**
 * What the file tools may do with a path, by its letters. It has to be judged twice: as it was given, and as the
 * target resolved it, links and all.
 */
export function judgePath(given: string, rules: PathRules): PathVerdict {
  const absolute = absolutePath(given, rules, rules.operation);
  if (!absolute.ok) return { type: "denied", path: given, ...absolute.error };
  return judgeResolved(absolute.value, rules);
}

/** The same for an absolute path without dots, as a target answers. Its form is as it is: nobody chose these words. */
export function judgeResolved(resolved: string, rules: PathRules): PathVerdict {
  const path = normalized(resolved, isWindows(rules.cwd));
  const roots = allowedRoots(rules);
  const opened = (place: string) => roots.some((root) => isInside(root, place) && isInside(path, root));
  const closed = [...placesOf(namedPath(path), rules)].find(({ place, never }) => never || !opened(place));
  if (closed) {
    const reason = closed.never ? closed.what : `${closed.what}. ${HOW_TO_OPEN}`;
    return { type: "denied", path, rule: closed.rule, reason };
  }
  const isOpen =
    rules.operation === "read" || roots.length === 0 || roots.some((root) => isInside(path, root));
  if (isOpen) return { type: "allowed", path };
  const reason = "it is not under tools.files_allowed_paths, and nothing else may be written";
  return { type: "denied", path, rule: "allowed_paths", reason };
}

const HOW_TO_OPEN = "The user can open exactly this place with tools.files_allowed_paths";

/** A guarded place that a path is in, and what to say about it. */
type Found = {
  readonly place: string;
  readonly rule: string;
  readonly what: string;
  /** No entry of the user's list opens it. */
  readonly never?: boolean;
};

function* placesOf(path: NamedPath, rules: PathRules): Generator<Found> {
  if (rules.operation === "read") return yield* secretPlaces(path, rules);
  yield* systemPlaces(path, rules);
  for (const home of homesOf(path, rules)) {
    yield* below(path, home, places.HOME_SECRETS, "home.secret", "it may hold keys or passwords");
    yield* below(path, home, places.HOME_STARTUP, "home.startup", "it runs or steers programs of the user");
  }
  yield* ownPlaces(path, rules);
  yield* projectPlaces(path);
}

/** What may not even be read: buddy's logins, private keys, the inside of processes. */
function* secretPlaces(path: NamedPath, rules: PathRules): Generator<Found> {
  for (const { place } of ownPlaces(path, rules)) {
    if (!/^auth\.json\b/.test(path.keys.at(-1) ?? "")) continue;
    yield { place, rule: "own.login", what: "it holds buddy's logins", never: true };
  }
  const homes = homesOf(path, rules);
  if (isPrivateKey(path, homes)) yield { place: path.text, rule: "private_key", what: "it is a private key" };
  if (/^\/proc\/[^/]+\/(?:task\/[^/]+\/)?(?:environ|mem|fd|map_files|auxv)(?:\/|$)/.test(path.text)) {
    yield { place: path.text, rule: "process", what: "it shows the inside of a process", never: true };
  }
}

/** Roots that are themselves somebody's home. */
const HOME_ROOTS: readonly string[] = ["/root", "/var/root", "/private/var/root"];

function* systemPlaces(path: NamedPath, { cwd, home }: PathRules): Generator<Found> {
  const windows = isWindows(cwd);
  const own = home === undefined ? "/" : normalized(home, windows);
  for (const root of windows ? places.WINDOWS_ROOTS : places.SYSTEM_ROOTS) {
    const place = placeAt(path, 1, root);
    if (place === undefined) continue;
    // The user's home may be in a system root (root's own, a service's): what is in it is the user's.
    const holdsHome = isInside(own, place) && (own !== place || HOME_ROOTS.includes(root));
    if (holdsHome && isInside(path.text, own)) continue;
    yield { place, rule: "system", what: `it is in the system directory ${place}` };
  }
}

function* ownPlaces(path: NamedPath, rules: PathRules): Generator<Found> {
  const what = "it is buddy's own configuration";
  for (const home of homesOf(path, rules)) yield* below(path, home, places.HOME_OWN, "own", what);
  for (const own of rules.ownPaths ?? []) {
    const place = normalized(own, isWindows(rules.cwd));
    if (isInside(path.text, place)) yield { place, rule: "own", what };
  }
}

function* projectPlaces(path: NamedPath): Generator<Found> {
  for (const [at, key] of path.keys.entries()) {
    const place = path.upTo(at + 1);
    if (key === ".git" || /^git~\d$/.test(key)) {
      yield {
        place,
        rule: "git",
        what: "it belongs to Git, which runs what it finds there: use git commands",
      };
    }
    if (/.\.git$/.test(key) && /^(?:hooks|config)$/.test(path.keys[at + 1] ?? "")) {
      yield { place: path.upTo(at + 2), rule: "git", what: "it steers a bare repository of Git" };
    }
    for (const name of places.PROJECT_STARTUP) {
      const found = placeAt(path, at, name);
      const what = "it runs or steers programs that use this directory";
      if (found !== undefined) yield { place: found, rule: "project", what };
    }
  }
}

function* below(
  path: NamedPath,
  home: string,
  names: readonly string[],
  rule: string,
  what: string,
): Generator<Found> {
  const depth = home === "/" ? 1 : home.split("/").length;
  for (const name of names) {
    const place = placeAt(path, depth, name);
    if (place !== undefined) yield { place, rule, what };
  }
}

const KEY_NAME =
  /^(?:id_(?:rsa|dsa|ecdsa|ecdsa_sk|ed25519|ed25519_sk|xmss)|ssh_host_.*_key|identity|secring\.gpg)$/;
const KEY_IN_SSH = /^id_(?!.*\.pub$)|_key$|\.(?:pem|key|ppk)$|(?:^|[._-])(?:rsa|ed25519|ecdsa|dsa)$/;

function isPrivateKey(path: NamedPath, homes: readonly string[]): boolean {
  const name = path.keys.at(-1) ?? "";
  if (KEY_NAME.test(name)) return true;
  const isIn = (place: string) => homes.some((home) => [...below(path, home, [place], "", "")].length > 0);
  return isIn(".gnupg/private-keys-v1.d") || (KEY_IN_SSH.test(name) && isIn(".ssh"));
}

/** The user's home if the path is in it, and whatever else on the path looks like somebody's home. */
function homesOf(path: NamedPath, { home, cwd }: PathRules): readonly string[] {
  const windows = isWindows(cwd);
  const usual = (windows ? ["/Users/*"] : places.HOMES).flatMap((place) => placeAt(path, 1, place) ?? []);
  const own = home === undefined ? [] : [normalized(home, windows)].filter((dir) => isInside(path.text, dir));
  return [...new Set([...own, ...usual])];
}

function allowedRoots({ allowedPaths, home, cwd }: PathRules): readonly string[] {
  return allowedPaths.flatMap((path) => {
    const absolute = absolutePath(path, { home, cwd }, "read");
    return absolute.ok ? [absolute.value] : [];
  });
}

/** By the letter: what is allowed must be exactly what was named. */
const isInside = (path: string, place: string): boolean =>
  path === place || place === "/" || path.startsWith(`${place}/`);
