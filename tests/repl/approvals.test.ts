import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { calls, type Reply, says, shell } from "../fakes/endpoint.ts";
import { lastMessages, openRepl } from "./open-repl.ts";
import { noTmux } from "./terminal.ts";

setDefaultTimeout(30_000);

const asks = (command: string, more: object = {}): Reply => calls(shell(command, { why: "to see", ...more }));
const ASKED = /me@\S+\$ .* -- approve\?/;

describe.skipIf(noTmux !== undefined).concurrent("approvals", () => {
  test("the question has the command, what was declared, and the keys", async () => {
    await using repl = await openRepl([asks("echo hi", { risk: "high", mutation: true })]);
    await repl.enter("go");
    const shown = await repl.sees(ASKED);
    expect(shown).toMatch(
      /^me@\S+\$ echo hi -- approve\?\nrisk high · mutation yes · privesc no\nwhy: to see\n/m,
    );
    expect(shown).toContain("[y] once  [a] for this session  [n] no  [r] no, because…  [e] edit");
  });

  test("y runs it once: the same command is asked about again", async () => {
    await using repl = await openRepl([asks("echo ran"), asks("echo ran"), says("end")]);
    await repl.enter("go");
    await repl.sees(ASKED);
    await repl.press("y");
    await repl.sees(/✓ approved\n← ran/);
    await repl.sees(ASKED);
    await repl.press("n");
    await repl.sees(/✗ Denied: the user said no\n\nend\n\n>$/m);
  });

  test("a runs this exact command for the session without asking again", async () => {
    await using repl = await openRepl([asks("echo ran"), asks("echo ran"), asks("echo other"), says("end")]);
    await repl.enter("go");
    await repl.sees(ASKED);
    await repl.press("a");
    await repl.sees(/me@\S+\$ echo other -- approve\?/);
    const shown = await repl.screen();
    expect(shown).toContain("✓ approved for this session");
    expect(shown.match(/← ran/g)).toHaveLength(2);
  });

  test.each([["n"], ["Enter"], ["Escape"]])(
    "%s says no, and what was typed stays in the editor",
    async (key) => {
      await using repl = await openRepl([asks("touch made"), says("end")]);
      await repl.enter("go");
      await repl.sees(ASKED);
      await repl.press(key);
      await repl.sees(/end\n\n>$/m);
      expect(lastMessages(repl.endpoint)).toContain("Denied: the user said no");
    },
  );

  test("r says no in words that the model reads; the text in the editor comes back", async () => {
    const later: Reply = { ...asks("touch made"), paceMs: 120 };
    await using repl = await openRepl([later, says("end")]);
    await repl.enter("go");
    await repl.type("my draft");
    await repl.sees("> my draft");
    await repl.sees(ASKED);
    await repl.loses("you are typing");
    await repl.press("r");
    await repl.sees(/^why not\?$/m);
    await repl.enter("use the trash");
    await repl.sees(/end\n\n> my draft$/m);
    expect(lastMessages(repl.endpoint)).toContain("Denied: the user said no: use the trash");
  });

  test("e changes the command before it runs", async () => {
    await using repl = await openRepl([asks("echo one"), says("end")]);
    await repl.enter("go");
    await repl.sees(ASKED);
    await repl.press("e");
    await repl.sees(/^edit: echo one$/m);
    await repl.enter(" two");
    await repl.sees(/← one two/);
    await repl.sees(/end\n\n>$/m);
    expect(lastMessages(repl.endpoint)).toContain("The user changed this before it ran, to: echo one two");
  });

  test("a long command scrolls: nothing of it is left out", async () => {
    const lines = Array.from({ length: 60 }, (_, index) => `echo line-${index}-end`);
    await using repl = await openRepl([asks(lines.join("\n"))], { columns: 60, rows: 16 });
    await repl.enter("go");
    const seen = new Set<string>();
    const collect = (text: string) => {
      for (const [found] of text.matchAll(/echo line-\d+-end/g)) seen.add(found);
    };
    let page = await repl.sees(/lines 1–\d+ of 60/);
    for (collect(page); !page.includes("line-59-end -- approve?"); collect(page)) {
      const [where = ""] = /lines \d+–\d+ of 60/.exec(page) ?? [];
      await repl.press("PageDown");
      page = await repl.loses(where);
    }
    expect([...seen]).toHaveLength(60);
  });

  test("what cannot be seen is spelled", async () => {
    await using repl = await openRepl([asks("echo a\u202eb \u200b\t; echo c")]);
    await repl.enter("go");
    await repl.sees("$ echo a\\u{202e}b \\u{200b}\\x09; echo c -- approve?");
  });

  test("what is being typed when the question appears is no answer to it", async () => {
    const later: Reply = { ...asks("touch made"), paceMs: 30 };
    await using repl = await openRepl([later, says("end")]);
    await repl.enter("go");
    // Typed on and on while the question appears, as somebody does who has not looked up yet.
    for (let count = 0; count < 400 && !ASKED.test(await repl.screen()); count++) await repl.type("y");
    await repl.type("y");
    const shown = await repl.sees(ASKED);
    expect(shown).not.toContain("approved");
    await repl.loses("you are typing");
    await repl.press("n");
    await repl.sees(/end\n\n> y+$/m);
  });

  test("a file that would be written is shown as a diff", async () => {
    const edit = calls({ name: "write_file", arguments: { path: "new.txt", content: "one\ntwo\n" } });
    await using repl = await openRepl([edit, says("end")], { config: "[tools]\nfiles_confirm = true\n" });
    await repl.enter("go");
    const shown = await repl.sees(/write \S*new\.txt -- approve\?/);
    expect(shown).toMatch(/^ {2}\+one\n {2}\+two$/m);
    await repl.press("y");
    await repl.sees(/end\n\n>$/m);
  });
});
