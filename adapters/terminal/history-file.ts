import { closeSync, constants, fchmodSync, mkdirSync, openSync, writeSync } from "node:fs";
import { dirname } from "node:path";
import type { Host } from "../../core/ports/host.ts";
import { replaceFile } from "../host/atomic-file.ts";
import { withLock } from "../host/lock.ts";
import { readSmallFile } from "../host/read-small-file.ts";
import { MAX_ENTRIES } from "./history.ts";

/** The prompts of one user, of all the buddies that run: each line one, as a JSON text. */
export type HistoryFile = {
  readonly read: () => readonly string[];
  /** One write of a whole line, so that several processes do not mix theirs. */
  readonly add: (text: string) => void;
  /** Brings the file back to its size; for the end of a run. */
  readonly trim: (signal: AbortSignal) => Promise<void>;
};

const MOST_BYTES = 32 * 1024 * 1024;
/** A longer one is not worth keeping whole. */
const MOST_CHARS = 16_384;
const SLACK = 200;

export function historyFile(
  host: Host,
  path: string | undefined,
  redact: (text: string) => string,
): HistoryFile {
  const read = (): readonly string[] => {
    const text = path === undefined ? undefined : readSmallFile(path, MOST_BYTES);
    return text?.ok ? text.value.split("\n").flatMap(entryOf) : [];
  };
  return {
    read: () => read().slice(-MAX_ENTRIES),
    add: (text) => {
      if (path === undefined || text.trim() === "" || text.length > MOST_CHARS) return;
      append(path, `${JSON.stringify(redact(text))}\n`);
    },
    trim: async (signal) => {
      if (path === undefined || read().length <= MAX_ENTRIES + SLACK) return;
      await withLock(
        host,
        `${path}.lock`,
        { waitMs: 1000 },
        async () => {
          const kept = read().slice(-MAX_ENTRIES);
          replaceFile(path, kept.map((entry) => `${JSON.stringify(entry)}\n`).join(""));
        },
        signal,
      );
    },
  };
}

/** A history that cannot be written is no reason to stop. */
function append(path: string, line: string): void {
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_APPEND | constants.O_NOFOLLOW;
    const fd = openSync(path, flags, 0o600);
    try {
      fchmodSync(fd, 0o600);
      writeSync(fd, line);
    } finally {
      closeSync(fd);
    }
  } catch {
    // a full disk or a missing home: the prompt was sent all the same
  }
}

function entryOf(line: string): readonly string[] {
  if (line === "") return [];
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === "string" ? [value] : [];
  } catch {
    return []; // half a line of a process that was killed
  }
}
