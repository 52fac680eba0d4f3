import { closeSync, constants, existsSync, lstatSync, mkdirSync, openSync } from "node:fs";
import { join, parse, sep } from "node:path";
import { errnoOf } from "../host/errno.ts";

/** A directory that was reached without following any link, and stays the same one whatever is renamed meanwhile. */
export type Directory = {
  /** A path for the system that names a file in this directory and in no other. */
  readonly child: (name: string) => string;
  readonly close: () => void;
};

// Of Linux; not among the constants of Node. Such a descriptor needs no right to read the directory.
const O_PATH = 0o10000000;
const LOOK_UP = O_PATH | constants.O_DIRECTORY | constants.O_NOFOLLOW;

/**
 * Opens a directory by its absolute path, name by name, each in the one before: a link that is put on the way at the
 * last moment is met, not followed. Throws system errors; a link is `ELOOP`.
 */
export function openDirectory(path: string, missing: "fail" | "make"): Directory {
  const { root } = parse(path);
  const names = path.slice(root.length).split(sep).filter(Boolean);
  return canNameDescriptors() ? walkDescriptors(root, names, missing) : walkPaths(root, names, missing);
}

/** Linux names what is open: `/proc/self/fd/N/name` is openat(N, name) without a foreign function call. */
const canNameDescriptors = (): boolean => process.platform === "linux" && existsSync("/proc/self/fd");

function walkDescriptors(root: string, names: readonly string[], missing: "fail" | "make"): Directory {
  let fd = openSync(root, LOOK_UP);
  for (const name of names) {
    const next = `/proc/self/fd/${fd}/${name}`;
    try {
      const below = step(() => openSync(next, LOOK_UP), next, missing);
      closeSync(fd);
      fd = below;
    } catch (error) {
      closeSync(fd);
      throw error;
    }
  }
  return { child: (name) => `/proc/self/fd/${fd}/${name}`, close: () => closeSync(fd) };
}

/** Elsewhere each name is looked at just before it is used: best effort against somebody who is quick. */
function walkPaths(root: string, names: readonly string[], missing: "fail" | "make"): Directory {
  let at = root;
  for (const name of names) {
    const next = join(at, name);
    step(() => lstatSync(next), next, missing);
    if (!lstatSync(next).isDirectory()) throw notADirectory(next);
    at = next;
  }
  return { child: (name) => join(at, name), close: () => {} };
}

function step<T>(open: () => T, path: string, missing: "fail" | "make"): T {
  try {
    return open();
  } catch (error) {
    if (errnoOf(error) === "ENOTDIR") throw notADirectory(path);
    if (errnoOf(error) !== "ENOENT" || missing === "fail") throw error;
  }
  makeDirectory(path);
  return open();
}

function makeDirectory(path: string): void {
  try {
    mkdirSync(path);
  } catch (error) {
    if (errnoOf(error) !== "EEXIST") throw error; // somebody else made it at the same time
  }
}

function notADirectory(path: string): Error {
  const isLink = lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink();
  return Object.assign(new Error(isLink ? "a link is on the way" : "a part of the path is not a directory"), {
    code: isLink ? "ELOOP" : "ENOTDIR",
  });
}
