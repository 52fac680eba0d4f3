import { closeSync, mkdirSync, mkdtempSync, openSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";
import type { Sink } from "../../core/event.ts";
import type { Spill, SpillFile } from "../../core/ports/spill.ts";
import { err, ok } from "../../core/result.ts";
import { reasonOf } from "../host/errno.ts";
import { temporaryDirectory } from "../host/temporary.ts";
import { type ByteMask, byteMask } from "./mask-bytes.ts";
import { NEW_FILE } from "./places.ts";

const MAX_BYTES = 256 * 1024 * 1024;

/** Output that was cut, kept whole beside the session's file, or in a temporary directory until the end of the run. */
export type SpillFiles = {
  readonly spill: Spill;
  /** Learns from events which session is open. */
  readonly sink: Sink;
  /** Removes what belongs to no session. */
  readonly close: () => void;
};

/** `secrets` are never written. */
export function spillFiles(secrets: readonly string[], maxBytes = MAX_BYTES): SpillFiles {
  let session: string | undefined;
  let temporary: string | undefined;
  let count = 0;

  const directory = (): string => {
    if (session !== undefined) {
      const dir = outputsOf(session);
      mkdirSync(dir, { recursive: true, mode: 0o700 });
      return dir;
    }
    temporary ??= mkdtempSync(join(temporaryDirectory(), "buddy-output-"));
    return temporary;
  };

  return {
    spill: {
      create: (callId, name) => {
        try {
          count += 1;
          const safeId = callId.replace(/[^\w-]/g, "_").slice(0, 60);
          const file = `${Date.now().toString(36)}-${count}-${safeId}.${name}`;
          return ok(spillFile(join(directory(), file), byteMask(secrets), maxBytes));
        } catch (error) {
          return err(reasonOf(error));
        }
      },
    },
    sink: ({ event }) => {
      if (event.family === "session" && "path" in event) session = event.path;
    },
    close: () => {
      if (temporary !== undefined) rmSync(temporary, { recursive: true, force: true });
      temporary = undefined;
    },
  };
}

/** The directory beside a session's file that holds its long outputs. */
export const outputsOf = (sessionPath: string): string => `${sessionPath.replace(/\.jsonl$/, "")}.out`;

/** Throws when it cannot be made. */
function spillFile(path: string, mask: ByteMask, maxBytes: number): SpillFile {
  const fd = openSync(path, NEW_FILE, 0o600);
  let size = 0;
  let missing: string | undefined;
  const write = (bytes: Uint8Array) => {
    if (missing !== undefined) return;
    const part = bytes.subarray(0, maxBytes - size);
    try {
      for (let done = 0; done < part.length; ) done += writeSync(fd, part, done);
      size += part.length;
      if (part.length < bytes.length) missing = `it holds the first ${maxBytes} bytes`;
    } catch (error) {
      missing = `it is not complete: ${reasonOf(error)}`;
    }
  };
  return {
    path,
    write: (bytes) => write(mask.add(bytes)),
    close: async () => {
      write(mask.rest());
      closeSync(fd);
      return missing;
    },
  };
}
