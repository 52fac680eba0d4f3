import { describe, expect, test } from "bun:test";
import { calls, says, shell } from "../fakes/endpoint.ts";
import { configFor, newEndpoint, newPlace, runShell, type Script } from "./run-buddy.ts";
import { savedRoles } from "./session-lines.ts";

const runLine = async (script: Script, line: string) => {
  await using endpoint = newEndpoint(script);
  using place = newPlace(configFor(endpoint.url));
  return await runShell(place, line);
};

/** Words of a stack or of the platform's own errors. */
const NO_DUMP = /EPIPE|ENOSPC|EBADF|Error:|\bat .*:\d+/;

const TOOL_TURN = [calls(shell("echo hi")), says("the answer")];

describe.concurrent("buddy exec and its output", () => {
  test("exec into head -1 ends quietly with the session saved", async () => {
    const long = "a line of the answer\n".repeat(50_000);
    const ran = await runLine([says(long)], '{ "$BUDDY" exec hi; echo "$?" > code; } | head -1');
    expect([ran.stdout, ran.files["cwd/code"]]).toEqual(["a line of the answer\n", "0\n"]);
    expect(ran.stderr).not.toMatch(NO_DUMP);
    expect(savedRoles(ran)).toEqual(["user", "assistant"]);
  });

  test("exec into a reader that is gone ends quietly with the session saved", async () => {
    const ran = await runLine(TOOL_TURN, '{ "$BUDDY" exec --approve all hi; echo "$?" > code; } | true');
    expect([ran.stdout, ran.files["cwd/code"]]).toEqual(["", "0\n"]);
    expect(ran.stderr).not.toMatch(NO_DUMP);
    expect(savedRoles(ran)).toEqual(["user", "assistant", "approval", "tool", "assistant"]);
  });

  test("exec with a stderr that nobody reads still answers", async () => {
    const ran = await runLine(TOOL_TURN, '{ "$BUDDY" exec --approve all hi 2>&1 >&3 3>&- | true; } 3>&1');
    expect([ran.stdout, savedRoles(ran).length]).toEqual(["the answer\n", 5]);
  });

  test.each([
    ["standard input", "<&-", "the answer\n"],
    ["standard output", ">&-", ""],
    ["standard error", "2>&-", "the answer\n"],
    ["all three", "<&- >&- 2>&-", ""],
  ])("exec runs without %s", async (_what, closed, answer) => {
    const ran = await runLine(TOOL_TURN, `"$BUDDY" exec --approve all hi ${closed}`);
    expect([ran.code, ran.stdout]).toEqual([0, answer]);
    expect(savedRoles(ran)).toEqual(["user", "assistant", "approval", "tool", "assistant"]);
  });

  test("exec into a full disk fails with a message and the session saved", async () => {
    const ran = await runLine(TOOL_TURN, '"$BUDDY" exec --approve all hi > /dev/full');
    expect([ran.code, ran.stderr.includes("the disk is full")]).toEqual([1, true]);
    expect(ran.stderr).not.toMatch(NO_DUMP);
    expect(ran.stderr).not.toContain("bug");
    expect(savedRoles(ran)).toEqual(["user", "assistant", "approval", "tool", "assistant"]);
  });

  test.each(["text", "json", "stream-json"])(
    "exec into a full disk leaves no lock in the format %s",
    async (format) => {
      const line = `"$BUDDY" exec --approve all --output-format ${format} hi > /dev/full`;
      const ran = await runLine(TOOL_TURN, line);
      expect([ran.code, Object.keys(ran.files).filter((path) => path.endsWith(".lock"))]).toEqual([1, []]);
    },
  );

  test("exec with a stderr on a full disk still answers", async () => {
    const ran = await runLine(TOOL_TURN, '"$BUDDY" exec --approve all hi 2> /dev/full');
    expect([ran.stdout, ran.code]).toEqual(["the answer\n", 0]);
    expect(savedRoles(ran)).toEqual(["user", "assistant", "approval", "tool", "assistant"]);
  });

  test("exec with both on a full disk ends with a failure and the session saved", async () => {
    const ran = await runLine(TOOL_TURN, '"$BUDDY" exec --approve all hi > /dev/full 2>&1');
    expect([ran.stdout, ran.code]).toEqual(["", 1]);
    expect(savedRoles(ran)).toEqual(["user", "assistant", "approval", "tool", "assistant"]);
  });

  test("exec writes no colour into a pipe, and into one under FORCE_COLOR", async () => {
    const plain = await runLine(TOOL_TURN, '"$BUDDY" exec --approve all hi');
    const forced = await runLine(TOOL_TURN, 'FORCE_COLOR=1 "$BUDDY" exec --approve all hi');
    const refused = await runLine(TOOL_TURN, 'FORCE_COLOR=1 NO_COLOR=1 "$BUDDY" exec --approve all hi');
    expect([plain, forced, refused].map(({ stderr }) => stderr.includes("\u001b["))).toEqual([
      false,
      true,
      false,
    ]);
    expect([plain, forced, refused].map(({ stdout }) => stdout)).toEqual(Array(3).fill("the answer\n"));
  });

  test("exec lets no control character of a model or a tool onto stderr", async () => {
    const hostile = "printf '\\033]0;title\\007\\033[2J'; exit 1";
    const script = [
      calls({ id: "a\u001b[2J", name: "no\u001b[31msuch", arguments: '{"x":"\\u001b[2J"}' }),
      calls(shell(hostile)),
      says("ok"),
    ];
    const ran = await runLine(script, '"$BUDDY" exec --approve all hi');
    expect([ran.stdout, ran.code]).toEqual(["ok\n", 0]);
    expect(ran.stderr).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/);
  });
});

describe.concurrent("buddy and its output", () => {
  const WORDS = ["--version", "-V", "version", "--help", "help exec", "config show", "models"];

  test.each(WORDS)("%s into a reader that is gone ends quietly", async (words) => {
    using place = newPlace();
    const ran = await runShell(place, `{ "$BUDDY" ${words}; echo "$?" > code; } | true`);
    expect([ran.stdout, ran.stderr, ran.files["cwd/code"]]).toEqual(["", "", "0\n"]);
  });

  test.each(WORDS)("%s into a full disk says so in one line and fails", async (words) => {
    using place = newPlace();
    const ran = await runShell(place, `"$BUDDY" ${words} > /dev/full`);
    expect(ran.code).toBe(1);
    expect(ran.stderr.split("\n")[0]).toMatch(/^buddy: .*the disk is full$/);
    expect(ran.stderr).not.toMatch(NO_DUMP);
  });

  test.each(WORDS)("%s without a standard output says nothing", async (words) => {
    using place = newPlace();
    const ran = await runShell(place, `"$BUDDY" ${words} >&-`);
    expect([ran.code, ran.stderr]).toEqual([0, ""]);
  });

  test("an error on a stderr that is full or closed keeps its exit code", async () => {
    using place = newPlace();
    for (const to of ["2> /dev/full", "2>&-"]) {
      expect((await runShell(place, `"$BUDDY" exec --nonsense ${to}`)).code).toBe(2);
    }
  });
});
