import { closeSync } from "node:fs";
import type { EntryId } from "../../core/id.ts";
import type { Host } from "../../core/ports/host.ts";
import type { OpenedSession, StoreFailure } from "../../core/ports/store.ts";
import { err, type Result } from "../../core/result.ts";
import { pathOf, type SessionNode } from "../../core/session-tree.ts";
import { beginCopy, freshHeader } from "./begin-copy.ts";
import type { SessionFile } from "./find-session.ts";
import type { SessionPlaces } from "./places.ts";
import { LOOK, linesOf, openTree, snapshotLines } from "./read-session-file.ts";

/** Reads the other session without taking it: somebody may be using it. */
export async function forkSession(
  host: Host,
  places: SessionPlaces,
  file: SessionFile,
  entryId: EntryId | undefined,
): Promise<Result<OpenedSession, StoreFailure>> {
  const header = { ...freshHeader(host, places), forked_from: file.id };
  if (file.format === "snapshot") {
    const read = await snapshotLines(file);
    return read.ok ? beginCopy(host, places, header, read.value) : read;
  }
  const opened = openTree(file, LOOK);
  if (!opened.ok) return opened;
  const { fd, bytes, tree } = opened.value;
  closeSync(fd);
  const path = pathOf(tree, entryId ?? tree.tip);
  if (entryId !== undefined && path.length === 0) {
    return err({ kind: "not_found", detail: `Session "${file.id}" has no entry "${entryId}"` });
  }
  const { target, buddy } = { ...tree.header, ...places.made };
  const lines = copied(path, [...linesOf(bytes)]);
  return beginCopy(host, places, { ...header, target, buddy }, { lines, warnings: tree.warnings });
}

/** The lines as they are, except where one hung on something that is not copied. */
function copied(path: readonly SessionNode[], lines: readonly string[]): readonly string[] {
  return path.map(({ entry, line }, index) => {
    const raw = (lines[line - 1] ?? "").trim();
    const parentId = path[index - 1]?.entry.id ?? null;
    return entry.parentId === parentId ? raw : JSON.stringify({ ...JSON.parse(raw), parentId });
  });
}
