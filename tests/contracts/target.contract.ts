import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type OpenTarget, type TargetTraits, targetLeases } from "./target-leases.ts";
import {
  abortOnceStarted,
  alive,
  asks,
  ended,
  FAMILY,
  failureKind,
  leavesNoDescriptor,
  never,
  pidsIn,
  plainEnv,
  QUIET_CHILD,
  type Read,
  read,
  run,
  runWatched,
} from "./target-runs.ts";

/** What every target keeps. `open` gives a new one that works in `cwd`; files of this machine are its files. */
export function targetContract(
  name: string,
  open: OpenTarget,
  traits: TargetTraits = { place: "here" },
): void {
  const { place, shell = "plain" } = traits;
  const inPane = shell === "pane";
  /** What a pane adds where the command ended the pane's own shell: its farewell, and word of it. */
  const farewell = inPane
    ? { stdout: expect.stringMatching(/^(exit\n|logout\n)?$/), notices: [expect.stringContaining("ended")] }
    : {};
  const { withTarget, withNewTarget } = targetLeases(open, traits);
  setDefaultTimeout(place === "here" ? 5000 : 60_000);
  /** Links, engines and their shells share the machine with the tests that wait for them. */
  const within = (ms: number) => (place === "here" ? ms : ms * 3);

  describe.concurrent(`${name}: run()`, () => {
    test.each([0, 1, 42, 255])("run() reports exit code %d", (code) =>
      withTarget(async (target) => {
        expect(await run(target, `exit ${code}`)).toEqual({
          ...ended({ type: "exited", code }),
          ...farewell,
        });
      }),
    );

    test("run() reports a program that does not exist", () =>
      withTarget(async (target) => {
        const { end, stdout, stderr } = await run(target, "buddy-has-no-such-program");
        const [said, other] = inPane ? [stdout, stderr] : [stderr, stdout];
        expect({ end, other, named: said.includes("buddy-has-no-such-program") }).toEqual({
          end: { type: "exited", code: 127 },
          other: "",
          named: true,
        });
      }));

    test("run() keeps stdout and stderr apart where they are two", () =>
      withTarget(async (target) => {
        const ran = await run(target, "echo one; echo two >&2; echo three; echo four >&2");
        expect(ran).toEqual({
          ...ended({ type: "exited", code: 0 }),
          stdout: inPane ? "one\ntwo\nthree\nfour\n" : "one\nthree\n",
          stderr: inPane ? "" : "two\nfour\n",
        });
      }));

    test.each(["SIGKILL", "SIGSEGV", "SIGTERM"])("run() reports a death by %s", (signal) =>
      withTarget(async (target) => {
        // A shell that somebody types into does not die of a polite signal.
        const lives = inPane && signal === "SIGTERM";
        const end = lives ? ended({ type: "exited", code: 0 }) : ended({ type: "killed", signal });
        expect(await run(target, `kill -${signal.slice(3)} $$`)).toEqual({
          ...end,
          ...(lives ? {} : farewell),
        });
      }),
    );

    test("run() works in the target's directory", () =>
      withTarget(async (target, cwd) => {
        expect((await run(target, "pwd -P")).stdout).toBe(`${cwd}\n`);
        expect(target.cwd).toBe(cwd);
      }));

    test("run() gives the command an empty standard input, or a terminal", () =>
      withTarget(async (target) => {
        if (inPane) {
          expect(await run(target, "test -t 0")).toEqual(ended({ type: "exited", code: 0 }));
          return;
        }
        const ran = await run(target, "cat; read line; echo $?");
        expect(ran).toEqual({ ...ended({ type: "exited", code: 0 }), stdout: "1\n" });
      }));

    test("run() takes a command of several lines with quotes and no final newline", () =>
      withTarget(async (target) => {
        const ran = await run(target, "cat <<'END'\nit's \"$HOME\" `x`\nEND\nprintf 'é漢😀'");
        expect(ran.stdout).toBe('it\'s "$HOME" `x`\né漢😀');
      }));

    test("run() brings bytes as they are", () =>
      withTarget(async (target) => {
        const bytes: number[] = [];
        for await (const event of target.run(asks("printf '\\377\\376\\000\\033[31m'"), never())) {
          if (event.type === "stdout") bytes.push(...event.bytes);
        }
        // A terminal takes colours for what they are.
        expect(bytes).toEqual([0xff, 0xfe, 0, ...(inPane ? [] : [0x1b, 0x5b, 0x33, 0x31, 0x6d])]);
      }));

    test("run() brings 5 MB whole on both streams at once", () =>
      withTarget(async (target) => {
        const size = 5_000_000;
        const family = `head -c ${size} /dev/zero | tr "\\\\0" a & head -c ${size} /dev/zero | tr "\\\\0" b >&2; wait`;
        const { stdout, stderr, end } = await run(target, `sh -c '${family}'`);
        const merged = stdout + stderr;
        const [as, bs] = inPane ? [merged.replaceAll("b", ""), merged.replaceAll("a", "")] : [stdout, stderr];
        expect([end, as === "a".repeat(size), bs === "b".repeat(size)]).toEqual([
          { type: "exited", code: 0 },
          true,
          true,
        ]);
      }));

    test("run() gives the command no key and nothing that steers Bun", () => {
      const env = {
        ...plainEnv(),
        BUDDY_API_KEY: "k1",
        OPENAI_API_KEY: "k2",
        GITHUB_TOKEN: "k3",
        my_secret: "k4",
        DB_PASSWORD: "k5",
        BUN_OPTIONS: "--preload ./x.ts",
        BUN_BE_BUN: "1",
        HARMLESS: "kept",
      };
      return withNewTarget(async (target) => {
        const { stdout } = await run(target, "env");
        const names = stdout.split("\n").map((line) => line.split("=")[0] ?? "");
        expect(names.filter((found) => /KEY|TOKEN|SECRET|PASSWORD|^BUN_/i.test(found))).toEqual([]);
        expect(names.includes("HARMLESS")).toBe(place === "here");
      }, env);
    });

    const timeIsUp: unknown = inPane
      ? { type: "left_running", afterMs: 300, how: expect.stringContaining("attach") }
      : { type: "timed_out", afterMs: 300 };

    test("run() ends the whole process group when the time is up, or says how to look at it", () =>
      withTarget(async (target) => {
        const { ran, pids } = await runWatched(target, `${FAMILY}; wait`, 300);
        expect<unknown>(ran.end).toEqual(timeIsUp);
        if (inPane) return;
        expect(await alive(target, pids)).toEqual([]);
      }));

    test("run() keeps what was written before the time was up", () =>
      withTarget(async (target) => {
        expect<unknown>(await run(target, "echo first; echo second >&2; sleep 300", 300)).toEqual({
          end: timeIsUp,
          stdout: inPane ? "first\nsecond\n" : "first\n",
          stderr: inPane ? "" : "second\n",
          notices: [],
        });
      }));

    test("run() throws the reason soon after an abort, once the whole process group has ended", () =>
      withTarget(async (target) => {
        const { failure, pids, tookMs } = await abortOnceStarted(target, `${FAMILY}; wait`);
        expect(failure).toEqual(new Error("the user said stop"));
        expect(await alive(target, pids)).toEqual([]);
        expect(tookMs).toBeLessThan(within(1000));
      }));

    test("run() ends a process group that ignores the polite signal soon after an abort", () =>
      withTarget(async (target) => {
        const { failure, pids, tookMs } = await abortOnceStarted(target, `trap '' TERM; ${FAMILY}; wait`);
        expect(failure).toEqual(new Error("the user said stop"));
        expect(await alive(target, pids)).toEqual([]);
        expect(tookMs).toBeLessThan(within(3000));
      }));

    test("run() starts nothing when it is aborted already", () =>
      withTarget(async (target, cwd) => {
        const failure = await run(target, "touch started", 10_000, AbortSignal.abort(new Error("no"))).catch(
          (error: unknown) => error,
        );
        expect([failure, readdirSync(cwd)]).toEqual([new Error("no"), []]);
      }));

    test("run() is not held by a background child that keeps the pipes, and close() ends it", async () => {
      let pids: readonly number[] = [];
      await withNewTarget(async (target) => {
        const startedMs = performance.now();
        const watched = await runWatched(target, FAMILY, 60_000);
        pids = watched.pids;
        expect(watched.ran.end).toEqual({ type: "exited", code: 0 });
        expect(performance.now() - startedMs).toBeLessThan(within(2000));
        expect(await alive(target, pids)).toEqual(pids);
      });
      await withNewTarget(async (target) => {
        expect(await alive(target, pids)).toEqual([]);
      });
    });

    test("close() ends a background child that let go of the pipes", async () => {
      let pids: readonly number[] = [];
      await withNewTarget(async (target) => {
        const { ran, pids: found } = await runWatched(target, QUIET_CHILD, 60_000);
        pids = found;
        expect([ran.end, await alive(target, pids)]).toEqual([{ type: "exited", code: 0 }, pids]);
      });
      await withNewTarget(async (target) => {
        expect(await alive(target, pids)).toEqual([]);
      });
    });

    test("killNow() ends a family that ignores every polite signal, without waiting", () =>
      withNewTarget(async (target) => {
        const stubborn =
          "trap '' TERM INT HUP; sh -c 'trap \"\" TERM; echo $$; while :; do sleep 1; done' & echo $$; wait";
        // The shell of a pane is not the command's own.
        const shells = inPane ? pidsIn((await run(target, "echo $$")).stdout) : [];
        const said: number[] = [];
        for await (const event of target.run(asks(stubborn), never())) {
          if (event.type === "stdout") said.push(...pidsIn(new TextDecoder().decode(event.bytes)));
          if (said.length === 2) target.killNow();
        }
        expect(said.length).toBe(2);
        const own = said.filter((pid) => !shells.includes(pid));
        // Whoever is told to kill is not asked again: another one looks.
        await withNewTarget(async (other) => {
          expect(await alive(other, own)).toEqual([]);
        });
      }));

    test("run() runs commands side by side, or one after the other", () =>
      withTarget(async (target) => {
        if (inPane) {
          const ran = await Promise.all(["one", "two", "three"].map((word) => run(target, `echo ${word}`)));
          expect(ran.map(({ stdout }) => stdout)).toEqual(["one\n", "two\n", "three\n"]);
          return;
        }
        // Each of the two waits for the other through a pipe: one after the other they would never end.
        await run(target, "mkfifo there back");
        const [a, b] = await Promise.all([
          run(target, "echo from-a > there; cat back"),
          run(target, "cat there; echo from-b > back"),
        ]);
        expect([a.stdout, b.stdout]).toEqual(["from-b\n", "from-a\n"]);
      }));
  });

  describe.concurrent(`${name}: readFile()`, () => {
    test("readFile() brings a text with its size", () =>
      withTarget(async (target, cwd) => {
        writeFileSync(join(cwd, "a.txt"), "héllo\n");
        const found: Read = { events: ["opened", "chunk", "ended"], size: 7, text: "héllo\n" };
        expect(await read(target, "a.txt")).toEqual(found);
        expect(await read(target, join(cwd, "a.txt"))).toEqual(found);
      }));

    test("readFile() brings an empty file", () =>
      withTarget(async (target, cwd) => {
        writeFileSync(join(cwd, "empty"), "");
        expect(await read(target, "empty")).toEqual({ events: ["opened", "ended"], size: 0, text: "" });
      }));

    test("readFile() brings 8 MB whole, in pieces", () =>
      withTarget(async (target, cwd) => {
        const text = "0123456789abcde\n".repeat(500_000);
        writeFileSync(join(cwd, "large"), text);
        const found = await read(target, "large");
        expect([found.size, found.text === text, found.events.length > 3]).toEqual([text.length, true, true]);
      }));

    test("readFile() lets a reader stop early", () =>
      withTarget(async (target, cwd) => {
        writeFileSync(join(cwd, "large"), "x".repeat(1_000_000));
        const seen: string[] = [];
        for await (const event of target.readFile("large", never())) {
          seen.push(event.type);
          if (event.type === "chunk") break;
        }
        expect(seen).toEqual(["opened", "chunk"]);
      }));

    test("readFile() tells failures apart", () =>
      withTarget(async (target, cwd) => {
        mkdirSync(join(cwd, "dir"));
        writeFileSync(join(cwd, "file"), "");
        await run(target, "mkfifo fifo; ln -s loop loop");
        const kinds = await Promise.all(
          ["missing", "file/below", "dir", "fifo", "/dev/null", "/dev/zero", "loop"].map((path) =>
            failureKind(target, path),
          ),
        );
        expect(kinds).toEqual([
          "not_found",
          "not_found",
          "directory",
          "not_regular",
          "not_regular",
          "not_regular",
          "link",
        ]);
      }));
  });

  // Not beside other tests of this file: they open descriptors too.
  const rounds = place === "here" ? 100 : 20;
  test.serial(`${name}: ${rounds} runs and reads leave no descriptor open`, () =>
    withTarget(async (target, cwd) => {
      writeFileSync(join(cwd, "a.txt"), "text");
      const round = async () => {
        await run(target, "echo out; echo err >&2");
        await read(target, "a.txt");
        await read(target, "missing");
        for await (const event of target.readFile("a.txt", never())) if (event.type === "opened") break;
      };
      await leavesNoDescriptor(place, rounds, round);
    }),
  );
}
