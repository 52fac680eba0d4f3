import type { Host } from "../../core/ports/host.ts";
import type { Store, StoreFailure } from "../../core/ports/store.ts";
import { err, ok, type Result } from "../../core/result.ts";
import { systemHost } from "../host/host.ts";
import { beginSession } from "./begin-session.ts";
import type { SessionFile } from "./find-session.ts";
import { directoriesToSearch, type SessionPlaces } from "./places.ts";

export type { SessionPlaces } from "./places.ts";

/** Sessions as append-only JSON Lines files, one each. Reading them is loaded only when one is read. */
export function sessionFiles(places: SessionPlaces, host: Host = systemHost): Store {
  const withFile = async <T>(
    ref: string,
    work: (file: SessionFile) => Promise<Result<T, StoreFailure>>,
  ): Promise<Result<T, StoreFailure>> => {
    const { findSession } = await import("./find-session.ts");
    const file = findSession(places, ref);
    return file.ok ? work(file.value) : file;
  };
  const list = async () => {
    const { listSessions } = await import("./list-sessions.ts");
    return listSessions(directoriesToSearch(places));
  };
  return {
    create: (header) => beginSession(host, places, header, []),
    open: (ref) =>
      withFile(ref, async (file) => {
        const { openSession } = await import("./open-session.ts");
        return openSession(host, places, file);
      }),
    fork: (ref, entryId) =>
      withFile(ref, async (file) => {
        const { forkSession } = await import("./fork-session.ts");
        return forkSession(host, places, file, entryId);
      }),
    read: (ref) =>
      withFile(ref, async (file) => {
        const { readFile } = await import("./read-session-file.ts");
        return readFile(file);
      }),
    list,
    latest: async () => {
      const latest = (await list()).sessions.find(({ damage }) => damage === undefined);
      if (latest) return ok(latest);
      return err({ kind: "not_found", detail: `There is no session of "${places.cwd}" yet` });
    },
    remove: (ref) =>
      withFile(ref, async (file) => {
        const { removeSession } = await import("./remove-session.ts");
        return removeSession(host, file);
      }),
  };
}
