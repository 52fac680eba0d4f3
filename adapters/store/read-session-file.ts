import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";
import type { ReadSession, StoreFailure } from "../../core/ports/store.ts";
import { err, ok, type Result } from "../../core/result.ts";
import { entryLine } from "../../core/session.ts";
import { readSnapshot, snapshotEntries } from "../../core/session-snapshot.ts";
import { readSession, type SessionTree } from "../../core/session-tree.ts";
import { errnoOf, reasonOf } from "../host/errno.ts";
import type { SessionFile } from "./find-session.ts";
import type { Mend } from "./session-log.ts";

const MAX_BYTES = 512 * 1024 * 1024;

/** Links, pipes and devices in the place of a session are refused, not followed or waited for. */
export const LOOK = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW;
export const GO_ON = constants.O_RDWR | constants.O_APPEND | constants.O_NONBLOCK | constants.O_NOFOLLOW;

export type OpenFile = { readonly fd: number; readonly bytes: Buffer };

/** The whole file, which stays open. */
export function openWhole(path: string, flags: number): Result<OpenFile, StoreFailure> {
  let fd: number | undefined;
  try {
    fd = openSync(path, flags);
    const stat = fstatSync(fd);
    if (!stat.isFile()) return refuse(fd, { kind: "corrupt", detail: `"${path}" is not a file` });
    if (stat.size > MAX_BYTES) {
      return refuse(fd, { kind: "too_large", detail: `"${path}" is larger than ${MAX_BYTES >> 20} MiB` });
    }
    return ok({ fd, bytes: readAll(fd, stat.size) });
  } catch (error) {
    return refuse(fd, failureOf(path, error));
  }
}

function refuse(fd: number | undefined, why: StoreFailure): Result<never, StoreFailure> {
  if (fd !== undefined) closeSync(fd);
  return err(why);
}

function failureOf(path: string, error: unknown): StoreFailure {
  const code = errnoOf(error);
  if (code === "ELOOP") return { kind: "corrupt", detail: `"${path}" is a link, not a session` };
  if (code === "EISDIR") return { kind: "corrupt", detail: `"${path}" is a directory, not a session` };
  const kind = code === "ENOENT" ? "not_found" : "unwritable";
  return { kind, detail: `Cannot open "${path}": ${reasonOf(error)}` };
}

function readAll(fd: number, size: number): Buffer {
  const bytes = Buffer.allocUnsafe(size);
  let done = 0;
  while (done < size) {
    const count = readSync(fd, bytes, done, size - done, done);
    if (count === 0) break;
    done += count;
  }
  return bytes.subarray(0, done);
}

/** What an open file says, by the name it has. */
function treeOf(file: SessionFile, bytes: Buffer): Result<SessionTree, StoreFailure> {
  const tree = readSession(linesOf(bytes));
  if (!tree.ok) return err(unreadable(file, tree.error));
  const { id } = tree.value.header;
  if (id === file.id) return tree;
  if (id === "") return ok({ ...tree.value, header: { ...tree.value.header, id: file.id } });
  const detail = `it holds the session "${id}"; what is written would go to the wrong name`;
  return err(unreadable(file, { kind: "corrupt", detail }));
}

/** What the end of the file needs before something is added. */
export function mendFor(tree: SessionTree, bytes: Buffer): Mend {
  if (tree.end === "torn") return { type: "cut", at: bytes.lastIndexOf(LINE_END) + 1 };
  return tree.end === "unended" ? { type: "end_line" } : { type: "none" };
}

const LINE_END = 10;

export type OpenTree = OpenFile & { readonly tree: SessionTree };

/** A file with what it says; it stays open only if that can be used. */
export function openTree(file: SessionFile, flags: number): Result<OpenTree, StoreFailure> {
  const opened = openWhole(file.path, flags);
  if (!opened.ok) return opened;
  const tree = treeOf(file, opened.value.bytes);
  if (tree.ok) return ok({ ...opened.value, tree: tree.value });
  closeSync(opened.value.fd);
  return tree;
}

/** Line by line, so that the text of a large file never exists twice. */
export function* linesOf(bytes: Buffer): Generator<string> {
  let start = 0;
  for (let end = bytes.indexOf(LINE_END); end !== -1; end = bytes.indexOf(LINE_END, start)) {
    yield bytes.toString("utf8", start, end);
    start = end + 1;
  }
  yield bytes.toString("utf8", start);
}

const unreadable = (
  { id, path }: SessionFile,
  { kind, detail }: Pick<StoreFailure, "kind" | "detail">,
): StoreFailure => ({ kind, detail: `Cannot use session "${id}" ("${path}"): ${detail}` });

/** A file for looking at it only. */
export async function readFile(file: SessionFile): Promise<Result<ReadSession, StoreFailure>> {
  if (file.format === "session") {
    const opened = openTree(file, LOOK);
    if (!opened.ok) return opened;
    closeSync(opened.value.fd);
    return ok(sessionOf(file, opened.value.tree, []));
  }
  const lines = await snapshotLines(file);
  if (!lines.ok) return lines;
  const header = JSON.stringify({ type: "session", v: 1, id: file.id });
  const tree = readSession([header, ...lines.value.lines, ""]);
  return tree.ok ? ok(sessionOf(file, tree.value, lines.value.warnings)) : err(unreadable(file, tree.error));
}

const sessionOf = (
  { id, path }: SessionFile,
  tree: SessionTree,
  warnings: readonly string[],
): ReadSession => ({ id, path, tree, warnings: [...warnings, ...tree.warnings] });

export type SnapshotLines = { readonly lines: readonly string[]; readonly warnings: readonly string[] };

/** The entries of a snapshot of old as the lines of a new file, masked as every line of a session is. */
export async function snapshotLines(file: SessionFile): Promise<Result<SnapshotLines, StoreFailure>> {
  const opened = openWhole(file.path, LOOK);
  if (!opened.ok) return opened;
  closeSync(opened.value.fd);
  const read = readSnapshot(opened.value.bytes.toString("utf8"));
  if (!read.ok) return err(unreadable(file, read.error));
  const snapshot = read.value;
  if (snapshot.id !== undefined && snapshot.id !== file.id) {
    const detail = `it holds the session ${JSON.stringify(snapshot.id)}`;
    return err(unreadable(file, { kind: "corrupt", detail }));
  }
  const { redactor } = await import("../../core/redact.ts");
  const redact = { anything: redactor([]), known: (text: string) => text };
  const lines = snapshotEntries(snapshot).map((entry) => entryLine(entry, redact));
  return ok({ lines, warnings: snapshot.warnings });
}
