import { rmSync, stat, unlinkSync } from "node:fs";
import { join } from "node:path";
import type { Host } from "../../core/ports/host.ts";
import { SESSION_ID } from "../../core/session.ts";
import { takeLock } from "../host/lock.ts";
import { namesIn } from "./find-session.ts";
import { outputsOf } from "./spill-files.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** A start must not take long because much has piled up: the next ones go on. */
const MOST_LOOKS = 200;

/** Removes what a killed process left half-written and sessions nobody used for `keepDays`. What fails stays. */
export async function sweep(host: Host, dir: string, keepDays: number): Promise<void> {
  const names = namesIn(dir);
  const left = names.filter((name) => /\.tmp$|\.lock\../.test(name)).slice(0, MOST_LOOKS);
  for (const name of left) {
    if ((await ageMs(host, join(dir, name))) > HOUR_MS) removeQuietly(join(dir, name));
  }
  if (keepDays <= 0) return;
  // Ids begin with the time of creation: the oldest come first.
  const sessions = names.filter(isSession).sort().slice(0, MOST_LOOKS);
  for (const name of sessions) {
    if ((await ageMs(host, join(dir, name))) > keepDays * DAY_MS) await removeUnused(host, join(dir, name));
  }
}

const isSession = (name: string): boolean => name.endsWith(".jsonl") && SESSION_ID.test(name.slice(0, -6));

/** A session in use is locked, and stays. */
async function removeUnused(host: Host, path: string): Promise<void> {
  const { signal } = new AbortController();
  const lock = await takeLock(host, path.replace(/jsonl$/, "lock"), { waitMs: 0 }, signal);
  if (!lock.ok) return;
  removeQuietly(path);
  rmSync(outputsOf(path), { recursive: true, force: true });
  lock.value.release();
}

/** Of a regular file; nothing else is ever old. */
function ageMs(host: Host, path: string): Promise<number> {
  return new Promise((resolve) => {
    stat(path, (error, found) => resolve(error || !found.isFile() ? 0 : host.unixMs() - found.mtimeMs));
  });
}

function removeQuietly(path: string): void {
  try {
    unlinkSync(path);
  } catch {
    // gone already, or not ours to remove
  }
}
