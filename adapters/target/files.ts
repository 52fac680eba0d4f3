import { constants } from "node:fs";
import { open } from "node:fs/promises";
import { resolve } from "node:path";
import type { FileEvent, FileFailure } from "../../core/ports/target.ts";
import { errnoOf, reasonOf } from "../host/errno.ts";

const CHUNK_BYTES = 64 * 1024;

/** Reads a file of this machine in pieces. */
export async function* readLocalFile(
  cwd: string,
  home: string | undefined,
  path: string,
  signal: AbortSignal,
): AsyncGenerator<FileEvent> {
  // Non-blocking, so that opening a pipe or a device cannot hang.
  const opened = await open(resolvePath(cwd, home, path), constants.O_RDONLY | constants.O_NONBLOCK).catch(
    fileFailure,
  );
  if ("type" in opened) return yield opened;
  try {
    const stat = await opened.stat();
    if (stat.isDirectory()) return yield { type: "failed", kind: "directory", detail: "it is a directory" };
    if (!stat.isFile()) return yield { type: "failed", kind: "not_regular", detail: "not a regular file" };
    yield { type: "opened", size: stat.size };
    while (true) {
      signal.throwIfAborted();
      const { bytesRead, buffer } = await opened.read(new Uint8Array(CHUNK_BYTES));
      if (bytesRead === 0) break;
      yield { type: "chunk", bytes: buffer.subarray(0, bytesRead) };
    }
    yield { type: "ended" };
  } finally {
    await opened.close();
  }
}

function resolvePath(cwd: string, home: string | undefined, path: string): string {
  if (home !== undefined && (path === "~" || path.startsWith("~/"))) return resolve(home, path.slice(2));
  return resolve(cwd, path);
}

function fileFailure(error: unknown): FileFailure {
  const kinds: Readonly<Record<string, FileFailure["kind"]>> = {
    ENOENT: "not_found",
    ENOTDIR: "not_found",
    EISDIR: "directory",
    EACCES: "denied",
    EPERM: "denied",
    ENXIO: "not_regular",
  };
  return { type: "failed", kind: kinds[errnoOf(error)] ?? "other", detail: reasonOf(error) };
}
