import { describe, expect, test } from "bun:test";
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { sessionFiles } from "../../adapters/store/session-files.ts";
import { entryId } from "../../core/id.ts";
import { userMessage } from "../../core/message.ts";
import { messagesOn } from "../../core/session-tree.ts";
import { inDirectory } from "../adapters/in-directory.ts";
import { fakeHost, START_UNIX_MS } from "../fakes/host.ts";
import { createLog, entryOf, headerOf, kindOf, lineOf, opened, saved } from "./store.contract.ts";

const storeIn = (cwd: string, more: { keepDays?: number; stateDir?: string } = {}) =>
  sessionFiles({ cwd, stateDir: undefined, prefer: "project", ...more }, fakeHost());
const fileIn = (cwd: string, name = "s1.jsonl") => join(cwd, ".buddyx/sessions", name);
const textAt = (path: string) => readFileSync(path, "utf8");

/** A directory with the session "s1" of two messages. */
const withSession = (body: (cwd: string, path: string) => Promise<void>) =>
  inDirectory({}, async (cwd) => {
    await saved(storeIn(cwd), headerOf("s1", cwd), ["one", "two"]);
    await body(cwd, fileIn(cwd));
  });

describe("open() of a torn file", () => {
  test.each([
    ["half a line", '{"id":"0002","parentId":"00'],
    ["half a character", Buffer.from('{"id":"0002","text":"漢').subarray(0, -1)],
    ["zeros", "\0".repeat(200)],
  ])("cuts %s off before it adds, not earlier", (_what, torn) =>
    withSession(async (cwd, path) => {
      const whole = textAt(path);
      appendFileSync(path, torn);
      const bytes = statSync(path).size;
      const { log, tree, warnings } = opened(await storeIn(cwd).open("s1"));
      expect([messagesOn(tree), warnings]).toEqual([
        [userMessage("one"), userMessage("two")],
        ["Line 4 breaks off and is left out"],
      ]);
      expect(statSync(path).size).toBe(bytes);
      log.append([lineOf(2, "three")]);
      log.append([lineOf(3, "four")]);
      await log.close();
      expect(textAt(path)).toBe(`${whole}${lineOf(2, "three")}\n${lineOf(3, "four")}\n`);
    }),
  );

  test("begins a fresh line behind one that only lacks its end", () =>
    withSession(async (cwd, path) => {
      const whole = textAt(path);
      truncateSync(path, whole.length - 1);
      const { log, tree, warnings } = opened(await storeIn(cwd).open("s1"));
      log.append([lineOf(2, "three")]);
      await log.close();
      expect([messagesOn(tree).length, warnings]).toEqual([2, []]);
      expect(textAt(path)).toBe(`${whole}${lineOf(2, "three")}\n`);
    }));

  test("leaves a damaged line where it is", () =>
    withSession(async (cwd, path) => {
      const [header, one, two] = textAt(path).split("\n");
      writeFileSync(path, `${header}\n${one}\ngarbage\n${two}\n`);
      const { log, tree, warnings } = opened(await storeIn(cwd).open("s1"));
      log.append([lineOf(2, "three")]);
      await log.close();
      expect([messagesOn(tree).length, warnings]).toEqual([2, ["Line 3 is damaged and is left out"]]);
      expect(textAt(path)).toBe(`${header}\n${one}\ngarbage\n${two}\n${lineOf(2, "three")}\n`);
    }));
});

describe("a file that cannot be used", () => {
  test.each([
    ["is empty", "", "corrupt"],
    ["is zeros", "\0".repeat(300), "corrupt"],
    ["is something else", "[]", "corrupt"],
    ["holds another session", `${JSON.stringify(headerOf("s2", "/"))}\n`, "corrupt"],
    ["is of a newer buddy", `${JSON.stringify({ ...headerOf("s1", "/"), v: 2 })}\n`, "newer"],
  ])("is refused and left as it is when it %s", (_fact, text, kind) =>
    withSession(async (cwd, path) => {
      const store = storeIn(cwd);
      await saved(store, headerOf("other", cwd), ["fine"]);
      writeFileSync(path, text);
      expect([
        kindOf(await store.open("s1")),
        kindOf(await store.fork("s1")),
        kindOf(await store.read("s1")),
      ]).toEqual([kind, kind, kind]);
      expect(textAt(path)).toBe(text);
      expect(readdirSync(dirname(path)).sort()).toEqual(["other.jsonl", "s1.jsonl"]);
      const { sessions } = await store.list();
      expect(sessions.map(({ id, damage }) => [String(id), damage !== undefined]).sort()).toEqual([
        ["other", false],
        ["s1", true],
      ]);
      const latest = await store.latest();
      expect(latest.ok ? String(latest.value.id) : "").toBe("other");
    }),
  );

  test("is kept aside when a session of its name begins", () =>
    inDirectory({ ".buddyx/sessions/s1.jsonl": "garbage" }, async (cwd) => {
      const header = headerOf("s1", cwd);
      const log = await createLog(storeIn(cwd), header);
      await log.close();
      expect(textAt(log.path)).toBe(`${JSON.stringify(header)}\n`);
      expect(readdirSync(dirname(log.path)).sort()).toEqual([
        "s1.jsonl",
        "s1.jsonl.corrupt-20260102T030405Z",
      ]);
      expect(textAt(`${log.path}.corrupt-20260102T030405Z`)).toBe("garbage");
    }));

  test("is not waited for, followed or opened when it is no file", () =>
    inDirectory({ secret: "mine", ".buddyx/sessions/ok.json": "{}" }, async (cwd) => {
      mkdirSync(fileIn(cwd, "dir.jsonl"));
      symlinkSync(join(cwd, "secret"), fileIn(cwd, "link.jsonl"));
      Bun.spawnSync(["mkfifo", fileIn(cwd, "pipe.jsonl")]);
      const store = storeIn(cwd);
      for (const id of ["dir", "link", "pipe"]) {
        const kinds = [
          kindOf(await store.open(id)),
          kindOf(await store.read(id)),
          kindOf(await store.fork(id)),
        ];
        expect([id, ...kinds]).toEqual([id, "corrupt", "corrupt", "corrupt"]);
      }
      const { sessions } = await store.list();
      expect(sessions.every(({ damage }) => damage !== undefined)).toBe(true);
      expect(textAt(join(cwd, "secret"))).toBe("mine");
    }));

  test("is refused when it is larger than 512 MiB", () =>
    withSession(async (cwd, path) => {
      truncateSync(path, 512 * 1024 * 1024 + 1);
      expect(kindOf(await storeIn(cwd).open("s1"))).toBe("too_large");
    }));

  test("is not looked for behind a link of the project", () =>
    inDirectory({}, async (cwd) => {
      const elsewhere = join(cwd, "elsewhere");
      mkdirSync(elsewhere);
      await saved(storeIn(elsewhere), headerOf("s1", cwd), ["one"]);
      mkdirSync(join(cwd, "project"));
      symlinkSync(join(elsewhere, ".buddyx"), join(cwd, "project/.buddyx"));
      const store = storeIn(join(cwd, "project"));
      expect([kindOf(await store.open("s1")), (await store.list()).sessions]).toEqual(["not_found", []]);
    }));
});

describe("findSession()", () => {
  test.each([
    "a/b",
    "-rf",
    "",
    "s1\n",
    "con",
    "x".repeat(65),
    "../s1",
    ".",
    "s1.jsonl",
    `${"x/".repeat(3000)}s1.jsonl`,
    "a\0/s1.jsonl",
  ])("refuses %j", (ref) =>
    withSession(async (cwd) => {
      expect(kindOf(await storeIn(cwd).open(ref))).toBe("not_found");
    }),
  );

  test("looks in every place, and takes a path", () =>
    inDirectory({ ".buddyx/.gitignore": "*\n" }, async (cwd) => {
      const stateDir = join(cwd, "state");
      const inState = sessionFiles({ cwd, stateDir, prefer: "user" }, fakeHost());
      await saved(inState, headerOf("ofuser", cwd), ["one"]);
      await saved(storeIn(cwd), headerOf("ofproject", cwd), ["two"]);
      mkdirSync(join(cwd, ".agentx/sessions"), { recursive: true });
      writeFileSync(
        join(cwd, ".agentx/sessions/ofold.jsonl"),
        `${JSON.stringify(headerOf("ofold", cwd))}\n${lineOf(0, "three")}\n`,
      );
      const store = storeIn(cwd, { stateDir });
      for (const ref of ["ofu", "ofp", "ofo", ".agentx/sessions/ofold.jsonl"]) {
        const { log } = opened(await store.open(ref));
        await log.close();
      }
      const ids = (await store.list()).sessions.map(({ id }) => String(id)).sort();
      expect(ids).toEqual(["ofold", "ofproject", "ofuser"]);
    }));

  test("says which names are no sessions", () =>
    inDirectory({ ".buddyx/sessions/-rf.jsonl": "", ".buddyx/sessions/readme.txt": "" }, async (cwd) => {
      const path = JSON.stringify(fileIn(cwd, "-rf.jsonl"));
      expect(await storeIn(cwd).list()).toEqual({
        sessions: [],
        warnings: [`${path} is not named like a session`],
      });
    }));
});

describe("fork()", () => {
  test("copies fields and entries that it does not know", () =>
    inDirectory({}, async (cwd) => {
      const log = await createLog(storeIn(cwd), headerOf("s1", cwd));
      const odd = '{"id":"0001","parentId":"0000","ts":1.50,"type":"dream","of":{"a":1e2}}';
      log.append([lineOf(0, "one"), odd, JSON.stringify({ ...entryOf(2, "two"), mood: "good" })]);
      await log.close();
      const fork = opened(await storeIn(cwd).fork("s1"));
      await fork.log.close();
      expect(textAt(fork.log.path).split("\n").slice(1)).toEqual(textAt(log.path).split("\n").slice(1));
    }));

  test("is whole and private, and leaves nothing else", () =>
    withSession(async (cwd, path) => {
      const { log } = opened(await storeIn(cwd).fork("s1", entryId(0)));
      await log.close();
      expect(readdirSync(dirname(path)).sort()).toEqual([`${log.id}.jsonl`, "s1.jsonl"].sort());
      expect(statSync(log.path).mode & 0o777).toBe(0o600);
    }));
});

describe("create() tidies up", () => {
  const ago = (path: string, ms: number) => {
    const at = (START_UNIX_MS - ms) / 1000;
    utimesSync(path, at, at);
  };
  const DAY = 24 * 3_600_000;

  test("sessions that nobody used for so many days, but never one in use", () =>
    inDirectory({}, async (cwd) => {
      for (const id of ["a-old", "b-used", "c-new"]) await saved(storeIn(cwd), headerOf(id, cwd), [id]);
      writeFileSync(fileIn(cwd, "kept.txt"), "");
      const used = opened(await storeIn(cwd).open("b-used"));
      for (const name of ["a-old.jsonl", "b-used.jsonl", "kept.txt"]) ago(fileIn(cwd, name), 8 * DAY);
      ago(fileIn(cwd, "c-new.jsonl"), 6 * DAY);
      const log = await createLog(storeIn(cwd, { keepDays: 7 }), headerOf("d", cwd));
      await log.close();
      await used.log.close();
      const left = readdirSync(dirname(log.path)).sort();
      expect(left).toEqual(["b-used.jsonl", "c-new.jsonl", "d.jsonl", "kept.txt"]);
    }));

  test("nothing when sessions are kept for ever", () =>
    withSession(async (cwd, path) => {
      ago(path, 4000 * DAY);
      await (await createLog(storeIn(cwd, { keepDays: 0 }), headerOf("d", cwd))).close();
      expect(existsSync(path)).toBe(true);
    }));

  test("what a killed process left half-written an hour ago", () =>
    withSession(async (cwd, path) => {
      const names = ["x.jsonl.77.tmp", "x.lock.dead", "y.jsonl.78.tmp"];
      for (const name of names) writeFileSync(fileIn(cwd, name), "");
      for (const name of names.slice(0, 2)) ago(fileIn(cwd, name), 3_700_000);
      ago(fileIn(cwd, "y.jsonl.78.tmp"), 60_000);
      await (await createLog(storeIn(cwd), headerOf("d", cwd))).close();
      expect(readdirSync(dirname(path)).sort()).toEqual(["d.jsonl", "s1.jsonl", "y.jsonl.78.tmp"]);
    }));
});
