import { close, closeSync, fdatasync, fstatSync, fsync, ftruncateSync, open, writeSync } from "node:fs";
import { dirname } from "node:path";
import type { SessionId } from "../../core/id.ts";
import type { SessionLog, StoreFailure } from "../../core/ports/store.ts";
import { err, ok, type Result } from "../../core/result.ts";
import { reasonOf } from "../host/errno.ts";

export type LogParts = {
  readonly fd: number;
  readonly id: SessionId;
  readonly path: string;
  /** What has to happen to the end of the file before something is added. */
  readonly mend: Mend;
  /** After the last byte is on disk. */
  readonly onClose: () => Promise<void>;
};

export type Mend =
  | { readonly type: "none" }
  | { readonly type: "cut"; readonly at: number }
  | { readonly type: "end_line" };

/** An open file as a log. It is closed with it. */
export function sessionLog({ fd, id, path, mend, onClose }: LogParts): SessionLog {
  let toMend = mend;
  let named = false;

  const flush = async (): Promise<Result<void, StoreFailure>> => {
    const error = await settled((done) => fdatasync(fd, done));
    if (error) return err(unwritable(path, error));
    // Once: a new file whose name is lost in a power cut is lost as well.
    if (!named) await syncDirectory(dirname(path));
    named = true;
    return ok(undefined);
  };

  const append = (lines: readonly string[]): Result<void, StoreFailure> => {
    if (lines.length === 0) return ok(undefined);
    const text = lines.map((line) => `${line}\n`).join("");
    const cut = toMend.type === "cut" ? cutOff(fd, path, toMend.at) : ok(undefined);
    if (!cut.ok) return cut;
    if (toMend.type === "cut") toMend = { type: "none" };
    const written = writeWhole(fd, path, toMend.type === "end_line" ? `\n${text}` : text);
    if (written.ok) toMend = { type: "none" };
    return written;
  };

  return {
    id,
    path,
    append,
    flush,
    close: async () => {
      await flush();
      closeSync(fd);
      await onClose();
    },
  };
}

function cutOff(fd: number, path: string, at: number): Result<void, StoreFailure> {
  try {
    ftruncateSync(fd, at);
    return ok(undefined);
  } catch (error) {
    return err(unwritable(path, error));
  }
}

/** All of the text or none of it: a half-written line is cut off again. */
export function writeWhole(fd: number, path: string, text: string): Result<void, StoreFailure> {
  const bytes = Buffer.from(text);
  let before: number | undefined;
  try {
    let written = writeSync(fd, bytes);
    if (written === bytes.length) return ok(undefined);
    before = fstatSync(fd).size - written;
    while (written < bytes.length) written += writeSync(fd, bytes, written);
    return ok(undefined);
  } catch (error) {
    if (before !== undefined) ftruncateSync(fd, before);
    return err(unwritable(path, error));
  }
}

export const unwritable = (path: string, error: unknown): StoreFailure => ({
  kind: "unwritable",
  detail: `Cannot write "${path}": ${reasonOf(error)}`,
});

function settled(start: (done: (error: Error | null) => void) => void): Promise<Error | null> {
  return new Promise((resolve) => start(resolve));
}

/** Not every file system can; the file itself is safe already. */
function syncDirectory(dir: string): Promise<void> {
  return new Promise((resolve) => {
    open(dir, "r", (error, fd) => {
      if (error) return resolve();
      fsync(fd, () => close(fd, () => resolve()));
    });
  });
}
