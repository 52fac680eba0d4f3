import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import { configFor, newEndpoint, newPlace, stillRunning } from "../cmd/run-buddy.ts";
import { type Reply, says } from "../fakes/endpoint.ts";
import { IDLE, openRepl } from "./open-repl.ts";
import { openPty } from "./pty.ts";
import { noTmux, openTerminal } from "./terminal.ts";

setDefaultTimeout(30_000);

const endless: Reply = { ...says("word ".repeat(4000), 2000), paceMs: 10 };
const STTY =
  'before=$(stty -a); $RUN; code=$?; after=$(stty -a); [ "$before" = "$after" ] && echo "same settings, code $code" || echo "$before" "$after"';
const ENTERED = ["\u001b[?2004h", "\u001b[?1004h", "\u001b[?25l"];
const LEFT = ["\u001b[?2004l", "\u001b[?1004l", "\u001b[?25h", "\u001b[?7h"];

/** Runs buddy in a shell that compares the settings of the terminal before and after. */
async function ending(how: (write: (text: string) => void, pid: number) => void, run = '"$BUDDY"') {
  await using endpoint = newEndpoint([endless]);
  using place = newPlace(configFor(endpoint.url));
  await using pty = openPty(place, ["/bin/sh", "-c", STTY.replace("$RUN", run)]);
  await pty.sees("/help lists");
  pty.write("go\r");
  await pty.sees("answering");
  const children = await Bun.file(`/proc/${pty.pid}/task/${pty.pid}/children`).text();
  how(pty.write, Number(children.trim().split(" ").at(-1)));
  await pty.sees("same settings, code ");
  const output = pty.output();
  return { code: Number(/same settings, code (\d+)/.exec(output)?.[1]), output };
}

function expectRestored(output: string): void {
  for (const sequence of ENTERED) expect(output).toContain(sequence);
  for (const [at, sequence] of LEFT.entries()) {
    const undone = ENTERED[at]?.replace(/[hl]$/, "") ?? "";
    expect(output.lastIndexOf(sequence)).toBeGreaterThan(
      undone === "" ? 0 : output.lastIndexOf(ENTERED[at] ?? ""),
    );
  }
}

describe.concurrent("the terminal is as it was", () => {
  test.each([
    ["Ctrl-D", (write: (text: string) => void) => write("\u001b"), 0],
    ["SIGTERM", (_: unknown, pid: number) => process.kill(pid, "SIGTERM"), 143],
  ])("after %s", async (name, how, expected) => {
    const ended = await ending((write, pid) => {
      how(write, pid);
      // Esc cancels the task; an empty line then exits.
      if (name === "Ctrl-D") setTimeout(() => write("\u0004"), 300);
    });
    expect(ended.code).toBe(expected);
    expectRestored(ended.output);
  });

  test("after SIGHUP", async () => {
    const { code, output } = await ending((_write, pid) => process.kill(pid, "SIGHUP"));
    expect(code).toBe(129);
    expectRestored(output);
  });

  test("after a bug in what is drawn", async () => {
    await using endpoint = newEndpoint([]);
    using place = newPlace(configFor(endpoint.url));
    const program = `"${process.execPath}" "${join(import.meta.dir, "crashing.ts")}"`;
    await using pty = openPty(place, ["/bin/sh", "-c", STTY.replace("$RUN", program)]);
    await pty.sees("same settings, code 1");
    expect(pty.output()).toContain("a component fails");
    expectRestored(pty.output());
  });
});

describe.skipIf(noTmux !== undefined)("Ctrl-Z", () => {
  test("gives the terminal to the shell, and fg takes it back where it was", async () => {
    await using repl = await openRepl([says("after all")], {
      shell: "exec bash --norc --noprofile -i",
      env: { PS1: "shell$ " },
    });
    await repl.sees("shell$");
    await repl.enter('"$BUDDY"');
    await repl.sees(IDLE);
    await repl.type("half a prompt");
    await repl.sees("> half a prompt");
    await repl.press("C-z");
    await repl.sees(/Stopped[\s\S]*shell\$/);
    await repl.enter("stty -a | grep -o ' icanon\\| echo '; fg");
    await repl.sees(/^> half a prompt$/m);
    expect(await repl.screen()).toContain(" icanon\n echo");
    await repl.press("Enter");
    await repl.sees(/after all\n\n>$/m);
  });

  test("where there is no shell to go back to, buddy goes on", async () => {
    await using repl = await openRepl([]);
    await repl.press("C-z");
    await repl.sees(IDLE);
    await repl.type("still here");
    await repl.sees(/^> still here$/m);
  });
});

describe.skipIf(noTmux !== undefined).concurrent("a terminal that is closed", () => {
  test.each([1, 2, 3, 4])("ends buddy, also in the middle of an answer (%i)", async () => {
    await using endpoint = newEndpoint([endless]);
    using place = newPlace(configFor(endpoint.url));
    const terminal = await openTerminal(place);
    await terminal.sees(IDLE);
    await terminal.type("go");
    await terminal.press("Enter");
    await terminal.sees("answering");
    const pid = Number(await terminal.run("display", "-p", "-t", ":0.0", "#{pane_pid}"));
    await terminal[Symbol.asyncDispose]();
    await endpoint.stop();
    while (stillRunning([pid]).length > 0) await Bun.sleep(20);
  });
});
