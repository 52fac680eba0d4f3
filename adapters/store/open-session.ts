import type { Host } from "../../core/ports/host.ts";
import type { OpenedSession, StoreFailure } from "../../core/ports/store.ts";
import { ok, type Result } from "../../core/result.ts";
import { beginCopy, freshHeader } from "./begin-copy.ts";
import type { SessionFile } from "./find-session.ts";
import { lockSession } from "./lock-session.ts";
import type { SessionPlaces } from "./places.ts";
import { GO_ON, mendFor, openTree, snapshotLines } from "./read-session-file.ts";
import { sessionLog } from "./session-log.ts";

/** To go on with it. Nothing of the file changes before something is added. */
export function openSession(
  host: Host,
  places: SessionPlaces,
  file: SessionFile,
): Promise<Result<OpenedSession, StoreFailure>> {
  return file.format === "session" ? goOn(host, file) : importSnapshot(host, places, file);
}

async function goOn(host: Host, file: SessionFile): Promise<Result<OpenedSession, StoreFailure>> {
  const { id, path } = file;
  const lock = await lockSession(host, path, id);
  if (!lock.ok) return lock;
  const { release, warnings } = lock.value;
  const opened = openTree(file, GO_ON);
  if (!opened.ok) {
    release();
    return opened;
  }
  const { fd, bytes, tree } = opened.value;
  const log = sessionLog({ fd, id, path, mend: mendFor(tree, bytes), onClose: async () => release() });
  return ok({ log, tree, warnings: [...warnings, ...tree.warnings] });
}

/** The new file has the id of the old one, and is found before it from now on. */
async function importSnapshot(
  host: Host,
  places: SessionPlaces,
  file: SessionFile,
): Promise<Result<OpenedSession, StoreFailure>> {
  const read = await snapshotLines(file);
  if (!read.ok) return read;
  const header = { ...freshHeader(host, places), id: file.id, imported_from: file.path };
  const begun = await beginCopy(host, places, header, read.value);
  if (!begun.ok) return begun;
  const { log, notice } = begun.value;
  const where = `"${file.path}" was imported into "${log.path}"`;
  return ok({ ...begun.value, notice: notice === undefined ? where : `${where}; ${notice}` });
}
