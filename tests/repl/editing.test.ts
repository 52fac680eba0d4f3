import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { says } from "../fakes/endpoint.ts";
import { IDLE, lastMessages, openRepl } from "./open-repl.ts";
import { noTmux, openTerminal } from "./terminal.ts";

setDefaultTimeout(30_000);

const HISTORY = ".local/state/buddy/history.jsonl";

describe.skipIf(noTmux !== undefined).concurrent("editing", () => {
  test.each([
    ["C-a and C-e", ["C-a", "x", "C-e", "y"], "> xone two threey"],
    ["C-b and C-f", ["C-b", "C-b", "C-f", "-"], "> one two thre-e"],
    ["C-k and C-y", ["C-a", "M-f", "C-k", "C-y", "C-y"], "> one two three two three"],
    ["C-u", ["C-b", "C-u"], "> e"],
    ["C-w", ["C-w", "C-w"], "> one"],
    ["M-b and M-d", ["M-b", "M-b", "M-d"], "> one  three"],
    ["Home, End, Delete and BSpace", ["Home", "DC", "End", "BSpace"], "> ne two thre"],
    ["arrows", ["Left", "Left", "Right", "_"], "> one two thre_e"],
    ["undo", ["C-w", "C-_"], "> one two three"],
  ])("%s", async (_name, keys, expected) => {
    await using repl = await openRepl([]);
    await repl.type("one two three");
    await repl.press(...keys);
    await repl.sees(new RegExp(`^${expected.replace(/[-+]/g, "\\$&")}$`, "m"));
  });

  test("new lines by Alt+Enter, Ctrl+J and a trailing backslash; Enter sends them", async () => {
    await using repl = await openRepl([says("ok")]);
    await repl.type("one");
    await repl.press("M-Enter");
    await repl.type("two");
    await repl.press("C-j");
    await repl.type("three\\");
    await repl.press("Enter");
    await repl.type("four");
    await repl.sees("> one\n  two\n  three\n  four\n");
    await repl.press("Enter");
    await repl.sees(/ok\n\n>$/m);
    expect(lastMessages(repl.endpoint)).toContain("one\\ntwo\\nthree\\nfour");
  });

  test("a paste of 500 lines is one marker, and is sent whole", async () => {
    await using repl = await openRepl([says("read")]);
    const pasted = Array.from({ length: 500 }, (_, index) => `line ${index}`).join("\n");
    await repl.paste(pasted);
    await repl.sees(/^> \[paste #1 \+500 lines\]$/m);
    await repl.press("Enter");
    await repl.sees(/read\n\n>$/m);
    expect(lastMessages(repl.endpoint)).toContain(JSON.stringify(pasted).slice(1, -1));
  });

  test("a paste of ten lines stays text, and nothing in it steers the terminal", async () => {
    await using repl = await openRepl([], { rows: 50 });
    await repl.paste(`a\u001b]0;title\u0007b\n${"c\n".repeat(8)}d`);
    const shown = await repl.sees(/^ {2}d$/m);
    expect(shown).toContain("> a]0;titleb\n  c\n");
  });

  test("wide characters, joined emoji, combining marks and right-to-left text edit as one", async () => {
    await using repl = await openRepl([], { columns: 40 });
    await repl.type("日本語👨‍👩‍👧‍👦e\u0301שלום");
    await repl.sees("> 日本語");
    await repl.press("BSpace", "BSpace", "BSpace", "BSpace", "BSpace");
    await repl.sees(/^> 日本語\S+$/m);
    await repl.press("BSpace", "BSpace");
    await repl.sees(/^> 日本$/m);
    await repl.type("字".repeat(30));
    const wrapped = await repl.sees(/^ {2}字+$/m);
    for (const line of wrapped.split("\n")) expect(Bun.stringWidth(line)).toBeLessThanOrEqual(40);
  });

  test("the history is there in the next run, masked, private, with Up, C-p and a search", async () => {
    await using repl = await openRepl([says("one"), says("two"), says("three")]);
    await repl.enter("first prompt");
    await repl.sees(/one\n\n>$/m);
    await repl.enter("use sk-proj-abcdefghijklmnopqrstuvwxyz0123456789ABCD now");
    await repl.sees(/two\n\n>$/m);
    await repl.press("C-d");
    await repl.ended();
    const path = join(repl.place.home, HISTORY);
    expect(readFileSync(path, "utf8")).toBe('"first prompt"\n"use *** now"\n');
    expect(statSync(path).mode & 0o777).toBe(0o600);

    await using again = await openTerminal(repl.place);
    await again.sees(IDLE);
    await again.type("draft");
    await again.press("C-p");
    await again.sees(/^> use \*\*\* now$/m);
    await again.press("Up");
    await again.sees(/^> first prompt$/m);
    await again.press("Down", "Down");
    await again.sees(/^> draft$/m);
    await again.press("C-r");
    await again.type("FIRST");
    await again.sees(/^history: FIRST {3,}first prompt$/m);
    await again.press("Enter");
    await again.sees(/three\n\n>$/m);
  });

  test("an editor of the user's own changes the text", async () => {
    await using repl = await openRepl([], {
      files: { "cwd/edit.sh": 'printf "%s and more" "$(cat "$1")" > "$1"' },
      env: { VISUAL: "sh edit.sh" },
    });
    await repl.type("some text");
    await repl.press("C-g");
    await repl.sees(/^> some text and more$/m);
  });

  test("keys are rebound by keybindings.json, and a mistake in it is told", async () => {
    const keys = { "editor.undo": "ctrl+x", "app.expnad": "f2", "app.model": "nokey" };
    await using repl = await openRepl([], {
      files: { "home/.config/buddy/keybindings.json": JSON.stringify(keys) },
    });
    const shown = await repl.screen();
    expect(shown.replace(/\n(?! *$)/g, " ")).toContain(
      'there is no action "app.expnad"; did you mean "app.expand"?',
    );
    expect(shown).toContain('"nokey" for "app.model" is no key');
    await repl.type("one two");
    await repl.press("C-w", "C-x");
    await repl.sees(/^> one two$/m);
  });
});

describe.skipIf(noTmux !== undefined).concurrent("completion", () => {
  test("commands, their arguments, files by @ and paths by Tab", async () => {
    await using repl = await openRepl([], {
      files: { "cwd/src/alpha.ts": "", "cwd/src/beta.ts": "", "cwd/notes.md": "" },
      config: '[models.other]\napi_base_url = "http://127.0.0.1:9/v1"\n',
    });
    await repl.type("/thi");
    await repl.sees(/→ thinking/);
    await repl.press("Tab");
    await repl.sees(/^> \/thinking $|^> \/thinking$/m);
    await repl.type("h");
    await repl.sees(/→ high/);
    await repl.press("C-c");
    await repl.loses("→");
    await repl.type("look at @alph");
    await repl.sees(/→ src\/alpha\.ts/);
    await repl.press("Tab");
    await repl.sees(/^> look at @src\/alpha\.ts$/m);
    await repl.press("C-c");
    await repl.type("cat not");
    await repl.press("Tab");
    await repl.sees(/^> cat notes\.md$/m);
    await repl.press("C-c");
    await repl.type("cat src/");
    await repl.press("Tab");
    await repl.sees(/→ src\/alpha\.ts[\s\S]*src\/beta\.ts/);
  });
});
