import { rmSync, unlinkSync } from "node:fs";
import type { Host } from "../../core/ports/host.ts";
import type { StoreFailure } from "../../core/ports/store.ts";
import { err, ok, type Result } from "../../core/result.ts";
import type { SessionFile } from "./find-session.ts";
import { lockSession } from "./lock-session.ts";
import { unwritable } from "./session-log.ts";
import { outputsOf } from "./spill-files.ts";

/** Not while somebody uses it. */
export async function removeSession(
  host: Host,
  { id, path }: SessionFile,
): Promise<Result<{ readonly path: string }, StoreFailure>> {
  const lock = await lockSession(host, path, id);
  if (!lock.ok) return lock;
  try {
    unlinkSync(path);
    rmSync(outputsOf(path), { recursive: true, force: true });
    return ok({ path });
  } catch (error) {
    return err(unwritable(path, error));
  } finally {
    lock.value.release();
  }
}
