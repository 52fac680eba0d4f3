import { closeSync, constants, existsSync, fsyncSync, openSync, renameSync, unlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Host } from "../../core/ports/host.ts";
import type { SessionLog, StoreFailure } from "../../core/ports/store.ts";
import { err, ok, type Result } from "../../core/result.ts";
import type { SessionHeader } from "../../core/session.ts";
import { reasonOf } from "../host/errno.ts";
import type { SessionFile } from "./find-session.ts";
import { lockSession } from "./lock-session.ts";
import { NEW_FILE, type Place, placesForNew, preparePlace, type SessionPlaces } from "./places.ts";
import { sessionLog, writeWhole } from "./session-log.ts";
import { sweep } from "./sweep.ts";

export type Begun = {
  readonly log: SessionLog;
  readonly warnings: readonly string[];
  readonly notice?: string;
};

/** Makes a session's file, open and locked, with these lines after its header, in the first place that can hold it. */
export async function beginSession(
  host: Host,
  places: SessionPlaces,
  header: SessionHeader,
  lines: readonly string[],
): Promise<Result<Begun, StoreFailure>> {
  const tried: string[] = [];
  for (const place of placesForNew(places)) {
    const made = await beginIn(host, place, header, lines, places.keepDays ?? 0);
    if (made.ok) {
      const why = `${tried.join("; ")}: this session is saved in "${place.dir}"`;
      return ok({ ...made.value, ...(tried.length > 0 ? { notice: why } : {}) });
    }
    if (made.error.kind !== "unwritable") return made;
    tried.push(made.error.detail);
  }
  return err({ kind: "unwritable", detail: tried.join("; ") || "there is no directory for sessions" });
}

async function beginIn(
  host: Host,
  place: Place,
  header: SessionHeader,
  lines: readonly string[],
  keepDays: number,
): Promise<Result<Begun, StoreFailure>> {
  const path = join(place.dir, `${header.id}.jsonl`);
  try {
    preparePlace(place);
  } catch (error) {
    return err(cannotWrite(path, error));
  }
  const lock = await lockSession(host, path, header.id);
  if (!lock.ok) return lock;
  const made = await makeFile(host, { id: header.id, path, format: "session" }, [
    JSON.stringify(header),
    ...lines,
  ]);
  if (!made.ok) {
    lock.value.release();
    return made;
  }
  const swept = sweep(host, place.dir, keepDays);
  const onClose = () => swept.then(lock.value.release);
  const log = sessionLog({ fd: made.value, id: header.id, path, mend: { type: "none" }, onClose });
  return ok({ log, warnings: lock.value.warnings });
}

const cannotWrite = (path: string, error: unknown): StoreFailure => ({
  kind: "unwritable",
  detail: `Cannot write "${dirname(path)}": ${reasonOf(error)}`,
});

/** A copy of many lines appears under its name only when it is whole. */
async function makeFile(
  host: Host,
  file: SessionFile,
  lines: readonly string[],
): Promise<Result<number, StoreFailure>> {
  const { path } = file;
  const written = lines.length > 1 ? `${path}.${process.pid}.tmp` : path;
  try {
    const room = existsSync(path) ? await setDamagedAside(host, file) : ok(undefined);
    if (!room.ok) return room;
    const fd = openSync(written, NEW_FILE | constants.O_APPEND, 0o600);
    const whole = writeWhole(fd, path, lines.map((line) => `${line}\n`).join(""));
    if (!whole.ok) {
      closeSync(fd);
      unlinkSync(written);
      return whole;
    }
    if (written !== path) {
      fsyncSync(fd);
      renameSync(written, path);
    }
    return ok(fd);
  } catch (error) {
    return err(cannotWrite(path, error));
  }
}

/** What cannot be read as a session makes room and is kept; a session does not. Throws. */
async function setDamagedAside(host: Host, file: SessionFile): Promise<Result<void, StoreFailure>> {
  const { path } = file;
  const { LOOK, openTree } = await import("./read-session-file.ts");
  const opened = openTree(file, LOOK);
  if (opened.ok) closeSync(opened.value.fd);
  if (opened.ok || opened.error.kind !== "corrupt") {
    return err({ kind: "exists", detail: `There is a session "${file.id}" already: "${path}"` });
  }
  const time = new Date(host.unixMs()).toISOString().replace(/[-:]|\.\d+/g, "");
  let aside = `${path}.corrupt-${time}`;
  for (let copy = 2; existsSync(aside); copy++) aside = `${path}.corrupt-${time}-${copy}`;
  renameSync(path, aside);
  return ok(undefined);
}
