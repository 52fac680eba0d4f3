import { readFileSync, rmSync } from "node:fs";
import { basename } from "node:path";
import type { Spill } from "../../core/ports/spill.ts";
import { ok, type Result } from "../../core/result.ts";

/** What a long output may cost on its way back to where it came from. */
export const MAX_SENT_BYTES = 16 * 1024 * 1024;

/** Keeps outputs where the model works, not where buddy runs: gathered here, and taken there once they are whole. */
export const spillElsewhere = (
  here: Spill,
  directory: string,
  send: (path: string, bytes: Uint8Array) => Promise<Result<unknown, string>>,
): Spill => ({
  create: (callId, name) => {
    const made = here.create(callId, name);
    if (!made.ok) return made;
    const file = made.value;
    const path = `${directory}/${basename(file.path)}`;
    return ok({
      path,
      write: file.write,
      close: async () => {
        const missing = await file.close();
        const sent = await send(path, readFileSync(file.path));
        rmSync(file.path, { force: true });
        return sent.ok ? missing : `but it is not there: ${sent.error}`;
      },
    });
  },
});
