import { describe, expect, test } from "bun:test";
import type { Json, JsonObject } from "../../core/json.ts";
import type { RunEvent } from "../../core/ports/target.ts";
import { ok } from "../../core/result.ts";
import { runShellTool } from "../../core/tools/run-shell.ts";
import { fakeHost } from "../fakes/host.ts";
import { exited, fakeTarget, runsForEver, stderr, stdout, utf8 } from "../fakes/target.ts";
import { LIMITS, runTool, type ToolSetup } from "./run-tool.ts";

const DECLARED = { risk: "low", mutation: false, privesc: false, why: "a test" };
const shell = (more: JsonObject = {}): JsonObject => ({ command: "cmd", ...DECLARED, ...more });

/** Runs `cmd`, which does what the events say. */
async function runCmd(events: readonly RunEvent[], setup: ToolSetup & { readonly args?: JsonObject } = {}) {
  const target = fakeTarget({ commands: { cmd: events } });
  const run = await runTool(runShellTool, shell(setup.args), { target, ...setup });
  return { ...run, runs: target.runs };
}

describe("what a command gives", () => {
  test("runShellTool gives exit code, both streams and notices", async () => {
    const host = fakeHost();
    const target = fakeTarget({
      commands: {
        cmd: async function* () {
          yield stdout("one\ntwo\n");
          yield stderr("warn\n");
          yield { type: "notice", text: "a child is still running" };
          host.advance(1234.5);
          yield exited(0);
        },
      },
    });
    const { output, progress } = await runTool(runShellTool, shell(), { target, host });
    expect(output).toEqual({
      result: {
        exit_code: 0,
        stdout: "one\ntwo\n",
        stderr: "warn\n",
        duration_ms: 1235,
        notices: ["a child is still running"],
      },
      summary: "one (+1 lines)",
      isError: false,
    });
    expect(progress).toEqual([
      { type: "stdout_chunk", text: "one\ntwo\n" },
      { type: "stderr_chunk", text: "warn\n" },
    ]);
  });

  test.each<
    readonly [fact: string, end: RunEvent, exit_code: number | null, summary: string, notices: string[]]
  >([
    ["another exit code", exited(2), 2, "exit 2: so far", []],
    ["a signal", { type: "killed", signal: "SIGKILL" }, null, "Ended by SIGKILL", ["Ended by SIGKILL"]],
    [
      "a time-out",
      { type: "timed_out", afterMs: 125_000 },
      null,
      "Timed out after 2m05s and was ended",
      ["Timed out after 2m05s and was ended"],
    ],
    [
      "a target that cannot run it",
      { type: "failed", detail: "no such container" },
      null,
      "no such container",
      ["no such container"],
    ],
  ])(
    "runShellTool reports %s as an error, with the output so far",
    async (_fact, end, exit_code, summary, notices) => {
      const { output } = await runCmd([stdout("so far"), end]);
      expect(output).toEqual({
        result: { exit_code, stdout: "so far", stderr: "", duration_ms: 0, notices },
        summary,
        isError: true,
      });
    },
  );

  test("runShellTool keeps head and tail of long output and says how much is missing", async () => {
    const long = Array.from({ length: 100 }, (_, index) =>
      stdout(`line ${String(index).padStart(3, "0")}\n`),
    );
    const { output, progress } = await runCmd([...long, stderr("x".repeat(50)), exited()], {
      limits: { shellChars: 36 },
    });
    expect(output).toEqual({
      result: {
        exit_code: 0,
        stdout: "line 000\n\n[… 864 characters left out …]\nline 097\nline 098\nline 099\n",
        stderr: `${"x".repeat(9)}\n[… 14 characters left out …]\n${"x".repeat(27)}`,
        duration_ms: 0,
        notices: [
          'All of stdout (900 bytes) is in "/kept/c1.stdout"',
          'All of stderr (50 bytes) is in "/kept/c1.stderr"',
        ],
      },
      summary: "line 000 (+99 lines)",
      isError: false,
    });
    expect(progress.length).toBe(101);
  });

  test.each<readonly [fact: string, events: readonly RunEvent[], summary: string]>([
    ["a command that says nothing", [exited()], "done, no output"],
    ["one line", [stdout("only\n"), exited()], "only"],
    ["the first of many lines", [stdout("fir"), stdout("st\nsecond\nthird\n"), exited()], "first (+2 lines)"],
    ["blank lines with the others", [stdout("a\n\n\nb\n"), exited()], "a (+3 lines)"],
    ["nothing but a failure", [exited(1)], "exit 1"],
    [
      "a failure by what it complains of",
      [stdout("ok\n"), stderr("no such file\n"), exited(1)],
      "exit 1: no such file",
    ],
    ["a failure without a complaint by its output", [stdout("2 failed\n"), exited(1)], "exit 1: 2 failed"],
  ])("runShellTool sums up %s", async (_fact, events, summary) => {
    expect((await runCmd(events)).output.summary).toBe(summary);
  });

  test("runShellTool decodes characters that arrive in halves", async () => {
    const bytes = utf8("\ufeffä😀!");
    const halves = [...bytes].map((byte) => stdout(new Uint8Array([byte])));
    const { output, progress } = await runCmd([...halves, exited()]);
    expect(output.result).toMatchObject({ stdout: "\ufeffä😀!" });
    expect(progress.map(({ text }) => text)).toEqual(["\ufeff", "ä", "😀", "!"]);
  });

  test("runShellTool shows bytes that are no text as replacement characters", async () => {
    const { output } = await runCmd([stdout(new Uint8Array([0x61, 0xff, 0x62, 0xc3])), exited()]);
    expect(output.result).toMatchObject({ stdout: "a\ufffdb\ufffd" });
  });

  test("runShellTool describes binary output instead of dumping it", async () => {
    const png = new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 0x0d]);
    const { output, progress } = await runCmd([stdout(png), stdout("more"), stderr("fine\n"), exited()]);
    expect(output.result).toEqual({
      exit_code: 0,
      stdout: "[binary output: 16 bytes, first bytes 89 50 4e 47 0d 0a 1a 0a 00 00 00 0d]",
      stderr: "fine\n",
      duration_ms: 0,
      notices: ['All of stdout (16 bytes) is in "/kept/c1.stdout"'],
    });
    expect(progress).toEqual([{ type: "stderr_chunk", text: "fine\n" }]);
  });

  test("runShellTool stops showing output that has no end, and says so once", async () => {
    const megabyte = Array.from({ length: 16 }, () => stdout("x".repeat(65_536)));
    const { progress } = await runCmd([...megabyte, exited()]);
    const chunk = { type: "stdout_chunk", text: "x".repeat(65_536) } as const;
    expect(progress).toEqual([
      ...Array.from({ length: 5 }, () => chunk),
      { type: "info", text: "Further output is not shown" },
    ]);
  });
});

describe("waiting", () => {
  test.each<readonly [wait: JsonObject, timeoutMs: number]>([
    [{}, LIMITS.shellTimeoutMs],
    [{ wait: true }, LIMITS.shellTimeoutMs],
    [{ wait: 90 }, 90_000],
    [{ wait: "10m" }, 600_000],
    [{ wait: "45" }, 45_000],
    [{ wait: "24h" }, 86_400_000],
    [{ wait: 86_400 }, 86_400_000],
  ])("runShellTool takes %j", async (args, timeoutMs) => {
    const { runs } = await runCmd([exited()], { args });
    expect(runs).toEqual([{ command: "cmd", timeoutMs }]);
  });

  test("runShellTool runs nothing with wait: false where there is no tmux, and says what to do", async () => {
    const { output, runs } = await runCmd([], { args: { wait: false } });
    const error =
      "wait: false needs a tmux shell; here each command has a shell of its own and has to end. Use wait: true or a duration";
    expect(output).toEqual({ result: { error }, summary: error, isError: true });
    expect(runs).toEqual([]);
  });

  test.each<readonly [wait: Json]>([
    [0],
    [-1],
    [1.5],
    [86_401],
    ["0s"],
    ["25h"],
    ["soon"],
    [""],
    ["-5m"],
    [null],
    [[]],
    [{}],
  ])("runShellTool refuses to wait %j", (wait) => {
    expect(runShellTool.prepare(shell({ wait }))).toEqual({
      ok: false,
      error: 'wait out of range: true, false, a duration such as "10m", or whole seconds, at most 24 hours',
    });
  });

  test("runShellTool lets an abort through", async () => {
    const abort = new AbortController();
    const target = fakeTarget({ commands: { cmd: runsForEver(() => abort.abort(), stdout("x")) } });
    const running = runTool(runShellTool, shell(), { target, signal: abort.signal });
    await expect(running).rejects.toThrow("aborted");
  });

  test("runShellTool throws when the target breaks its contract", async () => {
    await expect(runCmd([stdout("x")])).rejects.toThrow("Target port ended without a closing event");
  });
});

describe("arguments", () => {
  test("runShellTool asks permission for exactly the command that runs", () => {
    const args = { command: "rm -rf 'a b'", risk: "high", mutation: true, privesc: true, why: "clean" };
    expect(runShellTool.prepare(args)).toEqual(
      ok({
        need: {
          kind: "shell",
          subject: "rm -rf 'a b'",
          risk: "high",
          mutation: true,
          privesc: true,
          why: "clean",
        },
        execute: expect.any(Function),
        withSubject: expect.any(Function),
      }),
    );
  });

  test("runShellTool names every field that is missing", () => {
    expect(runShellTool.prepare({})).toEqual({
      ok: false,
      error: ["command", "risk", "mutation", "privesc", "why"].map((key) => `${key} is required`).join("; "),
    });
  });

  test.each<readonly [more: JsonObject, error: string]>([
    [{ command: "" }, "command is required"],
    [{ why: "" }, "why must say why"],
    [{ risk: "none" }, 'risk must be ("low" | "medium" | "high"), not "none"'],
    [{ mutation: "no" }, 'mutation must be boolean, not "no"'],
  ])("runShellTool refuses %j", (more, error) => {
    expect(runShellTool.prepare(shell(more))).toEqual({ ok: false, error });
  });
});
