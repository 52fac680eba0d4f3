import { lstatSync, readdirSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { type SessionId, sessionIdOf } from "../../core/id.ts";
import type { StoreFailure } from "../../core/ports/store.ts";
import { err, ok, type Result } from "../../core/result.ts";
import { SESSION_ID } from "../../core/session.ts";
import { directoriesToSearch, type SessionPlaces } from "./places.ts";

/** A file by its name; nothing is known of what it holds. */
export type SessionFile = {
  readonly id: SessionId;
  readonly path: string;
  readonly format: "session" | "snapshot";
};

const MAX_SHOWN = 8;

/** By id, by a prefix that only one id has, or by path. */
export function findSession(places: SessionPlaces, ref: string): Result<SessionFile, StoreFailure> {
  if (/[/\\]|\.jsonl?$/.test(ref)) return fileAt(resolve(places.cwd, ref));
  if (!SESSION_ID.test(ref))
    return err({ kind: "not_found", detail: `${JSON.stringify(ref)} is no session id` });
  const { files } = sessionFilesIn(directoriesToSearch(places));
  const exact = files.find(({ id }) => id === ref);
  if (exact) return ok(exact);
  const [first, ...others] = files.filter(({ id }) => id.startsWith(ref));
  if (first === undefined) return err({ kind: "not_found", detail: `There is no session "${ref}"` });
  if (others.length === 0) return ok(first);
  const ids = [first, ...others].map(({ id }) => id).sort();
  const more = ids.length > MAX_SHOWN ? `, and ${ids.length - MAX_SHOWN} more` : "";
  const shown = ids.slice(0, MAX_SHOWN).join(", ");
  return err({ kind: "ambiguous", detail: `"${ref}" begins several sessions: ${shown}${more}` });
}

function fileAt(path: string): Result<SessionFile, StoreFailure> {
  const file = sessionFile(path);
  if (file === undefined) {
    return err({ kind: "not_found", detail: `${JSON.stringify(path)} is not named like a session` });
  }
  return isThere(path) ? ok(file) : err({ kind: "not_found", detail: `There is no session "${path}"` });
}

/** Also when it is only a link to nowhere. */
function isThere(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return false; // no path that could be there: too long, or through something closed to us
  }
}

function sessionFile(path: string): SessionFile | undefined {
  const [, stem = "", ending] = /^(.*)\.(jsonl?)$/s.exec(basename(path)) ?? [];
  if (!SESSION_ID.test(stem)) return undefined;
  return { id: sessionIdOf(stem), path, format: ending === "json" ? "snapshot" : "session" };
}

export type FoundFiles = { readonly files: readonly SessionFile[]; readonly strange: readonly string[] };

/** One file for each id: a session before the snapshot it was imported from, an earlier directory before a later. */
export function sessionFilesIn(directories: readonly string[]): FoundFiles {
  const files = new Map<string, SessionFile>();
  const strange: string[] = [];
  for (const dir of directories) {
    for (const name of namesIn(dir)) {
      if (!/\.jsonl?$/.test(name)) continue;
      const file = sessionFile(join(dir, name));
      if (file === undefined) strange.push(join(dir, name));
      else if ((files.get(file.id)?.format ?? "snapshot") === "snapshot") files.set(file.id, file);
    }
  }
  return { files: [...files.values()], strange };
}

export function namesIn(dir: string): readonly string[] {
  try {
    return readdirSync(dir);
  } catch {
    return []; // not there, or not readable: no sessions either way
  }
}
