import { describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { entryId, sessionIdOf } from "../../core/id.ts";
import { userMessage } from "../../core/message.ts";
import type { OpenedSession, SessionLog, Store, StoreFailure } from "../../core/ports/store.ts";
import type { Result } from "../../core/result.ts";
import type { SessionHeader } from "../../core/session.ts";
import { messagesOn } from "../../core/session-tree.ts";

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

    test("open() gives back what was appended, and goes on behind it", () =>
      withStore(async ({ store, linesOf }, cwd) => {
        const header = headerOf("s1", cwd);
        await saved(store, header, ["one", "two"]);
        const { log, tree, warnings } = opened(await store.open("s1"));
        expect([log.id, tree.header, tree.tip, tree.nextIndex, tree.end, warnings]).toEqual([
          header.id,
          header,
          entryId(1),
          2,
          "whole",
          [],
        ]);
        expect(messagesOn(tree)).toEqual([userMessage("one"), userMessage("two")]);
        expect(log.append([lineOf(2, "three")])).toEqual({ ok: true, value: undefined });
        expect(linesOf(log)).toEqual([header, ...["one", "two", "three"].map((text, i) => entryOf(i, text))]);
        await log.close();
      }));

    test("open() takes a prefix that only one id has", () =>
      withStore(async ({ store }, cwd) => {
        for (const id of ["ab1", "ab2", "c"]) await saved(store, headerOf(id, cwd), [id]);
        const { log } = opened(await store.open("ab2"));
        await log.close();
        expect(log.id).toBe(sessionIdOf("ab2"));
        expect(await store.open("ab")).toEqual({
          ok: false,
          error: { kind: "ambiguous", detail: '"ab" begins several sessions: ab1, ab2' },
        });
        expect(kindOf(await store.open("x"))).toBe("not_found");
      }));

    test("open() is for one at a time; a fork is for all", () =>
      withStore(async ({ store, linesOf }, cwd) => {
        await saved(store, headerOf("s1", cwd), ["one"]);
        const first = opened(await store.open("s1"));
        const second = await store.open("s1");
        expect(second.ok ? "" : second.error.detail).toContain("--fork");
        expect(kindOf(second)).toBe("locked");
        expect(kindOf(await store.remove("s1"))).toBe("locked");
        const fork = opened(await store.fork("s1"));
        fork.log.append([lineOf(1, "of the fork")]);
        first.log.append([lineOf(1, "of the first")]);
        expect(linesOf(fork.log).slice(1)).toEqual([entryOf(0, "one"), entryOf(1, "of the fork")]);
        await fork.log.close();
        await first.log.close();
        await opened(await store.open("s1")).log.close();
      }));

    test("fork() copies the path up to an entry and says where it is from", () =>
      withStore(async ({ store, linesOf }, cwd) => {
        const header = headerOf("s1", cwd);
        await saved(store, header, ["one", "two", "three"]);
        const { log, tree } = opened(await store.fork("s1", entryId(1)));
        await log.close();
        expect(log.id).not.toBe(header.id);
        expect([tree.header.id, tree.header.forked_from, tree.tip]).toEqual([log.id, header.id, entryId(1)]);
        expect(linesOf(log).slice(1)).toEqual([entryOf(0, "one"), entryOf(1, "two")]);
        expect(kindOf(await store.fork("s1", entryId(9)))).toBe("not_found");
      }));

    test("fork() follows the branch to the tip, without moves", () =>
      withStore(async ({ store, linesOf }, cwd) => {
        const log = await createLog(store, headerOf("s1", cwd));
        const move = { id: entryId(2), parentId: entryId(1), ts: 3, type: "leaf", tip: entryId(0) };
        const after = { ...entryOf(3, "instead"), parentId: entryId(2) };
        log.append([lineOf(0, "one"), lineOf(1, "left"), JSON.stringify(move), JSON.stringify(after)]);
        await log.close();
        const fork = opened(await store.fork("s1"));
        await fork.log.close();
        expect(linesOf(fork.log).slice(1)).toEqual([entryOf(0, "one"), { ...after, parentId: entryId(0) }]);
      }));

    test("list() names all, last used first; latest() is the first of them", () =>
      withStore(async ({ store }, cwd) => {
        expect(kindOf(await store.latest())).toBe("not_found");
        await saved(store, headerOf("s1", cwd), ["first question", "more", "even more"]);
        await saved(store, headerOf("s2", cwd), ["second question"]);
        await saved(store, headerOf("s3", cwd), ["third\nquestion", "more"]);
        const { sessions, warnings } = await store.list();
        expect(sessions.map(({ id, title }) => [String(id), title])).toEqual([
          ["s1", "first question"],
          ["s3", "third question"],
          ["s2", "second question"],
        ]);
        expect(warnings).toEqual([]);
        const latest = await store.latest();
        expect(latest.ok ? String(latest.value.id) : latest.error).toBe("s1");
      }));

    test("read() looks without taking; remove() removes", () =>
      withStore(async ({ store }, cwd) => {
        await saved(store, headerOf("s1", cwd), ["one"]);
        const { log } = opened(await store.open("s1"));
        const read = await store.read("s1");
        expect(read.ok ? messagesOn(read.value.tree) : read.error).toEqual([userMessage("one")]);
        await log.close();
        expect(await store.remove("s1")).toEqual({ ok: true, value: { path: log.path } });
        expect(kindOf(await store.read("s1"))).toBe("not_found");
        expect(kindOf(await store.remove("s1"))).toBe("not_found");
      }));
  });
}

/** A session of user messages, closed again. */
export async function saved(store: Store, header: SessionHeader, texts: readonly string[]): Promise<void> {
  const log = await createLog(store, header);
  log.append(texts.map((text, index) => lineOf(index, text)));
  await log.close();
}

export function opened(result: Result<OpenedSession, StoreFailure>): OpenedSession {
  if (!result.ok) throw new Error(`${result.error.kind}: ${result.error.detail}`);
  return result.value;
}

export const kindOf = (result: Result<unknown, StoreFailure>): string =>
  result.ok ? "ok" : result.error.kind;

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
