import { describe, expect, test } from "bun:test";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { sessionFiles } from "../../adapters/store/session-files.ts";
import { sessionIdOf } from "../../core/id.ts";
import { userMessage } from "../../core/message.ts";
import { messagesOn } from "../../core/session-tree.ts";
import { inDirectory } from "../adapters/in-directory.ts";
import { fakeHost } from "../fakes/host.ts";
import { kindOf, lineOf, opened } from "./store.contract.ts";

const storeIn = (cwd: string, more: { stateDir?: string } = {}) =>
  sessionFiles({ cwd, stateDir: undefined, prefer: "project", ...more }, fakeHost());
const textAt = (path: string) => readFileSync(path, "utf8");

describe("a snapshot of old", () => {
  const snapshot = JSON.stringify({
    version: 1,
    id: "old",
    updated_at_millis: 1_700_000_000_000,
    state: { messages: [{ role: "user", content: "my key is sk-proj-abcdefghijklmnopqrstuvwxyz012345" }] },
  });

  test("is imported into a new file of its id, masked, which is used from then on", () =>
    inDirectory({ ".agentx/sessions/old.json": snapshot }, async (cwd) => {
      const store = storeIn(cwd);
      const { log, tree, notice = "" } = opened(await store.open("old"));
      log.append([lineOf(1, "more")]);
      await log.close();
      expect([log.path, tree.header.imported_from]).toEqual([
        join(cwd, ".agentx/sessions/old.jsonl"),
        join(cwd, ".agentx/sessions/old.json"),
      ]);
      expect(notice).toContain("was imported into");
      expect(textAt(join(cwd, ".agentx/sessions/old.json"))).toBe(snapshot);
      expect(textAt(log.path)).not.toContain("sk-proj");
      const again = opened(await store.open("old"));
      await again.log.close();
      expect(messagesOn(again.tree)).toEqual([userMessage("my key is ***"), userMessage("more")]);
      expect((await store.list()).sessions.map(({ id, format }) => [String(id), format])).toEqual([
        ["old", "session"],
      ]);
    }));

  test("is imported once, however many want it", () =>
    inDirectory({ ".buddyx/sessions/old.json": snapshot }, async (cwd) => {
      const store = storeIn(cwd, { stateDir: join(cwd, "state") });
      const results = await Promise.all([store.open("old"), store.open("old")]);
      expect(results.map(kindOf).sort()).toEqual(["locked", "ok"]);
      for (const result of results) if (result.ok) await result.value.log.close();
      expect(existsSync(join(cwd, "state"))).toBe(false);
    }));

  test("can be forked and removed", () =>
    inDirectory({ ".buddyx/sessions/old.json": snapshot }, async (cwd) => {
      const { log, tree } = opened(await storeIn(cwd).fork("old"));
      await log.close();
      expect([messagesOn(tree).length, tree.header.forked_from]).toEqual([1, sessionIdOf("old")]);
      expect(kindOf(await storeIn(cwd).remove("old"))).toBe("ok");
      expect(readdirSync(join(cwd, ".buddyx/sessions"))).toEqual([`${log.id}.jsonl`]);
    }));
});
