import { randomUUID } from "node:crypto";
import {
  closeSync,
  constants,
  fstatSync,
  openSync,
  readFileSync,
  renameSync,
  statSync,
  unlinkSync,
  writeSync,
} from "node:fs";
import * as v from "valibot";
import type { Host } from "../../core/ports/host.ts";
import { err, ok, type Result } from "../../core/result.ts";
import { errnoOf, reasonOf } from "./errno.ts";
import { ownStamp, stateOf } from "./process-stamp.ts";

export type Lock = { readonly release: () => void };

export type LockFailure = { readonly kind: "busy" | "unwritable"; readonly detail: string };

export type LockOptions = { readonly waitMs: number };

const POLL_MS = 20;
/** A lock file is written right after it is made; one that stays unreadable was left by a crash in between. */
const UNREADABLE_MS = 1000;

const holderSchema = v.object({
  pid: v.pipe(v.number(), v.integer(), v.minValue(1)),
  started: v.string(),
  place: v.string(),
  nonce: v.pipe(v.string(), v.uuid()),
});
type Holder = v.InferOutput<typeof holderSchema>;

/** Does `work` while no other process holds the lock file. Throws when aborted while waiting, or what `work` throws. */
export async function withLock<T>(
  host: Host,
  path: string,
  options: LockOptions,
  work: () => Promise<T>,
  signal: AbortSignal,
): Promise<Result<T, LockFailure>> {
  const lock = await takeLock(host, path, options, signal);
  if (!lock.ok) return lock;
  try {
    return ok(await work());
  } finally {
    lock.value.release();
  }
}

/** Advisory: it binds those who ask. A holder that died is replaced; one on another machine never is. */
export async function takeLock(
  host: Host,
  path: string,
  { waitMs }: LockOptions,
  signal: AbortSignal,
): Promise<Result<Lock, LockFailure>> {
  signal.throwIfAborted();
  const own = { ...ownStamp(), nonce: randomUUID() };
  const deadline = host.monotonicMs() + waitMs;
  while (true) {
    const claimed = tryClaim(host, path, own);
    if (!claimed.ok) return claimed;
    if (claimed.value.type === "claimed") return ok({ release: () => release(path, own) });
    if (host.monotonicMs() >= deadline) return err({ kind: "busy", detail: claimed.value.why });
    await host.wait(POLL_MS * (0.5 + host.random()), signal);
  }
}

type Claim = { readonly type: "claimed" } | { readonly type: "busy"; readonly why: string };

function tryClaim(host: Host, path: string, own: Holder): Result<Claim, LockFailure> {
  try {
    return ok(claim(host, path, own));
  } catch (error) {
    return err({ kind: "unwritable", detail: `Cannot write the lock file "${path}": ${reasonOf(error)}` });
  }
}

/**
 * The right to replace one dead holder is itself a lock, named after that holder: of many that find it dead, one
 * gets it, and moves it over the old file in one step. Dying in between leaves a dead holder of that right, which is
 * replaced in the same way.
 */
function claim(host: Host, path: string, own: Holder): Claim {
  if (create(path, own)) return { type: "claimed" };
  const found = look(host, path);
  if (found === undefined) return claim(host, path, own); // released this moment
  if (!found.ended) return { type: "busy", why: found.who };
  const right = `${path}.${found.mark}`;
  const claimed = claim(host, right, own);
  if (claimed.type === "busy") return claimed;
  if (look(host, path)?.mark !== found.mark) {
    unlinkSync(right);
    return { type: "busy", why: `"${path}" was taken by another process` };
  }
  renameSync(right, path);
  return { type: "claimed" };
}

/** False when the file exists. */
function create(path: string, own: Holder): boolean {
  let fd: number;
  try {
    fd = openSync(
      path,
      constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW,
      0o600,
    );
  } catch (error) {
    if (errnoOf(error) === "EEXIST") return false;
    throw error;
  }
  try {
    writeSync(fd, JSON.stringify(own));
    // Stopped for so long before writing that another process took the empty file for a dead one's?
    return fstatSync(fd).ino === statSync(path, { throwIfNoEntry: false })?.ino;
  } catch (error) {
    unlinkSync(path);
    throw error;
  } finally {
    closeSync(fd);
  }
}

type Found = { readonly mark: string; readonly ended: boolean; readonly who: string };

/** Undefined when the file is gone. */
function look(host: Host, path: string): Found | undefined {
  try {
    const holder = v.safeParse(holderSchema, parse(readFileSync(path, "utf8")));
    if (holder.success) return foundHolder(path, holder.output);
    const { ino, mtimeMs } = statSync(path);
    return {
      mark: `${ino}-${Math.floor(mtimeMs)}`,
      ended: host.unixMs() - mtimeMs > UNREADABLE_MS,
      who: `"${path}" is held by an unknown process; remove the file if none is running`,
    };
  } catch (error) {
    if (errnoOf(error) === "ENOENT") return undefined;
    throw error;
  }
}

function foundHolder(path: string, holder: Holder): Found {
  const state = stateOf(holder);
  const elsewhere = state === "unknown" ? " of another machine or container" : "";
  return {
    mark: holder.nonce,
    ended: state === "ended",
    who: `"${path}" is held by process ${holder.pid}${elsewhere}; remove the file if that has ended`,
  };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // half-written; the schema refuses it
  }
}

function release(path: string, own: Holder): void {
  try {
    const holder = v.safeParse(holderSchema, parse(readFileSync(path, "utf8")));
    if (holder.success && holder.output.nonce === own.nonce) unlinkSync(path);
  } catch {
    // It cannot be removed now; once this process has ended it counts for nothing.
  }
}
