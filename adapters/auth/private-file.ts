import {
  accessSync,
  chmodSync,
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname } from "node:path";
import { errnoOf, reasonOf } from "../host/errno.ts";

const MAX_BYTES = 1024 * 1024;

export type PrivateText = {
  readonly text: string;
  /** Which file this was, for `setAside`. */
  readonly inode: number;
  readonly warnings: readonly string[];
};

/** The text of a file that only its owner may read; undefined when there is none. A looser mode is repaired. Throws. */
export function readPrivateFile(path: string): PrivateText | undefined {
  let fd: number;
  try {
    // Without waiting: a pipe in the file's place must not stop us.
    fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (error) {
    if (errnoOf(error) === "ENOENT") return undefined;
    throw error;
  }
  try {
    const stat = fstatSync(fd);
    if (!stat.isFile()) throw new Error("it is not a file");
    if (stat.size > MAX_BYTES) throw new Error("it is larger than 1 MiB");
    const warnings = [
      ...repair(stat.mode, path, 0o600, (mode) => fchmodSync(fd, mode)),
      ...repairDirectory(dirname(path)),
    ];
    return { text: readFileSync(fd, "utf8"), inode: stat.ino, warnings };
  } finally {
    closeSync(fd);
  }
}

/** Makes the directory of a private file, or repairs its mode. Throws, also when nothing can be written there. */
export function preparePrivateDirectory(directory: string): readonly string[] {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const warnings = repairDirectory(directory);
  accessSync(directory, constants.W_OK);
  return warnings;
}

/**
 * Replaces the whole file: whoever reads, or comes after a crash, finds the old text or the new one. Writers must hold
 * a lock; what one of them left behind when it was killed is removed by the next. Throws.
 */
export function replacePrivateFile(path: string, text: string): void {
  const temporary = `${path}.tmp`;
  rmSync(temporary, { force: true });
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
  const fd = openSync(temporary, flags, 0o600);
  try {
    writeFileSync(fd, text);
    fsyncSync(fd);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  } finally {
    closeSync(fd);
  }
  renameSync(temporary, path);
  syncDirectory(dirname(path));
}

/** Throws unless the file is gone for good. */
export function removePrivateFile(path: string): void {
  rmSync(path, { force: true });
  syncDirectory(dirname(path));
}

/** Keeps a damaged file under another name, never over an older one. Undefined when somebody replaced it meanwhile. */
export function setAside(path: string, inode: number, suffix: string): string | undefined {
  if (statSync(path, { throwIfNoEntry: false })?.ino !== inode) return undefined;
  for (let copy = 1; ; copy++) {
    const aside = `${path}.${suffix}${copy === 1 ? "" : `-${copy}`}`;
    try {
      linkSync(path, aside);
      unlinkSync(path);
      return aside;
    } catch (error) {
      if (errnoOf(error) !== "EEXIST") throw error;
    }
  }
}

const repairDirectory = (directory: string): readonly string[] =>
  repair(statSync(directory).mode, directory, 0o700, (mode) => chmodSync(directory, mode));

/** Takes away what group and others may do; what the owner may do stays. */
function repair(
  found: number,
  path: string,
  wanted: number,
  change: (mode: number) => void,
): readonly string[] {
  const mode = found & 0o777;
  if (process.platform === "win32" || (mode & ~0o700) === 0) return [];
  const was = `"${path}" was open to others (mode ${octal(mode)})`;
  try {
    change(wanted);
    return [`${was}: it is ${octal(wanted)} now`];
  } catch (error) {
    return [`${was}, and that cannot be changed: ${reasonOf(error)}`];
  }
}

const octal = (mode: number): string => mode.toString(8).padStart(4, "0");

/** So that the new name survives a power cut. Windows has no such call. */
function syncDirectory(directory: string): void {
  if (process.platform === "win32") return;
  const fd = openSync(directory, constants.O_RDONLY);
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}
