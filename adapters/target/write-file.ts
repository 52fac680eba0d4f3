import { constants, lstatSync, renameSync, type Stats, statSync, unlinkSync } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { basename, dirname } from "node:path";
import type { FileFailure, WriteOptions } from "../../core/ports/target.ts";
import { err, ok, type Result } from "../../core/result.ts";
import { type Directory, openDirectory } from "./directory.ts";
import { fileFailure } from "./file-failure.ts";

type Written = Result<{ readonly created: boolean }, FileFailure>;

/** Replaces a file of this machine as a whole. The path is a resolved one. */
export async function writeLocalFile(
  path: string,
  bytes: Uint8Array,
  options: WriteOptions,
  signal: AbortSignal,
): Promise<Written> {
  signal.throwIfAborted();
  let directory: Directory | undefined;
  try {
    directory = openDirectory(dirname(path), "make");
    const name = basename(path);
    const before = lstatSync(directory.child(name), { throwIfNoEntry: false });
    const problem = whyNot(before, statSync(directory.child(".")));
    if (problem) return err(problem);
    await replace(directory, name, bytes, before ?? options, signal);
    return ok({ created: before === undefined });
  } catch (error) {
    if (signal.aborted) throw error;
    return err(fileFailure(error));
  } finally {
    directory?.close();
  }
}

/** Whoever marked something read-only meant it, also for a user who could write it all the same. */
function whyNot(before: Stats | undefined, directory: Stats): FileFailure | undefined {
  const failed = (kind: FileFailure["kind"], detail: string): FileFailure => ({
    type: "failed",
    kind,
    detail,
  });
  if (before?.isSymbolicLink()) return failed("link", "it is a link");
  if (before?.isDirectory()) return failed("directory", "it is a directory");
  if (before && !before.isFile()) return failed("not_regular", "not a regular file");
  if (process.platform === "win32") return undefined;
  if (before && (before.mode & 0o222) === 0) return failed("denied", "the file is read-only");
  if ((directory.mode & 0o222) === 0) return failed("denied", "the directory is read-only");
  return undefined;
}

const NEW_FILE = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;

async function replace(
  directory: Directory,
  name: string,
  bytes: Uint8Array,
  as: Stats | WriteOptions,
  signal: AbortSignal,
): Promise<void> {
  const temporary = directory.child(`.buddy-${crypto.randomUUID()}.tmp`);
  try {
    // One that is replaced is private until it has the owner and the mode of the old one.
    const file = await open(temporary, NEW_FILE, "uid" in as ? 0o600 : (as.mode ?? 0o666));
    try {
      await file.writeFile(bytes);
      if ("uid" in as) await takeAfter(file, as);
      await file.sync();
    } finally {
      await file.close();
    }
    signal.throwIfAborted();
    renameSync(temporary, directory.child(name));
  } catch (error) {
    removeQuietly(temporary);
    throw error;
  }
  await syncDirectory(directory);
}

async function takeAfter(file: FileHandle, { uid, gid, mode }: Stats): Promise<void> {
  const own = await file.stat();
  if (own.uid !== uid || own.gid !== gid) {
    await file.chown(uid, gid).catch(() => {}); // only root can give a file away
  }
  await file.chmod(mode & 0o7777);
}

async function syncDirectory(directory: Directory): Promise<void> {
  if (process.platform === "win32") return; // directories cannot be opened there
  // One that cannot be read cannot be synced; the file itself is on disk.
  const handle = await open(directory.child("."), constants.O_RDONLY).catch(() => undefined);
  await handle?.sync();
  await handle?.close();
}

function removeQuietly(path: string): void {
  try {
    unlinkSync(path);
  } catch {
    // it was never made
  }
}
