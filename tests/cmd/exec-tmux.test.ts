import { describe, expect, test } from "bun:test";
import { calls, says, shell } from "../fakes/endpoint.ts";
import { noTmux, tmuxServer } from "../fakes/tmux-server.ts";
import { errorLines, execAgainst } from "./run-buddy.ts";

if (noTmux) console.log(`buddy exec is not tested in a shared terminal: ${noTmux}`);

const APPROVED = ["--approve", "all", "hi"];

describe.skipIf(noTmux !== undefined)("buddy exec --tmux", () => {
  test("types the command into the managed pane and gives the model output and exit code", async () => {
    using server = tmuxServer();
    const script = [calls(shell("echo one; echo two >&2; (exit 42)")), says("done")];
    const ran = await execAgainst(script, ["--tmux", ...APPROVED], { env: server.env });
    expect([ran.code, ran.stdout]).toEqual([0, "done\n"]);
    const [, second] = ran.requests;
    expect(JSON.stringify(second?.body)).toContain('\\"exit_code\\":42,\\"stdout\\":\\"one\\\\ntwo\\\\n\\"');
    expect(JSON.stringify(second?.body)).toContain("The shared terminal shows now");
    expect(ran.stderr).toContain("tmux attach -t buddy-buddy\n");
    const [session = ""] = Object.entries(ran.files).flatMap(([path, text]) =>
      path.endsWith(".jsonl") ? [text] : [],
    );
    expect([session.includes("echo one"), session.includes("shared terminal shows")]).toEqual([true, false]);
    expect(server.tmux("capture-pane", "-p", "-t", "=buddy-buddy:")).toContain(
      "echo one; echo two >&2; (exit 42)",
    );
  });

  test("names its session after --tmux=NAME, and says so", async () => {
    using server = tmuxServer();
    const ran = await execAgainst([says("done")], ["--tmux=Work", ...APPROVED], { env: server.env });
    expect(ran.stderr).toContain("tmux attach -t buddy-work\n");
    expect(server.tmux("list-sessions", "-F", "#{session_name} #{@buddy_managed} #{@buddy_owner}")).toBe(
      "buddy-work 1 buddy\n",
    );
  });

  test("leaves a session alone that bears the name and is not its own", async () => {
    using server = tmuxServer();
    server.tmux("new-session", "-d", "-s", "buddy-buddy", "cat");
    const ran = await execAgainst([says("done")], ["--tmux", ...APPROVED], { env: server.env });
    expect([ran.code, errorLines(ran)[0]]).toEqual([
      8,
      'buddy: The tmux session "buddy-buddy" was not made by buddy, so it is left alone: rename it, or set agent.name',
    ]);
    expect(server.tmux("list-panes", "-a", "-F", "#{pane_current_command}")).toBe("cat\n");
  });

  test("is error 8 where there is no tmux", async () => {
    const ran = await execAgainst([says("done")], ["--tmux", ...APPROVED], { env: { PATH: "/nowhere" } });
    expect([ran.code, errorLines(ran)]).toEqual([
      8,
      ["buddy: tmux is not installed", "hint: install tmux, or leave --tmux out"],
    ]);
  });

  test("without --tmux and without a terminal starts no tmux", async () => {
    using server = tmuxServer();
    const ran = await execAgainst([calls(shell("echo $TMUX_PANE")), says("done")], APPROVED, {
      env: server.env,
    });
    expect([ran.code, server.tmux("list-sessions")]).toEqual([0, ""]);
  });
});
