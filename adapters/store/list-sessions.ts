import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import type { SessionList } from "../../core/ports/store.ts";
import {
  type FileEnds,
  type SessionSummary,
  showsLastEntry,
  summarise,
  summariseSnapshot,
} from "../../core/session-summary.ts";
import { reasonOf } from "../host/errno.ts";
import { type SessionFile, sessionFilesIn } from "./find-session.ts";
import { LOOK } from "./read-session-file.ts";

const END_BYTES = 4096;
/** When the last entry is longer than the tail. */
const LONG_END_BYTES = 64 * 1024;

/** Every session of the directories, last used first, from the two ends of each file. */
export function listSessions(directories: readonly string[]): SessionList {
  const { files, strange } = sessionFilesIn(directories);
  const room = Buffer.allocUnsafe(LONG_END_BYTES);
  const sessions = files.map((file) => summaryOf(file, room));
  return {
    sessions: sessions.sort((a, b) => b.lastUsedMs - a.lastUsedMs || (a.id < b.id ? 1 : -1)),
    warnings: strange.map((path) => `${JSON.stringify(path)} is not named like a session`),
  };
}

function summaryOf(file: SessionFile, room: Buffer): SessionSummary {
  const nothing = { title: "", model: "", turns: { type: "exact", count: 0 } } as const;
  let fd: number | undefined;
  try {
    fd = openSync(file.path, LOOK);
    const stat = fstatSync(fd);
    if (!stat.isFile()) return { ...file, ...nothing, lastUsedMs: 0, damage: "it is not a file" };
    const ends = endsOf(fd, stat.size, room);
    const facts = file.format === "session" ? summarise(ends, file.id) : summariseSnapshot(ends, file.id);
    return { ...file, ...facts, lastUsedMs: facts.lastEntryMs ?? Math.floor(stat.mtimeMs) };
  } catch (error) {
    return { ...file, ...nothing, lastUsedMs: 0, damage: reasonOf(error) };
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}

function endsOf(fd: number, size: number, room: Buffer): FileEnds {
  if (size <= 2 * END_BYTES) return { head: textAt(fd, 0, size, room) };
  const head = textAt(fd, 0, END_BYTES, room);
  const tail = textAt(fd, size - END_BYTES, END_BYTES, room);
  if (showsLastEntry(tail)) return { head, tail };
  const long = Math.min(size, LONG_END_BYTES);
  return { head, tail: textAt(fd, size - long, long, room) };
}

const textAt = (fd: number, from: number, bytes: number, room: Buffer): string =>
  room.toString("utf8", 0, readSync(fd, room, 0, bytes, from));
