import { describe, expect, test } from "bun:test";
import { calls, raw, says, shell } from "../fakes/endpoint.ts";
import { noTmux, openTerminal } from "../repl/terminal.ts";
import { configFor, newEndpoint, newPlace, runShell, type Script, stillRunning } from "./run-buddy.ts";
import { savedRoles } from "./session-lines.ts";

const TOOL_TURN = [calls(shell("echo hi")), says("the answer")];

const runLine = async (script: Script, line: string, toml = "") => {
  await using endpoint = newEndpoint(script);
  using place = newPlace(configFor(endpoint.url, toml));
  const ran = await runShell(place, line);
  return { ...ran, requests: endpoint.requests };
};

describe.concurrent("buddy exec in odd surroundings", () => {
  test.each([
    ["nohup", 'nohup "$BUDDY" exec --approve all hi'],
    ["setsid", 'setsid -w "$BUDDY" exec --approve all hi'],
    ["an empty environment", 'env -i HOME="$HOME" "$BUDDY" exec --approve all hi'],
    [
      "the environment of cron",
      'cd / && env -i HOME="$HOME" PATH=/usr/bin:/bin SHELL=/bin/sh "$BUDDY" exec --approve all --no-session hi',
    ],
    ["a background job", '"$BUDDY" exec --approve all hi < /dev/null & wait $!'],
    ["a low priority", 'nice -n 19 "$BUDDY" exec --approve all hi'],
    ["LANG=C", 'LANG=C LC_ALL=C "$BUDDY" exec --approve all hi'],
    ["a locale that is not there", 'LANG=xx_YY.latin1 "$BUDDY" exec --approve all hi'],
    ["TERM=dumb", 'TERM=dumb "$BUDDY" exec --approve all hi'],
    ["few open files", 'ulimit -n 64; "$BUDDY" exec --approve all hi'],
  ])("exec answers under %s", async (_what, line) => {
    const ran = await runLine(TOOL_TURN, line);
    expect([ran.code, ran.stdout]).toEqual([0, "the answer\n"]);
    expect(ran.stderr).not.toContain("\u001b");
  });

  test("exec goes on when the terminal of nohup hangs up", async () => {
    const waiting = "while [ ! -s begun ]; do sleep 0.01; done";
    const line = `nohup "$BUDDY" exec --approve all hi > out 2> err & ${waiting}; kill -HUP $!; : > hung; wait $!; cat out`;
    const script = [
      calls(shell("echo 1 > begun; while [ ! -e hung ]; do sleep 0.01; done; sleep 0.2")),
      says("the answer"),
    ];
    expect((await runLine(script, line)).stdout).toBe("the answer\n");
  });

  test("exec reads 50 MB of standard input whole, within bounds", async () => {
    const line = 'head -c 50000000 /dev/zero | tr "\\0" x | "$BUDDY" exec --no-session --quiet hi';
    const ran = await runLine([says("much")], line, "context_limit = 100000000\n");
    expect([ran.code, ran.stdout]).toEqual([0, "much\n"]);
    expect(JSON.stringify(ran.requests[0]?.body).length).toBeGreaterThan(50_000_000);
    expect(ran.maxRssBytes).toBeLessThan(1_000_000_000);
  }, 60_000);

  test("exec with more than fits sends no more than fits", async () => {
    const line = 'head -c 50000000 /dev/zero | tr "\\0" x | "$BUDDY" exec --no-session --quiet hi';
    const ran = await runLine(() => says("ok"), line);
    expect([0, 7]).toContain(Number(ran.code));
    for (const { body } of ran.requests) expect(JSON.stringify(body).length).toBeLessThan(200_000);
  }, 60_000);

  test("exec --json stops its run when nobody reads any more", async () => {
    const long = calls(shell("echo $$ > pid; exec sleep 300"));
    const ran = await runLine(
      () => long,
      '{ "$BUDDY" exec --json --approve all hi; echo "$?" > code; } | head -1 > first',
    );
    expect([ran.files["cwd/code"], ran.files["cwd/first"]?.includes('"started"')]).toEqual(["141\n", true]);
    expect(ran.stderr).not.toMatch(/EPIPE|Interrupted/);
    expect(stillRunning([Number(ran.files["cwd/pid"])])).toEqual([]);
    expect(savedRoles(ran)[0]).toBe("user");
  });
});

describe("buddy exec on a terminal", () => {
  const onTerminal = async (script: Script, args: string, check: (seen: Seen) => Promise<void>) => {
    if (noTmux !== undefined) return console.log(`skipped: ${noTmux}`);
    await using endpoint = newEndpoint(script);
    using place = newPlace(configFor(endpoint.url));
    const shellLine = `trap : INT; "$BUDDY" exec ${args}; echo "code $?"; sleep 60`;
    await using terminal = await openTerminal(place, { shell: shellLine });
    await check(terminal);
  };
  type Seen = Pick<Awaited<ReturnType<typeof openTerminal>>, "sees" | "press" | "screen">;

  test("a live line says what happens and for how long, and goes away", async () => {
    const script = [{ ...calls(shell("sleep 1.5")), paceMs: 100 }, says("the answer")];
    await onTerminal(script, "--approve all --no-tmux hi", async ({ sees, screen }) => {
      await sees(/waiting for the model 0s/);
      await sees(/run_shell .*sleep 1\.5.* 1s/);
      await sees("code 0");
      const last = await screen();
      expect(last).toContain("the answer");
      expect(last).not.toMatch(/waiting for the model|[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏]/);
    });
  }, 30_000);

  test("--quiet has none, and Ctrl-C leaves a clean line", async () => {
    const asked = Promise.withResolvers<void>();
    const stalls = () => {
      asked.resolve();
      return raw([], "stall");
    };
    await onTerminal(stalls, "--quiet --no-tmux hi", async ({ sees, press, screen }) => {
      await asked.promise;
      expect(await screen()).toBe("");
      await press("C-c");
      await sees("code 130");
      expect(await screen()).toMatch(/buddy: Interrupted\ncode 130/);
    });
  }, 30_000);
});
