import { constants, lstatSync } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { basename, dirname, resolve } from "node:path";
import type { FileEvent, FileFailure, FileStat, Target } from "../../core/ports/target.ts";
import { err, ok, type Result } from "../../core/result.ts";
import { openDirectory } from "./directory.ts";
import { fileFailure } from "./file-failure.ts";
import { type PathBase, resolveLocalPath } from "./resolve-path.ts";
import { writeLocalFile } from "./write-file.ts";

/** The files of this machine. */
export function localFiles(base: PathBase): Pick<Target, "resolvePath" | "stat" | "readFile" | "writeFile"> {
  const absolute = (path: string) => resolve(base.cwd, path);
  return {
    resolvePath: (path) => resolveLocalPath(base, path),
    stat: async (path) => statLocalFile(absolute(path)),
    readFile: (path, signal) => readLocalFile(absolute(path), signal),
    writeFile: (path, bytes, options, signal) => writeLocalFile(absolute(path), bytes, options, signal),
  };
}

const CHUNK_BYTES = 64 * 1024;

/** Reads a file in pieces. */
async function* readLocalFile(path: string, signal: AbortSignal): AsyncGenerator<FileEvent> {
  const opened = await openFile(path);
  if (!opened.ok) return yield opened.error;
  const file = opened.value;
  try {
    const stat = await file.stat();
    if (stat.isDirectory()) return yield { type: "failed", kind: "directory", detail: "it is a directory" };
    if (!stat.isFile()) return yield { type: "failed", kind: "not_regular", detail: "not a regular file" };
    yield { type: "opened", size: stat.size };
    while (true) {
      signal.throwIfAborted();
      const { bytesRead, buffer } = await file.read(new Uint8Array(CHUNK_BYTES));
      if (bytesRead === 0) break;
      yield { type: "chunk", bytes: buffer.subarray(0, bytesRead) };
    }
    yield { type: "ended" };
  } finally {
    await file.close();
  }
}

// Non-blocking, so that opening a pipe or a device cannot hang.
const READ = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW;

const openFile = (path: string): Promise<Result<FileHandle, FileFailure>> =>
  inDirectory(path, (child) => open(child, READ));

const statLocalFile = (path: string): Promise<Result<FileStat, FileFailure>> =>
  inDirectory(path, async (child) => {
    const stat = lstatSync(child);
    if (stat.isSymbolicLink()) throw Object.assign(new Error("it is a link"), { code: "ELOOP" });
    const type = stat.isFile() ? "file" : stat.isDirectory() ? "directory" : "other";
    return { type, size: stat.size, mode: stat.mode & 0o7777 };
  });

async function inDirectory<T>(
  path: string,
  work: (child: string) => Promise<T>,
): Promise<Result<T, FileFailure>> {
  try {
    const directory = openDirectory(dirname(path), "fail");
    try {
      return ok(await work(directory.child(basename(path) || ".")));
    } finally {
      directory.close();
    }
  } catch (error) {
    return err(fileFailure(error));
  }
}
