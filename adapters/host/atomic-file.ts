import {
  closeSync,
  constants,
  fsyncSync,
  mkdirSync,
  openSync,
  renameSync,
  unlinkSync,
  writeSync,
} from "node:fs";
import { dirname } from "node:path";
import { err, ok, type Result } from "../../core/result.ts";
import { reasonOf } from "./errno.ts";

/** Writes a private file so that a reader, and a crash at any moment, sees the old one or the new one whole. */
export function replaceFile(path: string, text: string): Result<void, string> {
  const temporary = `${path}.${process.pid}-${Math.random().toString(36).slice(2, 8)}.tmp`;
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
    const fd = openSync(temporary, flags, 0o600);
    try {
      const bytes = Buffer.from(text);
      for (let done = 0; done < bytes.length; ) done += writeSync(fd, bytes, done);
      fsyncSync(fd);
    } finally {
      closeSync(fd);
    }
    renameSync(temporary, path);
    syncDirectory(dirname(path));
    return ok(undefined);
  } catch (error) {
    removeQuietly(temporary);
    return err(reasonOf(error));
  }
}

function syncDirectory(path: string): void {
  if (process.platform === "win32") return; // directories cannot be opened there
  const fd = openSync(path, "r");
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

function removeQuietly(path: string): void {
  try {
    unlinkSync(path);
  } catch {
    // it was never made
  }
}
