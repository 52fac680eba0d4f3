import {
  closeSync,
  constants,
  existsSync,
  fdatasync,
  fstatSync,
  ftruncateSync,
  lstatSync,
  mkdirSync,
  openSync,
  unlinkSync,
  writeSync,
} from "node:fs";
import { dirname, join } from "node:path";
import type { SessionId } from "../../core/id.ts";
import type { SessionLog, Store, StoreFailure } from "../../core/ports/store.ts";
import { err, ok, type Result } from "../../core/result.ts";
import type { SessionHeader } from "../../core/session.ts";
import { errnoOf, reasonOf } from "../host/errno.ts";

export type SessionPlaces = {
  readonly cwd: string;
  /** Where sessions go when the project cannot hold them, or by configuration. Absent without a home. */
  readonly stateDir: string | undefined;
  readonly prefer: "project" | "user";
};

/** Sessions as append-only JSON Lines files, one each. */
export function sessionFiles(places: SessionPlaces): Store {
  return {
    create: async (header) => {
      const tried: string[] = [];
      for (const place of candidates(places)) {
        const made = createFile(place, header);
        if (made.ok) {
          const moved =
            tried.length > 0
              ? { notice: `${tried.join("; ")}: this session is saved in "${place.dir}"` }
              : {};
          return ok({ log: made.value, ...moved });
        }
        tried.push(made.error.detail);
      }
      return err({ kind: "unwritable", detail: tried.join("; ") || "there is no directory for sessions" });
    },
  };
}

type Place = { readonly dir: string; readonly ignoreFile?: string };

function candidates({ cwd, stateDir, prefer }: SessionPlaces): readonly Place[] {
  const root = existsSync(join(cwd, ".agentx")) && !existsSync(join(cwd, ".buddyx")) ? ".agentx" : ".buddyx";
  const project = { dir: join(cwd, root, "sessions"), ignoreFile: join(cwd, root, ".gitignore") };
  const user =
    stateDir === undefined ? [] : [{ dir: join(stateDir, "sessions", Bun.hash(cwd).toString(36)) }];
  return prefer === "user" ? user : [project, ...user];
}

function createFile(place: Place, header: SessionHeader): Result<SessionLog, StoreFailure> {
  const path = join(place.dir, `${header.id}.jsonl`);
  try {
    if (place.ignoreFile) preparePlace(place.dir, place.ignoreFile);
    mkdirSync(place.dir, { recursive: true, mode: 0o700 });
    const fd = openSync(path, NEW_FILE | constants.O_APPEND, 0o600);
    const written = writeWhole(fd, path, `${JSON.stringify(header)}\n`);
    if (written.ok) return ok(appendTo(fd, path, header.id));
    closeSync(fd);
    unlinkSync(path);
    return written;
  } catch (error) {
    return err({ kind: "unwritable", detail: `Cannot write "${dirname(path)}": ${reasonOf(error)}` });
  }
}

const NEW_FILE = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;

/** A project is somebody else's text: no link of its may lead what we write to another place. */
function preparePlace(dir: string, ignoreFile: string): void {
  for (const part of [dirname(dir), dir]) {
    if (lstatSync(part, { throwIfNoEntry: false })?.isSymbolicLink()) throw new Error(`"${part}" is a link`);
    mkdirSync(part, { recursive: true, mode: 0o700 });
  }
  try {
    const fd = openSync(ignoreFile, NEW_FILE, 0o600);
    writeSync(fd, "*\n");
    closeSync(fd);
  } catch (error) {
    if (errnoOf(error) !== "EEXIST") throw error;
  }
}

function appendTo(fd: number, path: string, id: SessionId): SessionLog {
  const flush = () =>
    new Promise<Result<void, StoreFailure>>((resolve) => {
      fdatasync(fd, (error) => resolve(error ? err(unwritable(path, error)) : ok(undefined)));
    });
  return {
    id,
    path,
    append: (lines) => writeWhole(fd, path, lines.map((line) => `${line}\n`).join("")),
    flush,
    close: async () => {
      await flush();
      closeSync(fd);
    },
  };
}

/** All of the text or none of it: a half-written line is cut off again. */
function writeWhole(fd: number, path: string, text: string): Result<void, StoreFailure> {
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

const unwritable = (path: string, error: unknown): StoreFailure => ({
  kind: "unwritable",
  detail: `Cannot write "${path}": ${reasonOf(error)}`,
});
