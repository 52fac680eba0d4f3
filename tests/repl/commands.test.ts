import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { says } from "../fakes/endpoint.ts";
import { IDLE, lastMessages, openRepl } from "./open-repl.ts";
import { noTmux, openTerminal } from "./terminal.ts";

setDefaultTimeout(30_000);

const SECOND = '[models.other]\napi_base_url = "URL"\nmodel = "mock-large"\n';

describe.skipIf(noTmux !== undefined).concurrent("slash commands", () => {
  test("/model by name, by number and from the list of Ctrl-L", async () => {
    await using repl = await openRepl([says("ok")], {
      config: SECOND.replace("URL", "http://127.0.0.1:9/v1"),
    });
    await repl.enter("/model other");
    await repl.sees(/^· Model: other \(mock-large\)$/m);
    await repl.sees(/ · mock-large medium$/m);
    await repl.enter("/model 1");
    await repl.sees(/^· Model: mock$/m);
    await repl.press("C-l");
    await repl.sees(/^Model\n→ 1\. mock +mock\n {2}2\. other +mock-large\n[\s\S]*1 of \d+ · /m);
    await repl.press("Down", "Enter");
    await repl.sees(/· Model: other[\s\S]*· Model: mock\n[\s\S]*· Model: other/);
    await repl.press("C-l");
    await repl.sees(/^→ 2\. other/m);
    await repl.type("mock");
    await repl.sees(/^Model mock$/m);
    await repl.press("Escape");
    await repl.loses("Enter chooses");
  });

  test("/thinking, /theme, /tools, /mcp, /skill, /attach, /context and /copy say what they did", async () => {
    await using repl = await openRepl([says("the answer")], { rows: 50 });
    await repl.enter("/thinking high");
    await repl.sees(/^Thinking: high$/m);
    await repl.sees(/ · mock high$/m);
    await repl.enter("/thinking lots");
    await repl.sees('/thinking takes off, minimal, low, medium, high, not "lots"');
    await repl.enter("/theme light");
    await repl.sees("Theme: light");
    await repl.enter("/tools");
    await repl.sees(/^run_shell +\S/m);
    await repl.enter("/mcp");
    await repl.sees("No MCP servers are configured");
    await repl.enter("/skill:none");
    await repl.sees('There is no skill "none": no skills are configured');
    await repl.enter("/attach");
    await repl.sees(/There is no shared terminal|tmux attach/);
    await repl.enter("/copy");
    await repl.sees("There is no answer to copy yet");
    await repl.enter("hi");
    await repl.sees(/the answer\n\n>$/m);
    await repl.enter("/copy");
    await repl.sees("Copied 10 characters");
    expect(await repl.run("show-buffer")).toBe("the answer");
    await repl.enter("/context");
    await repl.sees(/^120 of \d+ tokens/m);
  });

  test("an unknown command names the nearest; a path is a prompt", async () => {
    await using repl = await openRepl([says("a file")]);
    await repl.enter("/stauts");
    await repl.sees('error: There is no command "/stauts"; did you mean "/status"?');
    await repl.enter("/etc/hosts is what?");
    await repl.sees(/a file\n\n>$/m);
  });

  test("/help lists every command and key", async () => {
    await using repl = await openRepl([], { rows: 60, columns: 100 });
    await repl.enter("/help");
    const shown = await repl.sees(/@ completes files/);
    for (const name of "status context model thinking ps kill timeout approve session tree compact login logout tools mcp skill theme copy export undo attach help quit new".split(
      " ",
    )) {
      expect(shown).toMatch(new RegExp(`^ {2}/${name}\\b`, "m"));
    }
  });

  test("/session, rename, new, fork, resume, /tree, /undo and /export", async () => {
    await using repl = await openRepl([says("first answer"), says("second answer"), says("third answer")], {
      rows: 60,
    });
    await repl.enter("/session");
    await repl.sees("No session yet");
    await repl.enter("one");
    await repl.sees(/first answer\n\n>$/m);
    await repl.enter("/session rename My title");
    await repl.enter("/session");
    const [, id = ""] = /^(\S+) “My title”$/m.exec(await repl.sees(/^\S+ “My title”$/m)) ?? [];
    await repl.enter("two");
    await repl.sees(/second answer\n\n>$/m);
    await repl.enter("/undo");
    await repl.sees(/Went back: 2 messages[\s\S]*^> two$/m);
    await repl.press("C-u");
    await repl.enter("/tree");
    await repl.sees(/^Go back to$[\s\S]*● > one[\s\S]*first answer[\s\S]*○ > two/m);
    await repl.press("Escape");
    await repl.loses("Enter chooses");
    await repl.enter("/export out.md");
    await repl.sees(/Written to \S+out\.md/);
    expect(readFileSync(join(repl.place.cwd, "out.md"), "utf8")).toContain("first answer");
    await repl.enter("/session fork");
    await repl.sees(/· Going on in \S+, a copy of/);
    await repl.enter("/new");
    await repl.sees("· New session");
    await repl.enter("three");
    await repl.sees(/third answer\n\n>$/m);
    expect(lastMessages(repl.endpoint)).not.toContain("first answer");
    await repl.enter(`/session resume ${id}`);
    await repl.sees(new RegExp(`· Resumed ${id} “My title”`));
  });
});

describe.skipIf(noTmux !== undefined).concurrent("buddy resume", () => {
  test("a picker, --last and an id; the conversation is shown and goes on", async () => {
    await using repl = await openRepl([says("first answer"), says("later answer"), says("last answer")]);
    await repl.enter("remember me");
    await repl.sees(/first answer\n\n>$/m);
    await repl.press("C-d");
    await repl.ended();

    await using picking = await openTerminal(repl.place, { args: ["resume"] });
    await picking.sees(/^Resume\n→ remember me +just now · 1 turn · mock · \S+$/m);
    await picking.press("Enter");
    await picking.sees(/❯ remember me\n\nfirst answer/);
    await picking.sees(IDLE);
    await picking.type("and now?");
    await picking.press("Enter");
    await picking.sees(/later answer\n\n>$/m);
    expect(lastMessages(repl.endpoint)).toMatch(/remember me.*first answer.*and now\?/);
    await picking.press("C-d");
    await picking.ended();

    await using last = await openTerminal(repl.place, { args: ["resume", "--last"] });
    await last.sees(/· Resumed \S+ [\s\S]*later answer/);
  });

  test("a warning of the start stands below the header", async () => {
    await using repl = await openRepl([], { config: '[display]\ntheme = "nosuch"\n[nonsense]\nx = 1\n' });
    const shown = await repl.sees('There is no theme "nosuch"');
    expect(shown.startsWith("buddy ")).toBe(true);
    expect(shown).toContain("nonsense");
  });

  test("buddy with a prompt submits it first", async () => {
    await using repl = await openRepl([says("hello back")], { args: ["say hello"], ready: false });
    await repl.sees(/^> say hello\n\nhello back\n\n>$/m);
  });
});
