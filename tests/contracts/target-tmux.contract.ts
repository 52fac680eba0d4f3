import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { type OpenTarget, type TargetTraits, targetLeases } from "./target-leases.ts";
import { abortOnceStarted, alive, FAMILY, read, run, runWatched } from "./target-runs.ts";

/** What a target keeps whose commands are typed into a pane; both streams are one there, and the shell goes on. */
export function targetTmuxContract(name: string, open: OpenTarget, traits: TargetTraits): void {
  const { withTarget } = targetLeases(open, traits);
  setDefaultTimeout(60_000);

  // One after the other: they share a pane where they share a target.
  describe.serial(`${name}: run()`, () => {
    test.each([0, 1, 42, 255])("run() reports exit code %d", (code) =>
      withTarget(async (target) => {
        expect(await run(target, `(exit ${code})`)).toMatchObject({
          end: { type: "exited", code },
          stdout: "",
        });
      }),
    );

    test("run() brings what both streams say, in order, and works in the target's directory", () =>
      withTarget(async (target, cwd) => {
        const { end, stdout, stderr } = await run(target, "echo one; echo two >&2; pwd -P");
        expect({ end, stdout, stderr }).toEqual({
          end: { type: "exited", code: 0 },
          stdout: `one\ntwo\n${cwd}\n`,
          stderr: "",
        });
      }));

    test("run() takes a command of several lines with quotes", () =>
      withTarget(async (target) => {
        const { stdout } = await run(target, "cat <<'END'\nit's \"$HOME\" `x` !\tx\nEND\nprintf 'é漢😀\\n'");
        // A pane has columns, so a tab comes back as blanks.
        expect(stdout.replace(/\s+x\n/, " x\n")).toBe('it\'s "$HOME" `x` ! x\né漢😀\n');
      }));

    test("run() keeps the shell between commands", () =>
      withTarget(async (target) => {
        await run(target, "kept=here");
        expect((await run(target, 'echo "$kept"')).stdout).toBe("here\n");
      }));

    test("run() throws the reason after an abort, when the command has ended", () =>
      withTarget(async (target) => {
        const { failure, pids } = await abortOnceStarted(target, `${FAMILY}; wait`);
        expect(failure).toEqual(new Error("the user said stop"));
        expect(await alive(target, pids)).toEqual([]);
      }));

    test("run() brings 2,000 lines whole", () =>
      withTarget(async (target) => {
        const { end, stdout } = await run(target, "seq 2000");
        expect([end, stdout.split("\n").length]).toEqual([{ type: "exited", code: 0 }, 2001]);
      }));

    test("run() says that a command which takes longer goes on", () =>
      withTarget(async (target) => {
        const { ran, pids } = await runWatched(target, "sh -c 'echo $$; exec sleep 1'", 300);
        expect(ran.end.type).toBe("left_running");
        expect(pids.length).toBe(1);
        await run(target, "true", 10_000);
      }));

    test("readFile() needs no pane", () =>
      withTarget(async (target, cwd) => {
        writeFileSync(join(cwd, "a.txt"), "text\n");
        expect((await read(target, "a.txt")).text).toBe("text\n");
        expect(target.panes?.attachHint).toMatch(/tmux attach -t buddy-/);
      }));
  });
}
