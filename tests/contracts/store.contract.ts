import { describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { entryId, sessionIdOf } from "../../core/id.ts";
import { userMessage } from "../../core/message.ts";
import type { SessionLog, Store } from "../../core/ports/store.ts";
import type { SessionHeader } from "../../core/session.ts";

export type OpenedStore = {
  readonly store: Store;
  /** All that is kept of a session so far, line by line. */
  readonly linesOf: (log: SessionLog) => readonly unknown[];
};

/** What every store keeps. */
export function storeContract(name: string, open: (cwd: string) => OpenedStore): void {
  const withStore = async (body: (opened: OpenedStore, cwd: string) => Promise<void>) => {
    const cwd = mkdtempSync(join(tmpdir(), "buddy-store-"));
    try {
      await body(open(cwd), cwd);
    } finally {
      rmSync(cwd, { recursive: true, force: true });
    }
  };

  describe(name, () => {
    test("create() begins a session with its header", () =>
      withStore(async ({ store, linesOf }, cwd) => {
        const header = headerOf("s1", cwd);
        const log = await createLog(store, header);
        expect(log.id).toBe(header.id);
        expect(linesOf(log)).toEqual([header]);
        await log.close();
      }));

    test("append() keeps entries in order, one line each", () =>
      withStore(async ({ store, linesOf }, cwd) => {
        const header = headerOf("s1", cwd);
        const log = await createLog(store, header);
        const texts = ["one\ntwo", '"é漢😀\u0000\u2028', ""] as const;
        expect(log.append([lineOf(0, texts[0])])).toEqual({ ok: true, value: undefined });
        expect(log.append([lineOf(1, texts[1]), lineOf(2, texts[2])])).toEqual({
          ok: true,
          value: undefined,
        });
        expect(await log.flush()).toEqual({ ok: true, value: undefined });
        expect(linesOf(log)).toEqual([header, ...texts.map((text, index) => entryOf(index, text))]);
        await log.close();
      }));

    test("append() of nothing adds nothing", () =>
      withStore(async ({ store, linesOf }, cwd) => {
        const header = headerOf("s1", cwd);
        const log = await createLog(store, header);
        expect(log.append([])).toEqual({ ok: true, value: undefined });
        expect(linesOf(log)).toEqual([header]);
        await log.close();
      }));

    test("append() of 1 MB is one whole line", () =>
      withStore(async ({ store, linesOf }, cwd) => {
        const header = headerOf("s1", cwd);
        const log = await createLog(store, header);
        const text = "é".repeat(500_000);
        expect(log.append([lineOf(0, text)])).toEqual({ ok: true, value: undefined });
        expect(linesOf(log)).toEqual([header, entryOf(0, text)]);
        await log.close();
      }));

    test("create() keeps sessions apart", () =>
      withStore(async ({ store, linesOf }, cwd) => {
        const headers = [headerOf("s1", cwd), headerOf("s2", cwd)] as const;
        const logs = [await createLog(store, headers[0]), await createLog(store, headers[1])] as const;
        logs[0].append([lineOf(0, "of the first")]);
        logs[1].append([lineOf(0, "of the second")]);
        logs[0].append([lineOf(1, "again of the first")]);
        expect(logs.map(linesOf)).toEqual([
          [headers[0], entryOf(0, "of the first"), entryOf(1, "again of the first")],
          [headers[1], entryOf(0, "of the second")],
        ]);
        await Promise.all(logs.map((log) => log.close()));
      }));
  });
}

export const headerOf = (id: string, cwd: string): SessionHeader => ({
  type: "session",
  v: 1,
  id: sessionIdOf(id),
  created_at: "2026-01-01T00:00:00.000Z",
  cwd,
  target: "local",
  buddy: "1.0.0",
});

export const entryOf = (index: number, text: string): object => ({
  id: entryId(index),
  parentId: index === 0 ? null : entryId(index - 1),
  ts: 1_800_000_000_000 + index,
  type: "message",
  ...userMessage(text),
});

export const lineOf = (index: number, text: string): string => JSON.stringify(entryOf(index, text));

export async function createLog(store: Store, header: SessionHeader): Promise<SessionLog> {
  const created = await store.create(header);
  if (!created.ok) throw new Error(created.error.detail);
  return created.value.log;
}
