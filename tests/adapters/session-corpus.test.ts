import { describe, expect, test } from "bun:test";
import { lstatSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import * as v from "valibot";
import { ownStamp } from "../../adapters/host/process-stamp.ts";
import { sessionFiles } from "../../adapters/store/session-files.ts";
import type { OpenedSession, StoreFailure } from "../../core/ports/store.ts";
import type { Result } from "../../core/result.ts";
import { messagesOn } from "../../core/session-tree.ts";
import { chain, fileOf, HEADER, user } from "../core/session-lines.ts";
import { corpusRows } from "./corpus.ts";
import { inDirectory } from "./in-directory.ts";

const rows = corpusRows(
  "session-files",
  v.object({
    id: v.string(),
    name: v.string(),
    format: v.picklist(["json", "jsonl"]),
    file: v.string(),
    input: v.object({
      b64: v.nullable(v.string()),
      setup: v.array(
        v.object({
          mkdir: v.optional(v.string()),
          mkfifo: v.optional(v.string()),
          symlink: v.optional(v.string()),
          lock: v.optional(v.string()),
          pid: v.optional(v.string()),
        }),
      ),
    }),
    expected: v.object({ resume: v.string() }),
  }),
);
type Row = (typeof rows)[number];

const SESSIONS = ".buddyx/sessions";

/** Rows that are snapshots stand as they are; the others are damage of a line format, done to ours. */
describe("session-files corpus", () => {
  test.each(rows.map((row) => [`${row.id} ${row.name}`, row] as const))("%s", (_name, row) =>
    inDirectory({ [`${SESSIONS}/other.jsonl`]: otherSession }, async (cwd) => {
      const path = prepare(cwd, row);
      const before = bytesAt(path);
      const store = sessionFiles({ cwd, stateDir: undefined, prefer: "project" });
      const ref = row.file.replace(/\.jsonl?$/, "");
      const opened = await store.open(ref);
      if (opened.ok) {
        opened.value.log.append([JSON.stringify(chain([user("next")])[0])]);
        await opened.value.log.close();
      }
      check(row, opened);
      // Never reset, never rewritten: what was there is there, at most with lines behind it.
      const after = bytesAt(path);
      if (row.format === "json") expect(after).toEqual(before);
      const { sessions } = await store.list();
      expect(sessions.map(({ id }) => String(id))).toContain("other");
    }),
  );
});

const otherSession = fileOf(chain([user("of the other")]), { ...HEADER, id: "other" });

function prepare(cwd: string, row: Row): string {
  const path = join(cwd, SESSIONS, row.file);
  mkdirSync(dirname(path), { recursive: true });
  // A name that is too long for the disk can still be asked for.
  if (row.input.b64 !== null && row.file.length < 256) {
    const bytes = Buffer.from(row.input.b64, "base64");
    writeFileSync(path, row.format === "json" ? bytes : inOurFormat(bytes));
  }
  for (const step of row.input.setup) {
    if (step.mkdir) mkdirSync(path);
    if (step.mkfifo) Bun.spawnSync(["mkfifo", path]);
    if (step.symlink) symlinkSync(join(cwd, "target-of-a-link"), path);
    if (step.lock) writeFileSync(join(cwd, SESSIONS, "s1.lock"), lockOf(step.pid ?? ""));
  }
  return path;
}

/** Line by line what the row says, its damaged lines as they are. */
function inOurFormat(bytes: Buffer): Buffer {
  let index = 0;
  const lines = bytes
    .toString("latin1")
    .split("\n")
    .map((line) => {
      const read = v.safeParse(foreignLine, parsed(line));
      if (!read.success) return line;
      if (read.output.t === "meta") return JSON.stringify({ ...HEADER, id: read.output.id });
      const place = chain(Array.from({ length: index + 1 }, () => ({})))[index];
      index += 1;
      return JSON.stringify({ ...place, ...bodyOf(read.output.m) });
    });
  return Buffer.from(lines.join("\n"), "latin1");
}

const foreignCall = v.object({
  id: v.string(),
  function: v.object({ name: v.string(), arguments: v.string() }),
});
const foreignMessage = v.object({
  role: v.string(),
  content: v.string(),
  tool_call_id: v.optional(v.string()),
  tool_calls: v.optional(v.array(foreignCall), []),
});
const foreignLine = v.variant("t", [
  v.object({ t: v.literal("meta"), id: v.string() }),
  v.object({ t: v.literal("msg"), m: foreignMessage }),
]);

function bodyOf({ role, content, tool_call_id, tool_calls }: v.InferOutput<typeof foreignMessage>): object {
  const parts = [{ type: "text", text: content }];
  if (role === "user") return { type: "message", role, content: parts };
  if (role === "tool") {
    return { type: "message", role, tool_call_id, name: "time", content: parts, is_error: false };
  }
  const calls = tool_calls.map(({ id, function: { name, arguments: args } }) => ({
    id,
    name,
    arguments: args,
  }));
  return { type: "message", role, content, tool_calls: calls };
}

const lockOf = (pid: string): string =>
  JSON.stringify({
    ...ownStamp(),
    ...(pid === "dead" ? { pid: 4_194_303 } : {}),
    nonce: "00000000-0000-4000-8000-000000000000",
  });

function check({ name, expected: { resume } }: Row, opened: Result<OpenedSession, StoreFailure>): void {
  const found = opened.ok ? messagesOn(opened.value.tree) : [];
  const kind = opened.ok ? "ok" : opened.error.kind;
  const count = /^(?:ok|recover):(\d+) messages/.exec(resume)?.[1];
  if (count !== undefined) {
    expect([kind, found.length]).toEqual(["ok", Number(count)]);
    return;
  }
  const rule = RULES.find(([pattern]) => pattern.test(resume));
  if (rule === undefined) throw new Error(`Nothing is known of "${resume}" (${name})`);
  expect(rule[1]).toContain(kind);
  if (!opened.ok) return;
  const told = [...opened.value.warnings, opened.value.notice ?? ""].join("\n");
  if (/say so|told/.test(resume)) expect(told).toMatch(/is left out|did not close/);
  if (/synthetic/.test(resume)) expect(found.at(-1)?.role).toBe("tool");
  if (/history made valid/.test(resume)) expect(found.map(({ role }) => role)).toEqual(["user"]);
}

/** What may come of opening, by what the row expects. */
const RULES: readonly (readonly [expected: RegExp, kinds: readonly string[]])[] = [
  [/^refuse with 'made by a newer buddy'/, ["newer"]],
  [/^refuse to write or open read-only/, ["locked"]],
  [/^refuse\+backup or/, ["corrupt", "ok"]],
  [/^refuse/, ["corrupt"]],
  [/^session ids are/, ["not_found"]],
  [/^migrate on a copy or refuse/, ["ok", "corrupt"]],
  [/^ok or refuse/, ["ok", "corrupt"]],
  [/^(?:ok|recover)\b/, ["ok"]],
];

function bytesAt(path: string): string {
  if (path.length > 255) return "no file";
  const stat = lstatSync(path, { throwIfNoEntry: false });
  return stat?.isFile() ? readFileSync(path, "latin1") : stat?.isFIFO() ? "a pipe" : "no file";
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined; // the damage of the row
  }
}
