import { describe, expect, test } from "bun:test";
import { answerOf, approvalLines } from "../../../adapters/terminal/approval.ts";
import { commandRegistry, fromExtension, parseSlash } from "../../../adapters/terminal/commands.ts";
import { promptFor } from "../../../adapters/terminal/header.ts";
import { findIn, historyOf, look, MAX_ENTRIES, remember } from "../../../adapters/terminal/history.ts";
import { keysFrom } from "../../../adapters/terminal/keys.ts";
import { liveRegion } from "../../../adapters/terminal/live-region.ts";
import { callForAttention } from "../../../adapters/terminal/notify.ts";
import { onlyColours } from "../../../adapters/terminal/only-colours.ts";
import { matching, pickerLines, pickerOf, stepPicker } from "../../../adapters/terminal/picker.ts";
import { colourDepth, sgrOf } from "../../../adapters/terminal/style.ts";
import { noPaint, painter, themeOf } from "../../../adapters/terminal/theme.ts";
import { backgroundOf, findTheme } from "../../../adapters/terminal/themes.ts";
import { approvalId } from "../../../core/id.ts";
import { needFor } from "../../fakes/tools.ts";

describe("promptFor()", () => {
  test.each([
    ["local", "> "],
    ["local, tmux", "> "],
    ["ssh user@host", "(ssh user@host)> "],
    ["container web", "(container web)> "],
  ])("%s", (target, prompt) => expect(promptFor(target)).toBe(prompt));
});

describe("the history", () => {
  test("goes back to the first and forth to what was being written", () => {
    let history = historyOf(["one", "two"]);
    const seen: (string | undefined)[] = [];
    for (const direction of ["earlier", "earlier", "earlier", "later", "later", "later"] as const) {
      const found = look(history, direction, "draft");
      if (found) history = found.history;
      seen.push(found?.text);
    }
    expect(seen).toEqual(["two", "one", undefined, "two", "draft", undefined]);
  });

  test("keeps the last thousand, each run of the same one once, nothing blank", () => {
    let history = historyOf([]);
    for (let index = 0; index < MAX_ENTRIES + 50; index++)
      history = remember(history, `p${Math.floor(index / 2)}`);
    history = remember(history, "  ");
    expect(history.entries.length).toBe((MAX_ENTRIES + 50) / 2);
    for (let index = 0; index < MAX_ENTRIES; index++) history = remember(history, `q${index}`);
    expect([history.entries.length, history.entries[0]]).toEqual([MAX_ENTRIES, "q0"]);
  });

  test("is searched from its end on, whatever the case", () => {
    const entries = ["Make it", "break it", "make tea"];
    expect(findIn(entries, "MAKE")).toEqual({ index: 2, text: "make tea" });
    expect(findIn(entries, "make", 2)).toEqual({ index: 0, text: "Make it" });
    expect(findIn(entries, "none")).toBeUndefined();
  });
});

describe("themes", () => {
  test.each([
    ["green bold", "16", "32;1"],
    ["bright-red on-blue", "16", "91;44"],
    ["#ff0000", "true", "38;2;255;0;0"],
    ["#ff0000", "256", "38;5;196"],
    ["#ff0000", "16", "31"],
    ["on-#101010", "16", "40"],
    ["no-colour", "true", undefined],
  ] as const)("sgrOf(%p, %p)", (style, depth, codes) => expect(sgrOf(style, depth)).toBe(codes));

  test.each([
    [{ TERM: "xterm-256color" }, "256"],
    [{ TERM: "xterm-256color", COLORTERM: "truecolor" }, "true"],
    [{ TERM: "linux" }, "16"],
    [{ TERM: "dumb", COLORTERM: "truecolor" }, "none"],
    [{ TERM: "xterm", NO_COLOR: "1" }, "none"],
    [{}, "none"],
  ] as const)("colourDepth(%j)", (env, depth) => expect(colourDepth(env, { color: true })).toBe(depth));

  test.each([
    ["\u001b]11;rgb:ffff/ffff/ffff\u0007", {}, "light"],
    ["\u001b]11;rgb:1e/1e/2e\u001b\\", {}, "dark"],
    [undefined, { COLORFGBG: "0;15" }, "light"],
    [undefined, { COLORFGBG: "15;default;0" }, "dark"],
    ["garbage", {}, undefined],
  ] as const)("backgroundOf(%j, %j)", (reply, env, background) =>
    expect(backgroundOf(reply, env)).toBe(background),
  );

  test("a theme of the user's own changes what it names and is checked", () => {
    const theme = themeOf("mine", { styles: { tool: "#102030 bold" } });
    expect(theme.ok && painter(theme.value, "true")("tool", "x")).toBe("\u001b[38;2;16;32;48;1mx\u001b[0m");
    expect(theme.ok && theme.value.styles.error).toBe("red bold");
    expect(themeOf("mine", { styles: { tolo: "red" } })).toEqual({
      ok: false,
      error: 'there is no role "tolo"',
    });
    expect(themeOf("mine", { styles: { tool: "redd" } }).ok).toBe(false);
    expect(findTheme("../evil", "/tmp", "dark").ok).toBe(false);
  });
});

describe("keys", () => {
  test("the defaults are those of a shell, others can be chosen", () => {
    const keys = keysFrom({ "app.expand": ["f2", "ctrl+x"] });
    expect(keys.warnings).toEqual([]);
    expect([keys.is("\u0018", "app.expand"), keys.is("\u000f", "app.expand")]).toEqual([true, false]);
    expect(keys.editor.matches("\u001f", "tui.editor.undo")).toBe(true);
    expect(keys.editor.matches("\u001b\r", "tui.input.newLine")).toBe(true);
  });

  test("what is wrong in the file is told and left out", () => {
    expect(keysFrom([1]).warnings).toHaveLength(1);
    expect(keysFrom({ "app.model": 7 }).warnings[0]).toContain('"7" for "app.model" is no key');
  });
});

describe("the registry of commands", () => {
  const say = {
    name: "hello",
    description: "says hello",
    run: async (text: string) => ({ type: "said", text: `hi ${text}\u001b[2J` }) as const,
  };

  test("extensions add to it through the same door, and take nothing away", async () => {
    const said: string[] = [];
    const controller = { say: (...lines: readonly string[]) => void said.push(...lines), submit: () => {} };
    const own = { name: "quit", aliases: ["q"], does: "leave", run: () => {} };
    const registry = commandRegistry([
      own,
      fromExtension(say, controller),
      fromExtension({ ...say, name: "quit" }, controller),
    ]);
    expect(registry.names).toEqual(["quit", "q", "hello"]);
    expect(registry.find("quit")).toBe(own);
    await registry.find("hello")?.run("there", new AbortController().signal);
    expect(said).toEqual(["hi there"]);
  });

  test("parseSlash() parts the name from what follows", () => {
    expect(parseSlash("/session rename  My title ")).toEqual({
      name: "session",
      argument: "rename  My title",
    });
    expect(parseSlash("/skill:pdf a\nb")).toEqual({ name: "skill:pdf", argument: "a\nb" });
  });
});

describe("the picker", () => {
  const picker = pickerOf(
    "Pick",
    ["alpha", "beta", "gamma"].map((value) => ({ value, label: value })),
  );

  test("typing narrows, arrows stay inside, Enter chooses, Escape leaves", () => {
    const typed = stepPicker(picker, "b");
    expect(typed.type === "open" && matching(typed.picker).map(({ value }) => value)).toEqual(["beta"]);
    const up = stepPicker(picker, "\u001b[A");
    expect(up).toEqual({ type: "open", picker });
    const down = stepPicker(picker, "\u001b[B");
    expect(down.type === "open" && stepPicker(down.picker, "\r")).toEqual({ type: "chosen", value: "beta" });
    expect(stepPicker(picker, "\u001b")).toEqual({ type: "closed" });
  });

  test("never has more lines than there is room, and always the chosen one", () => {
    const many = pickerOf(
      "Pick",
      Array.from({ length: 100 }, (_, at) => ({ value: `${at}`, label: `row ${at}` })),
      70,
    );
    const lines = pickerLines(many, 40, 8, noPaint);
    expect(lines.length).toBe(8);
    expect(lines.join("\n")).toContain("→ row 70");
  });
});

describe("the approval", () => {
  const request = {
    approval_id: approvalId(1),
    call_id: "c",
    tool: "act",
    need: needFor("ls"),
    target: "local",
    cwd: "/",
  };

  test.each([
    ["y", { type: "allowed", by: "user", scope: "once" }],
    ["a", { type: "allowed", by: "user", scope: "session" }],
    ["n", { type: "denied", by: "user", reason: "the user said no" }],
    ["\r", { type: "denied", by: "user", reason: "the user said no" }],
    ["\u001b", { type: "denied", by: "user", reason: "the user said no" }],
  ] as const)("%j decides", (key, decision) =>
    expect(answerOf(key, request)).toEqual({ type: "decided", decision }),
  );

  test("nothing else does", () => {
    for (const key of [" ", "x", "1", "\t", "Y ", "yes"])
      expect(answerOf(key, request)).toEqual({ type: "none" });
  });

  test("every line of a long command can be scrolled to", () => {
    const command = Array.from({ length: 30 }, (_, at) => `echo ${at}.`).join("\n");
    const look = { width: 40, rows: 12, paint: noPaint, place: "me@here", typing: false };
    const seen = new Set<string>();
    for (let scrolled = 0; scrolled < 40; scrolled++) {
      const lines = approvalLines({ ...request, need: needFor(command) }, { ...look, scrolled });
      expect(lines.length).toBeLessThanOrEqual(12);
      for (const [found] of lines.join("\n").matchAll(/echo \d+\./g)) seen.add(found);
    }
    expect(seen.size).toBe(30);
  });
});

describe("small things", () => {
  test("callForAttention() rings only for somebody who looks elsewhere", () => {
    expect(callForAttention("bell", { focused: true, tookMs: 60_000 }, "done")).toBe("");
    expect(callForAttention("bell", { focused: false, tookMs: 10 }, "done")).toBe("\u0007");
    expect(callForAttention("bell", { focused: undefined, tookMs: 10 }, "done")).toBe("");
    expect(callForAttention("bell", { focused: undefined, tookMs: 60_000 }, "done")).toBe("\u0007");
    expect(callForAttention("osc9", { focused: false, tookMs: 10 }, "a\u0007b")).toBe("\u001b]9;ab\u0007");
    expect(callForAttention("off", { focused: false, tookMs: 60_000 }, "done")).toBe("");
  });

  test("onlyColours() lets colours through and nothing else", () => {
    expect(onlyColours("a\u001b[1;31mb\u001b[0m\u001b[2J\u001b]0;x\u0007\u009b1mc\td")).toBe(
      "a\u001b[1;31mb\u001b[0m[2J]0;x1mc    d",
    );
  });

  test("liveRegion() never writes above where it began", () => {
    let written = "";
    const region = liveRegion((text) => {
      written += text;
    });
    region.draw(["printed"], ["one", "two", "three"]);
    expect(written).toContain("printed\r\n");
    // As many lines up as down, and no address on the screen.
    expect(written).toContain("one\r\ntwo\r\nthree\u001b[2A");
    written = "";
    region.draw([], ["one", "TWO", "three"]);
    expect(written).toBe(
      "\u001b[?2026h\u001b7\u001b[?7l\u001b[1B\rTWO\u001b[K\u001b[?7h\u001b8\u001b[?2026l",
    );
    written = "";
    region.draw([], ["one", "TWO", "three"]);
    expect(written).toBe("");
  });
});
