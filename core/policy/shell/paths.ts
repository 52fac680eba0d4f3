import { HOLE } from "./hole.ts";

/** The path without `.`, `..` and doubled slashes; absolute when it is or when the directory is known. */
export function resolvePath(path: string, cwd: string | undefined): string {
  const absolute = path.startsWith("/") || cwd !== undefined;
  const whole = path.startsWith("/") || cwd === undefined ? path : `${cwd}/${path}`;
  const kept: string[] = [];
  for (const segment of whole.split("/")) {
    if (segment === "" || segment === ".") continue;
    if (segment !== "..") kept.push(segment);
    else if (kept.length > 0 && kept.at(-1) !== "..") kept.pop();
    else if (!absolute) kept.push("..");
  }
  if (!absolute)
    return climbsToRoot(kept) ? `/${kept.filter((one) => one !== "..").join("/")}` : kept.join("/") || ".";
  return `/${realRoot(kept).join("/")}`;
}

/** So many steps up end at the root from anywhere that matters. */
const CLIMB = 4;

const climbsToRoot = (segments: readonly string[]): boolean =>
  segments.length > CLIMB && segments.slice(0, CLIMB).every((segment) => segment === "..");

/** Other names of the root directory, and of macOS's. */
function realRoot(segments: readonly string[]): readonly string[] {
  const [first, second, third] = segments;
  if (first === "proc" && third === "root" && second !== undefined) return realRoot(segments.slice(3));
  if (first === "proc" && second === "self" && third === "cwd") return segments.slice(3);
  if (first === "private" && /^(etc|var|tmp)$/.test(second ?? "")) return segments.slice(1);
  return segments;
}

export const segmentsOf = (path: string): readonly string[] => path.split("/").filter((one) => one !== "");

/** Matches everything, or nearly: `*`, `.*`, `?*`, `[!.]*`. */
export const isWildcard = (segment: string): boolean =>
  /^[*?.]*\*[*?.]*$|^\.?\[[^\]]*\]\*$|^\?+$/.test(segment) || segment === HOLE;

/** Whether a segment, which may be a glob, can be this name. */
export function canBe(segment: string, name: string): boolean {
  const given = segment.toLowerCase();
  if (!/[*?[]/.test(given)) return given === name;
  if (given.length > 100) return true;
  return new RegExp(`^${globSource(given)}$`).test(name);
}

/** A glob as the source of a regular expression. A bracket that closes nothing stands for any character. */
export const globSource = (glob: string): string =>
  glob
    .replace(/\[!?\[:\w+:\]\]/g, "?")
    .replace(/[.+^${}()|\\]/g, "\\$&")
    .replace(/\*+/g, ".*")
    .replace(/\?/g, ".")
    .replace(/\[(!|\\\^)?([\w.-]*)\]|\[|\]/g, (_whole, not, inside) => classSource(not, inside));

function classSource(not: string | undefined, inside: string | undefined): string {
  // Ranges are taken for anything: too much is asked about rather than too little.
  if (inside === undefined || inside === "" || inside.includes("-")) return ".";
  return `[${not ? "^" : ""}${inside}]`;
}
