import { describe, expect, setDefaultTimeout, test } from "bun:test";
import type { Reply } from "../fakes/endpoint.ts";
import { calls, says, shell } from "../fakes/endpoint.ts";
import { lastMessages, openRepl } from "./open-repl.ts";
import { noTmux } from "./terminal.ts";

setDefaultTimeout(30_000);

/** Streams for longer than any test lasts. */
const endless: Reply = { ...says("word ".repeat(4000), 2000), paceMs: 10 };
/** Long enough to type something meanwhile. */
const working = calls(shell("sleep 1; echo slept"));
const ALL = ["--approve", "all"];

describe.skipIf(noTmux !== undefined).concurrent("while a task runs", () => {
  test("Enter steers: the message is queued, then told after the calls", async () => {
    await using repl = await openRepl([working, says("both done")], { args: ALL });
    await repl.enter("go");
    await repl.sees(/task #1 · run_shell/);
    await repl.enter("also this");
    await repl.sees(/^◷ also this\n. task #1 · run_shell · \ds\n>$/m);
    const after = await repl.sees(/both done\n\n>$/m);
    expect(after).toMatch(/← slept[^\n]*\n\n> also this\n\nboth done/);
    expect(lastMessages(repl.endpoint)).toMatch(/slept.*also this/);
  });

  test("Alt+Enter follows up: the message is told when the task would end", async () => {
    await using repl = await openRepl([working, says("first done"), says("second done")], { args: ALL });
    await repl.enter("go");
    await repl.sees(/task #1 · run_shell/);
    await repl.type("then that");
    await repl.press("M-Enter");
    await repl.sees("◷ then that (when it would end)");
    const after = await repl.sees(/second done\n\n>$/m);
    expect(after).toMatch(/first done\n\n> then that\n\nsecond done/);
    expect(after).not.toContain("◷");
  });

  test("Alt+Up takes the queue back into the editor", async () => {
    await using repl = await openRepl([endless]);
    await repl.enter("go");
    await repl.sees("answering");
    await repl.enter("one");
    await repl.enter("two");
    await repl.sees(/^◷ one\n◷ two$/m);
    await repl.press("M-Up");
    await repl.sees(/^> one\n {2}two$/m);
    expect(await repl.screen()).not.toContain("◷");
  });

  test("Esc cancels, gives the queue back, and the next prompt tells the model", async () => {
    await using repl = await openRepl([endless, says("fine")]);
    await repl.enter("go");
    await repl.sees("answering");
    await repl.enter("queued words");
    await repl.sees("◷ queued words");
    await repl.press("Escape");
    await repl.sees(/· Stopped\n\n> queued words$/m);
    await repl.press("Enter");
    const after = await repl.sees(/fine\n\n>$/m);
    expect(after).toContain("\n> queued words\n");
    expect(after).not.toContain("harness_note");
    expect(lastMessages(repl.endpoint)).toContain("The user stopped the previous task");
  });

  test("Ctrl-C clears the editor, then cancels; twice it exits", async () => {
    await using repl = await openRepl([endless], { shell: '"$BUDDY"; echo "code $?"; cat' });
    await repl.sees(/^>$/m);
    await repl.enter("go");
    await repl.sees("answering");
    await repl.type("half a thou");
    await repl.sees("> half a thou");
    await repl.press("C-c");
    await repl.sees(/answering · \d+s\n>$/m);
    await repl.type("x");
    await repl.press("BSpace", "C-c");
    await repl.sees(/· Stopped\n\n>$/m);
    await repl.type("x");
    await repl.press("BSpace", "C-c");
    await repl.sees("Ctrl-C again exits");
    await repl.press("C-c");
    await repl.sees("code 0");
  });

  test("commands that would disturb it are refused with a reason, the others work", async () => {
    await using repl = await openRepl([endless]);
    await repl.enter("go");
    await repl.sees("answering");
    await repl.enter("/model other");
    await repl.sees(/warning: \/model has to wait until task #1 has ended/);
    await repl.enter("/ps");
    await repl.sees(/^#1 {2}answering/m);
    await repl.enter("/approve none");
    await repl.sees(/approve none$/m);
    await repl.enter("/timeout 1h");
    await repl.sees("Task #1 ends after 1h");
    await repl.enter("/kill 2");
    await repl.sees('No task "2" is running');
    await repl.enter("/kill 1");
    await repl.sees("· Stopped");
  });

  test("/timeout ends it", async () => {
    await using repl = await openRepl([endless]);
    await repl.enter("go");
    await repl.sees("answering");
    await repl.enter("/timeout 200ms");
    await repl.sees(/error: Stopped after 200ms/);
  });
});

describe.skipIf(noTmux !== undefined).concurrent("commands of the user's own", () => {
  test("Esc stops one that runs too long", async () => {
    await using repl = await openRepl([]);
    await repl.enter("!sleep 60");
    await repl.sees("It runs; Esc stops it");
    await repl.press("Escape");
    await repl.sees(/^> !sleep 60\n\n· Stopped$/m);
  });

  test("!cmd runs and is told with the next prompt, !!cmd is not", async () => {
    await using repl = await openRepl([says("seen")]);
    await repl.enter("!echo one-$((1+1)); false");
    await repl.sees(/^> !echo[^\n]*\n\none-2\nexit 1$/m);
    await repl.enter("!!echo secret-$((2+2))");
    await repl.sees(/^secret-4$/m);
    await repl.enter("what was it?");
    await repl.sees(/seen\n\n>$/m);
    const told = lastMessages(repl.endpoint);
    expect(told).toContain("$ echo one-$((1+1)); false\\none-2\\n[exit 1]");
    expect(told).not.toContain("secret-4");
  });
});
