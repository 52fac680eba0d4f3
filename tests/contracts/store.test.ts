import { describe, expect, test } from "bun:test";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type SessionPlaces, sessionFiles } from "../../adapters/store/session-files.ts";
import type { SessionLog } from "../../core/ports/store.ts";
import { memoryStore } from "../fakes/store.ts";
import { createLog, headerOf, lineOf, storeContract } from "./store.contract.ts";

const parsedLines = (log: SessionLog): readonly unknown[] =>
  wholeLines(readFileSync(log.path, "utf8")).map((line) => JSON.parse(line));

storeContract("session files in the project", (cwd) => ({
  store: sessionFiles({ cwd, stateDir: undefined, prefer: "project" }),
  linesOf: parsedLines,
}));

storeContract("session files in the state directory", (cwd) => ({
  store: sessionFiles({ cwd, stateDir: join(cwd, "state"), prefer: "user" }),
  linesOf: parsedLines,
}));

storeContract("sessions in memory", () => {
  const { store, sessions } = memoryStore();
  return {
    store,
    linesOf: ({ id }) =>
      sessions.filter(({ header }) => header.id === id).flatMap((kept) => [kept.header, ...kept.entries]),
  };
});

describe("sessionFiles()", () => {
  test("create() never takes over a session that exists", () =>
    inFreshDirectory(async (cwd) => {
      const header = headerOf("s1", cwd);
      const log = await createLog(storeIn({ cwd }), header);
      const again = await storeIn({ cwd }).create({ ...header, buddy: "2.0.0" });
      expect(again.ok ? "taken over" : again.error.kind).toBe("locked");
      await log.close();
      const stateDir = join(cwd, "state");
      const later = await storeIn({ cwd, stateDir }).create({ ...header, buddy: "2.0.0" });
      expect(later.ok ? "taken over" : later.error.kind).toBe("exists");
      expect([parsedLines(log), existsSync(stateDir)]).toEqual([[header], false]);
    }));

  test("create() makes private files in private directories that git ignores", () =>
    inFreshDirectory(async (cwd) => {
      const log = await createLog(storeIn({ cwd }), headerOf("s1", cwd));
      await log.close();
      expect(log.path).toBe(join(cwd, ".buddyx/sessions/s1.jsonl"));
      expect(tree(cwd)).toEqual({
        ".buddyx": "700",
        ".buddyx/.gitignore": "600",
        ".buddyx/sessions": "700",
        ".buddyx/sessions/s1.jsonl": "600",
      });
      expect(readFileSync(join(cwd, ".buddyx/.gitignore"), "utf8")).toBe("*\n");
    }));

  test("create() is as private in the state directory", () =>
    inFreshDirectory(async (cwd) => {
      const stateDir = join(cwd, "state/buddy");
      const log = await createLog(storeIn({ cwd, stateDir, prefer: "user" }), headerOf("s1", cwd));
      await log.close();
      const hash = log.path.split("/").at(-2) ?? "";
      expect(tree(cwd)).toEqual({
        state: "700",
        "state/buddy": "700",
        "state/buddy/sessions": "700",
        [`state/buddy/sessions/${hash}`]: "700",
        [`state/buddy/sessions/${hash}/s1.jsonl`]: "600",
      });
    }));

  test("create() leaves a .gitignore that is there as it is", () =>
    inFreshDirectory(async (cwd) => {
      mkdirSync(join(cwd, ".buddyx"));
      writeFileSync(join(cwd, ".buddyx/.gitignore"), "mine\n");
      await (await createLog(storeIn({ cwd }), headerOf("s1", cwd))).close();
      expect(readFileSync(join(cwd, ".buddyx/.gitignore"), "utf8")).toBe("mine\n");
    }));

  test("create() uses the old directory when only that is there", () =>
    inFreshDirectory(async (cwd) => {
      mkdirSync(join(cwd, ".agentx"));
      const log = await createLog(storeIn({ cwd }), headerOf("s1", cwd));
      await log.close();
      expect(log.path).toBe(join(cwd, ".agentx/sessions/s1.jsonl"));
      expect(existsSync(join(cwd, ".buddyx"))).toBe(false);
    }));

  test("create() falls back to the state directory and says why", () =>
    inFreshDirectory(async (cwd) => {
      writeFileSync(join(cwd, ".buddyx"), "in the way");
      const created = await storeIn({ cwd, stateDir: join(cwd, "state") }).create(headerOf("s1", cwd));
      if (!created.ok) throw new Error(created.error.detail);
      const { log, notice = "" } = created.value;
      await log.close();
      const dir = log.path.replace("/s1.jsonl", "");
      expect(dir.startsWith(join(cwd, "state/sessions/"))).toBe(true);
      expect(notice.startsWith(`Cannot write "${join(cwd, ".buddyx/sessions")}": `)).toBe(true);
      expect(notice.endsWith(`: this session is saved in "${dir}"`)).toBe(true);
      expect(readFileSync(join(cwd, ".buddyx"), "utf8")).toBe("in the way");
    }));

  test("create() is a failure when no place can be written", () =>
    inFreshDirectory(async (cwd) => {
      writeFileSync(join(cwd, "file"), "");
      const cases = [{ stateDir: undefined }, { stateDir: join(cwd, "file/state") }] as const;
      for (const { stateDir } of cases) {
        const created = await storeIn({ cwd: join(cwd, "file"), stateDir }).create(headerOf("s1", cwd));
        expect(created.ok ? "created" : created.error.kind).toBe("unwritable");
      }
      expect(Object.keys(tree(cwd))).toEqual(["file"]);
    }));

  test("append() only ever adds to the end", () =>
    inFreshDirectory(async (cwd) => {
      const log = await createLog(storeIn({ cwd }), headerOf("s1", cwd));
      let before = readFileSync(log.path, "utf8");
      const { ino } = statSync(log.path);
      for (let index = 0; index < 20; index++) {
        log.append([lineOf(index, `entry ${index}`)]);
        const now = readFileSync(log.path, "utf8");
        expect(now).toBe(`${before}${lineOf(index, `entry ${index}`)}\n`);
        before = now;
      }
      await log.close();
      expect([readFileSync(log.path, "utf8"), statSync(log.path).ino]).toEqual([before, ino]);
    }));

  test("create() leaves no file when the header cannot be written", () =>
    inFreshDirectory(async (cwd) => {
      mkdirSync(join(cwd, ".buddyx"));
      writeFileSync(join(cwd, ".buddyx/.gitignore"), "*\n");
      const answers = await appendPastLimit(cwd, 0, []);
      expect(answers).toMatchObject([{ ok: false, error: { kind: "unwritable" } }]);
      expect(Object.keys(tree(cwd)).filter((path) => path.endsWith(".jsonl"))).toEqual([]);
    }));

  test("append() leaves no half line when the disk takes only a part, and goes on when it takes more", () =>
    inFreshDirectory(async (cwd) => {
      const answers = await appendPastLimit(cwd, 8, [1000, 5000, 100]);
      const path = join(cwd, ".buddyx/sessions/full.jsonl");
      const detail = expect.stringContaining(`Cannot write "${path}": `);
      expect(answers).toEqual([
        { ok: true },
        { ok: false, error: { kind: "unwritable", detail } },
        { ok: true },
      ]);
      const kept = wholeLines(readFileSync(path, "utf8")).map((line) => idOf(JSON.parse(line)));
      expect(kept).toEqual(["full", "0000", "0002"]);
    }));

  test("close() leaves no descriptor open", () =>
    inFreshDirectory(async (cwd) => {
      const log = await createLog(storeIn({ cwd }), headerOf("s1", cwd));
      expect(openBelow(cwd)).toEqual([log.path]);
      await log.close();
      expect(openBelow(cwd)).toEqual([]);
    }));
});

/** A limit on file sizes stands in for a full disk: the kernel writes as far as it goes, then refuses. */
async function appendPastLimit(cwd: string, blocks: number, sizes: readonly number[]): Promise<unknown> {
  const script = join(import.meta.dir, "write-past-limit.ts");
  const limited = ["/bin/sh", "-c", `trap '' XFSZ; ulimit -f ${blocks}; exec "$@"`, "sh"];
  const child = Bun.spawn([...limited, process.execPath, script, cwd, ...sizes.map(String)], {
    stdout: "pipe",
    stderr: "inherit",
  });
  return new Response(child.stdout).json();
}

const storeIn = ({ cwd, stateDir, prefer }: Partial<SessionPlaces> & { readonly cwd: string }) =>
  sessionFiles({ cwd, stateDir, prefer: prefer ?? "project" });

async function inFreshDirectory(body: (cwd: string) => Promise<void>): Promise<void> {
  const cwd = mkdtempSync(join(tmpdir(), "buddy-sessions-"));
  try {
    await body(cwd);
  } finally {
    rmSync(cwd, { recursive: true, force: true });
  }
}

/** Every path below a directory with its permission bits. */
function tree(root: string): Readonly<Record<string, string>> {
  const paths = readdirSync(root, { recursive: true, encoding: "utf8" });
  return Object.fromEntries(
    paths.map((path) => [path, (statSync(join(root, path)).mode & 0o777).toString(8)]),
  );
}

/** What this process holds open below a directory. */
function openBelow(root: string): readonly string[] {
  return readdirSync("/proc/self/fd")
    .map(linkOf)
    .filter((path) => path.startsWith(root));
}

function linkOf(fd: string): string {
  try {
    return readlinkSync(`/proc/self/fd/${fd}`);
  } catch {
    return ""; // closed since it was listed
  }
}

/** The lines of a text in which every line is whole. */
function wholeLines(text: string): readonly string[] {
  expect(text.endsWith("\n")).toBe(true);
  return text.slice(0, -1).split("\n");
}

const idOf = (line: unknown): unknown =>
  typeof line === "object" && line !== null && "id" in line ? line.id : undefined;
