import { existsSync } from "node:fs";
import type { SessionId } from "../../core/id.ts";
import type { Host } from "../../core/ports/host.ts";
import type { StoreFailure } from "../../core/ports/store.ts";
import { err, ok, type Result } from "../../core/result.ts";
import { takeLock } from "../host/lock.ts";

export type SessionLock = {
  readonly release: () => void;
  /** Worth telling: whose it was did not end as it should. */
  readonly warnings: readonly string[];
};

/** One process at a time goes on with a session. */
export async function lockSession(
  host: Host,
  path: string,
  id: SessionId,
): Promise<Result<SessionLock, StoreFailure>> {
  const file = path.replace(/jsonl?$/, "lock");
  const warnings = existsSync(file) ? ["The process that used this session last did not close it"] : [];
  const lock = await takeLock(host, file, { waitMs: 0 }, new AbortController().signal);
  if (lock.ok) return ok({ release: lock.value.release, warnings });
  if (lock.error.kind === "unwritable") return err({ kind: "unwritable", detail: lock.error.detail });
  const detail = `Session "${id}" is in use: ${lock.error.detail}; --fork goes on with a copy`;
  return err({ kind: "locked", detail });
}
