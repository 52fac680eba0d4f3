// Sessions as buddy would have written them, to resume and to list.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { entryId, sessionIdOf } from "../core/id.ts";
import { type Entry, type EntryBody, entryLine, type SessionHeader } from "../core/session.ts";

/** One session of so many short messages in a directory. Returns its id. */
export function makeLongSession(cwd: string, messages: number): string {
  writeSession(cwd, "long", messages);
  return "long";
}

/** So many sessions of one exchange each in a directory. */
export function makeManySessions(cwd: string, count: number): void {
  for (let number = 0; number < count; number++) writeSession(cwd, `made-${number}`, 2);
}

const STARTED_MS = Date.UTC(2026, 0, 1);
const AS_IT_IS = { anything: (text: string) => text, known: (text: string) => text };

function writeSession(cwd: string, name: string, messages: number): void {
  const dir = join(cwd, ".buddyx", "sessions");
  mkdirSync(dir, { recursive: true });
  const header: SessionHeader = {
    type: "session",
    v: 1,
    id: sessionIdOf(name),
    created_at: new Date(STARTED_MS).toISOString(),
    cwd,
    target: "local",
    buddy: "0.0.0",
  };
  const entries = Array.from({ length: messages }, (_, index) => entryLine(entryAt(index), AS_IT_IS));
  writeFileSync(join(dir, `${name}.jsonl`), `${[JSON.stringify(header), ...entries].join("\n")}\n`);
}

function entryAt(index: number): Entry {
  const parentId = index === 0 ? null : entryId(index - 1);
  return { id: entryId(index), parentId, ts: STARTED_MS + index, ...bodyAt(index) };
}

const bodyAt = (index: number): EntryBody =>
  index % 2 === 0
    ? { type: "message", role: "user", content: [{ type: "text", text: `Question ${index}` }] }
    : { type: "message", role: "assistant", content: `Answer ${index}`, tool_calls: [] };
