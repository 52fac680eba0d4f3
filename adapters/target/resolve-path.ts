import { lstat, readlink } from "node:fs/promises";
import { isAbsolute, join, parse } from "node:path";
import type { FileFailure } from "../../core/ports/target.ts";
import { err, ok, type Result } from "../../core/result.ts";
import { errnoOf } from "../host/errno.ts";
import { fileFailure } from "./file-failure.ts";

/** As the kernel allows. */
const MAX_LINKS = 40;

export type PathBase = { readonly cwd: string; readonly home: string | undefined };

/** The path without any link, also of what is not there yet and of links that lead nowhere. */
export async function resolveLocalPath(base: PathBase, path: string): Promise<Result<string, FileFailure>> {
  const whole = absoluteOf(base, path);
  const rest = namesOf(whole);
  let at = parse(whole).root;
  let links = 0;
  while (true) {
    const name = rest.shift();
    if (name === undefined) return ok(at);
    if (name === "" || name === ".") continue;
    if (name === "..") {
      at = join(at, "..");
      continue;
    }
    const next = join(at, name);
    const target = await linkTarget(next);
    if (!target.ok) return target;
    if (target.value === undefined) {
      at = next;
      continue;
    }
    links += 1;
    if (links > MAX_LINKS) return err({ type: "failed", kind: "other", detail: "too many symbolic links" });
    rest.unshift(...namesOf(target.value));
    if (isAbsolute(target.value)) at = parse(target.value).root;
  }
}

/** `..` stays: behind a link it is the parent of where the link leads. */
function absoluteOf({ cwd, home }: PathBase, path: string): string {
  if (home !== undefined && (path === "~" || path.startsWith("~/"))) return `${home}/${path.slice(2)}`;
  return isAbsolute(path) ? path : `${cwd}/${path}`;
}

const namesOf = (path: string): string[] =>
  path.slice(parse(path).root.length).split(process.platform === "win32" ? /[\\/]/ : "/");

async function linkTarget(path: string): Promise<Result<string | undefined, FileFailure>> {
  try {
    return ok((await lstat(path)).isSymbolicLink() ? await readlink(path) : undefined);
  } catch (error) {
    // Not there, or below something that is no directory: opening it will say so.
    if (["ENOENT", "ENOTDIR"].includes(errnoOf(error))) return ok(undefined);
    return err(fileFailure(error));
  }
}
