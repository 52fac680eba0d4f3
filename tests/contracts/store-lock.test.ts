import { describe, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { sessionFiles } from "../../adapters/store/session-files.ts";
import { messagesOn } from "../../core/session-tree.ts";
import { inDirectory } from "../adapters/in-directory.ts";
import { fakeHost } from "../fakes/host.ts";
import { headerOf, kindOf, opened, saved } from "./store.contract.ts";

const storeIn = (cwd: string) => sessionFiles({ cwd, stateDir: undefined, prefer: "project" }, fakeHost());
const textAt = (path: string) => readFileSync(path, "utf8");

/** A directory with the session "s1" of two messages. */
const withSession = (body: (cwd: string, path: string) => Promise<void>) =>
  inDirectory({}, async (cwd) => {
    await saved(storeIn(cwd), headerOf("s1", cwd), ["one", "two"]);
    await body(cwd, join(cwd, ".buddyx/sessions/s1.jsonl"));
  });

test("a session survives being killed again and again: nothing that was taken is lost", () =>
  withSession(async (cwd) => {
    const script = join(import.meta.dir, "../fakes/append-until-killed.ts");
    for (let kill = 0; kill < 8; kill++) {
      const child = Bun.spawn([process.execPath, script, cwd, "s1"], { stdout: "pipe", stderr: "inherit" });
      let said = "";
      for await (const chunk of child.stdout) {
        said += new TextDecoder().decode(chunk);
        if (said.split("\n").length > 5 + kill * 7) child.kill("SIGKILL");
      }
      await child.exited;
      const last = Number(said.slice(0, said.lastIndexOf("\n")).split("\n").at(-1));
      const read = await storeIn(cwd).read("s1");
      if (!read.ok) throw new Error(read.error.detail);
      expect(messagesOn(read.value.tree).length).toBe(read.value.tree.nextIndex);
      expect(read.value.tree.nextIndex).toBeGreaterThan(last);
    }
  }));

describe("a lock", () => {
  test("is gone when the session is closed, and names its process until then", () =>
    withSession(async (cwd, path) => {
      const { log } = opened(await storeIn(cwd).open("s1"));
      expect(readdirSync(dirname(path)).sort()).toEqual(["s1.jsonl", "s1.lock"]);
      const second = await storeIn(cwd).open("s1");
      expect(second.ok ? "" : second.error.detail).toContain(`process ${process.pid}`);
      await log.close();
      expect(readdirSync(dirname(path))).toEqual(["s1.jsonl"]);
    }));

  test("of a process that was killed is taken over, and told", () =>
    withSession(async (cwd) => {
      const holder = join(import.meta.dir, "../fakes/open-session.ts");
      const child = Bun.spawn([process.execPath, holder, cwd, "s1"], { stdin: "pipe", stdout: "pipe" });
      const said = child.stdout.getReader();
      await said.read();
      expect(kindOf(await storeIn(cwd).open("s1"))).toBe("locked");
      child.kill("SIGKILL");
      await child.exited;
      const { log, warnings } = opened(await storeIn(cwd).open("s1"));
      await log.close();
      expect(warnings).toEqual(["The process that used this session last did not close it"]);
    }));

  test("lets one of eight processes in", () =>
    withSession(async (cwd, path) => {
      const holder = join(import.meta.dir, "../fakes/open-session.ts");
      const children = Array.from({ length: 8 }, () =>
        Bun.spawn([process.execPath, holder, cwd, "s1"], { stdin: "pipe", stdout: "pipe" }),
      );
      const answers = await Promise.all(
        children.map(async ({ stdout }) => {
          const { value } = await stdout.getReader().read();
          return new TextDecoder().decode(value).trim();
        }),
      );
      for (const child of children) await child.stdin.end();
      await Promise.all(children.map(({ exited }) => exited));
      expect(answers.sort()).toEqual([...Array.from({ length: 7 }, () => "locked"), "opened"]);
      expect(textAt(path).trim().split("\n").length).toBe(4);
      expect(readdirSync(dirname(path))).toEqual(["s1.jsonl"]);
    }));
});
