import { describe, expect, setDefaultTimeout, test } from "bun:test";
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import type { Target } from "../../core/ports/target.ts";
import { ok } from "../../core/result.ts";
import { type OpenTarget, type TargetTraits, targetLeases } from "./target-leases.ts";
import { failureKind, leavesNoDescriptor, never, read, run } from "./target-runs.ts";

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

/** What every target keeps about files. Files of this machine are its files. */
export function targetFilesContract(
  name: string,
  open: OpenTarget,
  traits: TargetTraits = { place: "here" },
): void {
  const { place: where } = traits;
  const { withTarget } = targetLeases(open, traits);
  setDefaultTimeout(where === "here" ? 5000 : 60_000);
  const races = where === "here" ? 2000 : 15;
  const write = (target: Target, path: string, text: string, mode?: number) =>
    target.writeFile(path, bytes(text), mode === undefined ? {} : { mode }, never());
  const failure = async (work: Promise<{ readonly ok: boolean }>): Promise<string> => {
    const done = await work;
    if ("error" in done && typeof done.error === "object" && done.error !== null && "kind" in done.error) {
      return String(done.error.kind);
    }
    return "none";
  };

  describe.concurrent(`${name}: resolvePath()`, () => {
    test("resolvePath() takes out dots, homes and links in every part", () =>
      withTarget(async (target, cwd) => {
        mkdirSync(join(cwd, "real/deep"), { recursive: true });
        writeFileSync(join(cwd, "real/deep/file"), "");
        symlinkSync("real", join(cwd, "link"));
        symlinkSync("../real/deep", join(cwd, "real/again"));
        symlinkSync(join(cwd, "link/again/file"), join(cwd, "chain"));
        const home =
          where === "here" ? join(cwd, "../home") : (await run(target, "cd && pwd -P")).stdout.trimEnd();
        const paths = {
          "link/deep/file": "real/deep/file",
          "./link//deep/./file": "real/deep/file",
          chain: "real/deep/file",
          "link/again/new": "real/deep/new",
          "link/../x": "x",
          "real/again/../x": "real/x",
          "not/there/yet": "not/there/yet",
          "not/../there": "there",
        };
        for (const [path, real] of Object.entries(paths)) {
          expect([path, await target.resolvePath(path, never())]).toEqual([path, ok(join(cwd, real))]);
          expect(await target.resolvePath(join(cwd, "real/..", path), never())).toEqual(ok(join(cwd, real)));
        }
        expect(await target.resolvePath("~", never())).toEqual(ok(home));
        expect(await target.resolvePath("~/a", never())).toEqual(ok(join(home, "a")));
        expect(await target.resolvePath("/../..", never())).toEqual(ok("/"));
      }));

    test("resolvePath() says where a link that leads nowhere leads, and gives up on a ring", () =>
      withTarget(async (target, cwd) => {
        symlinkSync("/nonexistent/x", join(cwd, "dangling"));
        symlinkSync("b", join(cwd, "a"));
        symlinkSync("a", join(cwd, "b"));
        expect(await target.resolvePath("dangling", never())).toEqual(ok("/nonexistent/x"));
        expect(await failure(target.resolvePath("a/x", never()))).toBe("other");
      }));
  });

  describe.concurrent(`${name}: stat()`, () => {
    test("stat() tells what there is", () =>
      withTarget(async (target, cwd) => {
        writeFileSync(join(cwd, "file"), "12345", { mode: 0o640 });
        mkdirSync(join(cwd, "dir"), { mode: 0o700 });
        symlinkSync("file", join(cwd, "link"));
        expect(await target.stat("file", never())).toEqual(ok({ type: "file", size: 5, mode: 0o640 }));
        expect(await target.stat("dir", never())).toMatchObject(ok({ type: "directory", mode: 0o700 }));
        expect(await target.stat("/", never())).toMatchObject(ok({ type: "directory" }));
        expect(await target.stat("/dev/null", never())).toMatchObject(ok({ type: "other" }));
        expect(await failure(target.stat("missing", never()))).toBe("not_found");
        expect(await failure(target.stat("file/below", never()))).toBe("not_found");
        expect(await failure(target.stat("link", never()))).toBe("link");
      }));
  });

  describe.concurrent(`${name}: writeFile()`, () => {
    test("writeFile() makes a file, its parents and nothing else", () =>
      withTarget(async (target, cwd) => {
        expect(await write(target, "a/b/c.txt", "héllo\n")).toEqual(ok({ created: true }));
        expect(readFileSync(join(cwd, "a/b/c.txt"), "utf8")).toBe("héllo\n");
        expect(readdirSync(join(cwd, "a/b"))).toEqual(["c.txt"]);
        expect(await write(target, "empty", "")).toEqual(ok({ created: true }));
        expect(readFileSync(join(cwd, "empty"), "utf8")).toBe("");
      }));

    test("writeFile() replaces the file as a whole and keeps its mode", () =>
      withTarget(async (target, cwd) => {
        const path = join(cwd, "script");
        writeFileSync(path, "old and longer", { mode: 0o755 });
        chmodSync(path, 0o751);
        const before = statSync(path).ino;
        expect(await write(target, "script", "new")).toEqual(ok({ created: false }));
        const { mode, ino } = statSync(path);
        expect([readFileSync(path, "utf8"), mode & 0o7777, ino === before]).toEqual(["new", 0o751, false]);
        expect(readdirSync(cwd)).toEqual(["script"]);
      }));

    test("writeFile() gives a new file the mode asked for", () =>
      withTarget(async (target, cwd) => {
        await write(target, "private", "x", 0o600);
        expect(statSync(join(cwd, "private")).mode & 0o777).toBe(0o600);
      }));

    test("writeFile() takes names of every kind", () =>
      withTarget(async (target, cwd) => {
        const names = [
          "-rf",
          "--help",
          "a;touch x",
          "a$(id).txt",
          "a b",
          "é".repeat(127),
          "日本",
          "a\\b",
          "*",
        ];
        for (const one of names)
          expect([one, await write(target, one, one)]).toEqual([one, ok({ created: true })]);
        expect(readdirSync(cwd).sort()).toEqual([...names].sort());
      }));

    test("writeFile() writes 10 MB whole", () =>
      withTarget(async (target, cwd) => {
        const text = "0123456789abcde\n".repeat(655_360);
        await write(target, "large", text);
        expect(readFileSync(join(cwd, "large"), "utf8") === text).toBe(true);
      }));

    test("writeFile() follows no link, first, middle or last", () =>
      withTarget(async (target, cwd) => {
        const outside = join(cwd, "../outside");
        mkdirSync(outside);
        writeFileSync(join(outside, "file"), "kept");
        symlinkSync(outside, join(cwd, "dir"));
        symlinkSync(join(outside, "file"), join(cwd, "last"));
        symlinkSync(join(outside, "new"), join(cwd, "dangling"));
        const kinds = await Promise.all(
          ["dir/x", "dir/a/b", "last", "dangling"].map((path) => failure(write(target, path, "bad"))),
        );
        expect(kinds).toEqual(["link", "link", "link", "link"]);
        expect([readdirSync(outside), readFileSync(join(outside, "file"), "utf8")]).toEqual([
          ["file"],
          "kept",
        ]);
        expect(await failureKind(target, "dir/file")).toBe("link");
        expect(lstatSync(join(cwd, "last")).isSymbolicLink()).toBe(true);
      }));

    test("writeFile() leaves alone what is no file and what is marked read-only", () =>
      withTarget(async (target, cwd) => {
        mkdirSync(join(cwd, "dir"));
        mkdirSync(join(cwd, "ro"));
        chmodSync(join(cwd, "ro"), 0o555);
        writeFileSync(join(cwd, "locked"), "kept", { mode: 0o444 });
        writeFileSync(join(cwd, "file"), "kept");
        Bun.spawnSync(["mkfifo", join(cwd, "fifo")]);
        const paths = ["dir", "fifo", "ro/x", "locked", "file/below"];
        const kinds = await Promise.all(paths.map((path) => failure(write(target, path, "bad"))));
        expect(kinds).toEqual(["directory", "not_regular", "denied", "denied", "not_found"]);
        expect(readFileSync(join(cwd, "locked"), "utf8")).toBe("kept");
        expect(readdirSync(cwd).sort()).toEqual(["dir", "fifo", "file", "locked", "ro"]);
      }));

    test("writeFile() writes nothing when it is aborted already", () =>
      withTarget(async (target, cwd) => {
        const aborted = AbortSignal.abort(new Error("no"));
        const thrown = await target.writeFile("x", bytes("x"), {}, aborted).catch((error: unknown) => error);
        expect([thrown, readdirSync(cwd)]).toEqual([new Error("no"), []]);
      }));

    test("writeFile() side by side leaves one of the texts whole", () =>
      withTarget(async (target, cwd) => {
        const texts = Array.from({ length: 20 }, (_, index) => `${index}\n`.repeat(5000));
        await Promise.all(texts.map((text) => write(target, "a/b/same", text)));
        expect(texts).toContain(readFileSync(join(cwd, "a/b/same"), "utf8"));
        expect(readdirSync(join(cwd, "a/b"))).toEqual(["same"]);
      }));
  });

  // Not beside other tests of this file: they open descriptors too.
  test.serial(`${name}: writes, resolutions and failures leave no descriptor open`, () =>
    withTarget(async (target, cwd) => {
      symlinkSync("/etc", join(cwd, "link"));
      const round = async () => {
        await write(target, "a/b/x", "text");
        await write(target, "link/x", "text");
        await target.resolvePath("link/passwd", never());
        await target.stat("a/b/x", never());
        await target.stat("a/missing/x", never());
        await read(target, "a/b/x");
      };
      await leavesNoDescriptor(where, where === "here" ? 50 : 15, round);
    }),
  );

  for (const [what, place, path] of [
    ["a directory on the way", "sub", "sub/x"],
    ["the file itself", "x", "x"],
  ] as const) {
    test.serial(
      `${name}: ${races} writes while somebody swaps ${what} for a link write nothing outside`,
      () =>
        withTarget(async (target, cwd) => {
          const outside = join(cwd, "../outside");
          mkdirSync(outside);
          writeFileSync(join(outside, "kept"), "kept");
          const isDirectory = place === "sub";
          if (isDirectory) mkdirSync(join(cwd, place));
          else writeFileSync(join(cwd, place), "mine");
          const script = join(import.meta.dir, "../fakes/swap-link.ts");
          const leadsTo = isDirectory ? outside : join(outside, "kept");
          const racer = Bun.spawn([process.execPath, script, join(cwd, place), leadsTo], { stdout: "pipe" });
          try {
            await racer.stdout.getReader().read();
            const outcomes = { written: 0, refused: 0 };
            const judged = await target.resolvePath(".", never());
            if (!judged.ok) throw new Error(judged.error.detail);
            for (let count = 0; count < races; count++) {
              const done = await write(target, join(judged.value, path), "bad");
              outcomes[done.ok ? "written" : "refused"] += 1;
            }
            expect(outcomes.written + outcomes.refused).toBe(races);
            expect(outcomes.refused).toBeGreaterThan(0);
            expect(racer.exitCode).toBe(null);
          } finally {
            racer.kill("SIGKILL");
            await racer.exited;
          }
          expect([readdirSync(outside), readFileSync(join(outside, "kept"), "utf8")]).toEqual([
            ["kept"],
            "kept",
          ]);
          expect(existsSync(cwd)).toBe(true);
        }),
      30_000,
    );
  }
}
