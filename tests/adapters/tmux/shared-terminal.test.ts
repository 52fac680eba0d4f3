import { describe, expect, test } from "bun:test";
import type { PanePlace, Panes } from "../../../core/ports/panes.ts";
import { noTmux, tmuxServer } from "../../fakes/tmux-server.ts";
import { exited, openShared, runIn } from "./open-pane.ts";

if (noTmux) console.log(`The shared terminal is not tested: ${noTmux}`);

const never = (): AbortSignal => new AbortController().signal;

const managing = (panes: Panes | undefined) => {
  if (panes?.manage === undefined) throw new Error("No managed panes");
  return { panes, manage: panes.manage };
};

const seen = async (panes: Panes, place: PanePlace = {}): Promise<string> => {
  const captured = await panes.capture(
    {
      place,
      start: undefined,
      end: undefined,
      joinWrapped: false,
      trailingSpaces: false,
      escapes: false,
      alternate: false,
    },
    never(),
  );
  return captured.ok ? captured.value.text : captured.error;
};

/** Settles when what is looked at has the words. */
async function until(look: () => string | Promise<string>, words: string): Promise<string> {
  for (;;) {
    const text = await look();
    if (text.includes(words)) return text;
    await Bun.sleep(10);
  }
}

describe.skipIf(noTmux !== undefined)("the managed session", () => {
  test("is made with its marks, its window and its pane", async () => {
    await using shared = await openShared("bash");
    const format = "#{session_name} #{window_name} #{pane_title} #{@buddy_managed} #{@buddy_owner}";
    expect(shared.server.tmux("list-panes", "-a", "-F", format)).toBe("buddy-test shared shared 1 buddy\n");
  });

  test("is used again with what its shell knows, and brought to the directory of the run", async () => {
    using server = tmuxServer();
    await (async () => {
      await using first = await openShared("bash", { server, cwd: "/usr" });
      expect(await runIn(first.target, "kept=yes; pwd")).toEqual(exited(0, "/usr\n"));
    })();
    await using second = await openShared("bash", { server, cwd: "/var" });
    expect(await runIn(second.target, "echo $kept; pwd")).toEqual(exited(0, "yes\n/var\n"));
    expect(server.tmux("list-panes", "-a", "-F", "#{pane_id}")).toBe("%0\n");
  });

  test("says what is on the screen of a pane that somebody else uses, and types nothing", async () => {
    await using shared = await openShared("bash");
    const { panes } = managing(shared.target.panes);
    shared.server.tmux("send-keys", "-t", "=buddy-test:", "cat", "Enter");
    await until(() => shared.server.tmux("list-panes", "-a", "-F", "#{pane_current_command}"), "cat");
    const { end } = await runIn(shared.target, "echo not typed");
    expect(end.type === "failed" && end.detail).toContain("The pane is busy");
    expect(await seen(panes)).not.toContain("not typed");
    shared.server.tmux("send-keys", "-t", "=buddy-test:", "C-c");
    await until(() => shared.server.tmux("list-panes", "-a", "-F", "#{pane_current_command}"), "bash");
    expect(await runIn(shared.target, "echo typed")).toEqual(exited(0, "typed\n"));
  });

  test("does not add to what somebody has half typed", async () => {
    await using shared = await openShared("bash");
    shared.server.tmux("send-keys", "-t", "=buddy-test:", "-l", "echo half");
    await until(() => shared.server.tmux("capture-pane", "-p", "-t", "=buddy-test:"), "echo half");
    const { end } = await runIn(shared.target, "echo mine");
    expect(end.type === "failed" && end.detail).toContain("somebody has typed something");
    shared.server.tmux("send-keys", "-t", "=buddy-test:", "C-u");
    await until(
      () => String(shared.server.tmux("capture-pane", "-p", "-t", "=buddy-test:").includes("half")),
      "false",
    );
    expect(await runIn(shared.target, "echo mine")).toEqual(exited(0, "mine\n"));
  });

  test("is made anew when the server was killed, and that is said once", async () => {
    await using shared = await openShared("bash");
    process.kill(Number(shared.server.tmux("display-message", "-p", "#{pid}")), "SIGKILL");
    const ran = await runIn(shared.target, "echo alive");
    expect([ran.stdout, ran.end, ran.notices.length]).toEqual(["alive\n", { type: "exited", code: 0 }, 1]);
    expect(await runIn(shared.target, "echo again")).toEqual(exited(0, "again\n"));
  });

  test("a command during which the server is killed is of unknown outcome", async () => {
    await using shared = await openShared("bash");
    const pid = Number(shared.server.tmux("display-message", "-p", "#{pid}"));
    const ran = await runIn(shared.target, `echo before; kill -9 ${pid}; sleep 60`);
    expect(ran.end.type === "failed" && ran.end.detail).toContain("is not known");
  });

  test("outlives the removal of everything in its temporary directory that can be removed", async () => {
    await using shared = await openShared("bash");
    await runIn(shared.target, `rm -rf ${shared.server.dir}/*`);
    expect((await runIn(shared.target, "echo alive")).stdout).toBe("alive\n");
  });
});

describe.skipIf(noTmux !== undefined)("panes and sessions", () => {
  test("panes are made, used, listed and ended within their limit", async () => {
    await using shared = await openShared("bash", { maxPanes: 2 });
    const { manage } = managing(shared.target.panes);
    const made = await manage.createPane({ pane: "My Logs" }, never());
    expect(made.ok && made.value.created).toBe(true);
    const again = await manage.createPane({ pane: "my-logs" }, never());
    expect(again.ok && [again.value.created, again.value.paneId]).toEqual([
      false,
      made.ok && made.value.paneId,
    ]);
    const inPane = { command: "echo $TMUX_PANE", timeoutMs: 5000, place: { pane: "my-logs" } };
    const said: string[] = [];
    for await (const event of shared.target.run(inPane, never())) {
      if (event.type === "stdout") said.push(Buffer.from(event.bytes).toString());
    }
    expect(said.join("")).toBe(`${made.ok && made.value.paneId}\n`);
    expect(await manage.createPane({ pane: "third" }, never())).toEqual({
      ok: false,
      error: "There may be 2 panes (tmux.max_panes) and there are: shared, my-logs",
    });
    expect(await manage.killPane({ pane: "shared" }, never())).toMatchObject({ ok: false });
    expect(await manage.killPane({ pane: "my-logs" }, never())).toEqual({ ok: true, value: "my-logs" });
    expect(await manage.killPane({ pane: "my-logs" }, never())).toMatchObject({ ok: false });
  });

  test("sessions are made and ended within their limit; those of others are not seen", async () => {
    await using shared = await openShared("bash", { maxSessions: 2 });
    const { manage } = managing(shared.target.panes);
    shared.server.tmux("new-session", "-d", "-s", "buddy-theirs", "cat");
    expect(await manage.createSession("theirs", never())).toMatchObject({ ok: false });
    expect(await manage.killSession("theirs", never())).toMatchObject({ ok: false });
    const made = await manage.createSession("side", never());
    expect(made.ok && made.value.created).toBe(true);
    expect(await manage.createSession("more", never())).toMatchObject({ ok: false });
    expect(await manage.killSession("test", never())).toMatchObject({ ok: false });
    expect(await manage.killSession("buddy-side", never())).toEqual({ ok: true, value: "buddy-side" });
    expect(shared.server.tmux("list-sessions", "-F", "#{session_name}")).toBe("buddy-test\nbuddy-theirs\n");
  });

  test("keys are pressed and text is typed, in a scrolled pane too", async () => {
    await using shared = await openShared("bash");
    const { panes } = managing(shared.target.panes);
    await runIn(shared.target, "true");
    await runIn(shared.target, "true");
    shared.server.tmux("copy-mode", "-t", "=buddy-test:");
    await panes.sendKeys({ place: {}, keys: [], text: "echo a; #{pane_id} C-c ';", enter: false }, never());
    expect(await until(() => seen(panes), "C-c ';")).toContain("echo a; #{pane_id} C-c ';");
    await panes.sendKeys({ place: {}, keys: ["C-c"], text: "", enter: false }, never());
    await until(() => seen(panes), "^C\n");
    await panes.sendKeys({ place: {}, keys: [], text: "echo $((40 + 2))", enter: true }, never());
    expect(await until(() => seen(panes), "\n42")).toContain("echo $((40 + 2))");
  });
});

describe.skipIf(noTmux !== undefined)("commands and who watches them", () => {
  test("a second terminal sees each command as a person would type it", async () => {
    await using shared = await openShared("bash");
    using watcher = tmuxServer();
    const socket = shared.server.tmux("display-message", "-p", "#{socket_path}").trim();
    watcher.tmux(
      "new-session",
      "-d",
      "-x",
      "100",
      "-y",
      "30",
      `TMUX= tmux -S ${socket} attach -t =buddy-test`,
    );
    const look = () => watcher.tmux("capture-pane", "-p");
    await until(look, "[buddy-tes");
    await runIn(shared.target, "echo one | tr a-z A-Z");
    await runIn(shared.target, "for x in 1 2; do\n  echo $x\ndone");
    const lines = (await until(look, "done\n1\n2\n")).split("\n").map((line) => line.replace(/^.*?# /, "$ "));
    expect(lines.slice(0, 7)).toEqual([
      "$ echo one | tr a-z A-Z",
      "ONE",
      "$ for x in 1 2; do",
      "  echo $x",
      "done",
      "1",
      "2",
    ]);
  });

  test("output comes while the command runs", async () => {
    await using shared = await openShared("bash");
    const request = { command: "echo first; read line; echo $line", timeoutMs: 20_000 };
    const said: string[] = [];
    for await (const event of shared.target.run(request, never())) {
      if (event.type !== "stdout") continue;
      said.push(Buffer.from(event.bytes).toString());
      if (said.length === 1) shared.server.tmux("send-keys", "-t", "=buddy-test:", "typed", "Enter");
    }
    expect(said.join("")).toBe("first\ntyped\ntyped\n");
  });

  test("a command whose time is up goes on, and how to look at it is said", async () => {
    await using shared = await openShared("bash");
    const { panes } = managing(shared.target.panes);
    const late = await runIn(shared.target, "echo begun; read x; echo ended $x", { timeoutMs: 200 });
    expect([late.stdout, late.end]).toMatchObject(["begun\n", { type: "left_running", afterMs: 200 }]);
    const busy = await runIn(shared.target, "echo no");
    expect(busy.end.type === "failed" && busy.end.detail).toContain("begun");
    await panes.sendKeys({ place: {}, keys: [], text: "now", enter: true }, never());
    await until(() => seen(panes), "ended now");
    expect(await runIn(shared.target, "echo free")).toEqual(exited(0, "free\n"));
  });

  test("a dispatched command is answered at once and outlives the run; what others left behind does not", async () => {
    using server = tmuxServer();
    const pids: string[] = [];
    await (async () => {
      await using shared = await openShared("bash", { server });
      const { manage } = managing(shared.target.panes);
      pids.push((await runIn(shared.target, "sleep 301 & echo $!")).stdout.trim().split("\n").at(-1) ?? "");
      await manage.createPane({ pane: "server" }, never());
      const request = {
        command: "sleep 302",
        timeoutMs: 1,
        dispatch: true,
        place: { pane: "server" },
      } as const;
      for await (const event of shared.target.run(request, never())) expect(event.type).toBe("left_running");
      await until(() => server.tmux("list-panes", "-a", "-F", "#{pane_current_command}"), "sleep");
    })();
    expect(
      Bun.file(`/proc/${pids[0]}/stat`).size >= 0 && (await Bun.file(`/proc/${pids[0]}/stat`).exists()),
    ).toBe(false);
    expect(server.tmux("list-panes", "-a", "-F", "#{pane_current_command}")).toContain("sleep");
  });

  test.each([
    ['read -s -p "Password: " x', "a password is asked for"],
    ['read -s -p "Enter passphrase for key: " x', "a passphrase is asked for"],
    [
      'read -p "Are you sure you want to continue connecting (yes/no/[fingerprint])? " x',
      "a host key has to be accepted",
    ],
    ['read -p "Verification code: " x', "a second factor is asked for"],
    ["stty -echo; cat >/dev/null; stty echo", "not shown while it is typed"],
    ["seq 1000 | less", "a full-screen program"],
  ])("%p ends with a clear result where nobody is there", async (command, words) => {
    await using shared = await openShared("bash");
    const { end } = await runIn(shared.target, command);
    expect(end.type === "failed" && end.detail).toContain(words);
    expect((await runIn(shared.target, "stty echo; echo free")).stdout).toBe("free\n");
  });

  test("somebody who watches is told how to answer, and what they type stays theirs", async () => {
    await using shared = await openShared("bash", { watched: true });
    const request = { command: 'read -s -p "Password: " x; echo; echo got it', timeoutMs: 20_000 };
    const told: string[] = [];
    const said: string[] = [];
    for await (const event of shared.target.run(request, never())) {
      if (event.type === "stdout") said.push(Buffer.from(event.bytes).toString());
      if (event.type !== "attention") continue;
      told.push(event.text);
      shared.server.tmux("send-keys", "-t", "=buddy-test:", "-l", "hunter2");
      shared.server.tmux("send-keys", "-t", "=buddy-test:", "Enter");
    }
    expect(told).toEqual(["In the pane a password is asked for. Type it there: tmux attach -t buddy-test"]);
    expect(said.join("")).toBe("Password: \ngot it\n");
  });

  test("a code that is echoed while the user types it reaches neither the output nor a capture", async () => {
    await using shared = await openShared("bash", { watched: true });
    const { panes } = managing(shared.target.panes);
    const request = { command: 'read -p "Verification code: " x; echo checked', timeoutMs: 20_000 };
    const said: string[] = [];
    for await (const event of shared.target.run(request, never())) {
      if (event.type === "stdout") said.push(Buffer.from(event.bytes).toString());
      if (event.type !== "attention") continue;
      shared.server.tmux("send-keys", "-t", "=buddy-test:", "-l", "491827");
      shared.server.tmux("send-keys", "-t", "=buddy-test:", "Enter");
    }
    expect(said.join("")).toBe("Verification code: [typed by the user]\nchecked\n");
    expect(shared.server.tmux("capture-pane", "-p", "-t", "=buddy-test:")).toContain("491827");
    expect(await seen(panes)).toContain("Verification code: [typed by the user]\nchecked");
  });

  test("200 cancels at random moments leave nothing, and the pane can be used", async () => {
    await using shared = await openShared("bash");
    const polite = "sleep 310 & sleep 312";
    const stubborn = "sleep 310 & sh -c 'trap \"\" TERM INT; sleep 311' & sleep 312";
    for (let times = 0; times < 200; times++) {
      const controller = new AbortController();
      setTimeout(() => controller.abort(new Error("stop")), Math.random() * 15);
      const ended = await runIn(shared.target, times % 10 === 0 ? stubborn : polite, {
        signal: controller.signal,
      }).catch((error: unknown) => error);
      expect(ended).toEqual(new Error("stop"));
    }
    const left = Bun.spawnSync(["pgrep", "-f", "^sleep 31[012]$"]).stdout.toString();
    expect([left, await runIn(shared.target, "echo free")]).toEqual(["", exited(0, "free\n")]);
  }, 90_000);
});
