import { describe, expect, test } from "bun:test";
import type { JsonObject } from "../../core/json.ts";
import type { CaptureRequest, KeysRequest, Panes } from "../../core/ports/panes.ts";
import { err, ok } from "../../core/result.ts";
import { capturePaneTool } from "../../core/tools/capture-pane.ts";
import { builtinTools } from "../../core/tools/index.ts";
import { runShellTool } from "../../core/tools/run-shell.ts";
import { sendKeysTool } from "../../core/tools/send-keys.ts";
import { tmuxTools } from "../../core/tools/tmux-manage.ts";
import { fakeHost } from "../fakes/host.ts";
import { fakeTarget } from "../fakes/target.ts";
import { runTool } from "./run-tool.ts";

const DECLARED = { risk: "low", mutation: false, privesc: false, why: "to see" };

/** No wait takes any time. */
const hasty = { ...fakeHost(), wait: async () => {} };

/** Panes that show what they are told to, and remember what was asked of them. */
function fakePanes(screens: readonly string[], more: Partial<Panes> = {}) {
  const captures: CaptureRequest[] = [];
  const typed: KeysRequest[] = [];
  const panes: Panes = {
    capture: async (request) => {
      captures.push(request);
      const text = screens[Math.min(captures.length, screens.length) - 1] ?? "";
      return ok({ pane: "%1", text, noAlternate: request.alternate });
    },
    sendKeys: async (request) => {
      typed.push(request);
      return ok("%1");
    },
    manage: {
      createSession: async () =>
        err("There may be 1 sessions (tmux.max_sessions) and there are: buddy-buddy"),
      killSession: async (session) => ok(session),
      createPane: async () => ok({ paneId: "%7", created: true }),
      killPane: async () => err("The shared pane is not ended by tools"),
    },
    attachHint: "tmux attach -t buddy-buddy",
    ...more,
  };
  return { target: { ...fakeTarget(), panes }, captures, typed };
}

const call = async (
  tool: Parameters<typeof runTool>[0],
  args: JsonObject,
  fake: ReturnType<typeof fakePanes>,
) => (await runTool(tool, args, { target: fake.target, host: hasty })).output.result;

describe("capture-pane", () => {
  test("shows the visible screen of the shared pane", async () => {
    const fake = fakePanes(["$ make\nok"]);
    expect(await call(capturePaneTool(), {}, fake)).toEqual({
      pane: "%1",
      screen: "$ make\nok",
      notices: [],
    });
    expect(fake.captures).toEqual([
      {
        place: { session: undefined, pane: undefined },
        start: undefined,
        end: undefined,
        joinWrapped: false,
        trailingSpaces: false,
        escapes: false,
        alternate: false,
      },
    ]);
  });

  test("answers an unchanged screen briefly, and a changed one in full", async () => {
    const fake = fakePanes(["one", "one", "two"]);
    const tool = capturePaneTool();
    await call(tool, {}, fake);
    expect(await call(tool, {}, fake)).toEqual({ pane: "%1", unchanged: true, notices: [] });
    expect(await call(tool, {}, fake)).toMatchObject({ screen: "two" });
  });

  test("says that there was no alternate screen", async () => {
    const found = await call(capturePaneTool(), { include_alternate_screen: true }, fakePanes(["x"]));
    expect(found).toMatchObject({ notices: ["There is no alternate screen: this is the ordinary one"] });
  });

  test("spells what cannot be seen, when asked", async () => {
    const found = await call(
      capturePaneTool(),
      { escape_non_printable: true },
      fakePanes(["a\u001b[31mb\u0007"]),
    );
    expect(found).toMatchObject({ screen: "a\\x1b[31mb\\x07" });
  });

  test("keeps the tail of what is too long", async () => {
    const long = Array.from({ length: 3000 }, (_, at) => `line ${at}`).join("\n");
    const { output } = await runTool(capturePaneTool(), {}, { target: fakePanes([long]).target });
    const text = JSON.stringify(output.result);
    expect([text.includes("line 2999"), text.includes('"line 0\\n'), text.length < 9000]).toEqual([
      true,
      false,
      true,
    ]);
  });

  test("finds a pane by target, session and name", async () => {
    const fake = fakePanes(["x"]);
    for (const args of [{ target: "%3" }, { target: "logs:web" }, { session: "logs", pane: "web" }]) {
      await call(capturePaneTool(), args, fake);
    }
    expect(fake.captures.map(({ place }) => place)).toEqual([
      { session: undefined, pane: "%3" },
      { session: "logs", pane: "web" },
      { session: "logs", pane: "web" },
    ]);
  });
});

describe("send-keys", () => {
  test("types text, presses keys, and shows the screen that comes of it", async () => {
    const fake = fakePanes(["before", "after", "after"]);
    const args = { literal_text: "yes", keys: ["Tab"], enter: true, ...DECLARED };
    expect(await call(sendKeysTool, args, fake)).toEqual({ pane: "%1", screen: "after" });
    expect(fake.typed).toEqual([
      { place: { session: undefined, pane: undefined }, keys: ["Tab"], text: "yes", enter: true },
    ]);
  });

  test.each([
    [{}, "need at least one of keys, literal_text, enter: true"],
    [{ enter: false }, "need at least one of"],
    [{ keys: ["rm -rf /"] }, "must be names of keys"],
    [{ keys: ["Enter;"] }, "must be names of keys"],
  ])("refuses %j", (args, words) => {
    const prepared = sendKeysTool.prepare({ ...args, ...DECLARED });
    expect(prepared.ok ? "" : prepared.error).toContain(words);
  });

  test("is judged by the text and by every key, which could spell a command too", () => {
    const subject = (args: JsonObject) => {
      const prepared = sendKeysTool.prepare({ ...args, ...DECLARED });
      return prepared.ok ? prepared.value.need?.subject : prepared.error;
    };
    expect(subject({ literal_text: "rm -rf /", enter: true })).toBe(
      "rm -rf /\n# typed into pane shared, keys: Enter",
    );
    expect(subject({ keys: ["l", "s", "Space", "C-m"] })).toBe(
      "ls \n# typed into pane shared, keys: l s Space C-m",
    );
    expect(subject({ keys: ["C-c"], pane: "web" })).toBe("# typed into pane web, keys: C-c");
  });
});

describe("tmux tools", () => {
  const tool = (name: string) => {
    const found = tmuxTools().find(({ spec }) => spec.name === name);
    if (!found) throw new Error(name);
    return found;
  };

  test("say what was made, what was ended, and why not", async () => {
    const fake = fakePanes([]);
    expect(await call(tool("tmux-create-pane"), { pane: "web", ...DECLARED }, fake)).toEqual({
      pane_id: "%7",
      created: true,
    });
    expect(await call(tool("tmux-kill-session"), { session: "logs", ...DECLARED }, fake)).toEqual({
      ended: "logs",
    });
    expect(await call(tool("tmux-kill-pane"), { pane: "shared", ...DECLARED }, fake)).toEqual({
      error: "The shared pane is not ended by tools",
    });
    expect(await call(tool("tmux-create-session"), { session: "x", ...DECLARED }, fake)).toMatchObject({
      error: expect.stringContaining("buddy-buddy"),
    });
  });

  test("are offered only where they can work", () => {
    const names = (panes: "managed" | "users" | undefined) =>
      builtinTools({ shell: false, files: false, panes }).map(({ spec }) => spec.name);
    expect([names(undefined), names("users"), names("managed")]).toEqual([
      ["time"],
      ["capture-pane", "send-keys", "time"],
      [
        "capture-pane",
        "send-keys",
        "tmux-create-session",
        "tmux-kill-session",
        "tmux-create-pane",
        "tmux-kill-pane",
        "time",
      ],
    ]);
  });
});

describe("run_shell with panes", () => {
  test.each([
    [{}, { timeoutMs: Number.POSITIVE_INFINITY }],
    [{ wait: true }, { timeoutMs: Number.POSITIVE_INFINITY }],
    [{ wait: 5 }, { timeoutMs: 5000 }],
    [{ wait: "2m" }, { timeoutMs: 120_000 }],
    [
      { wait: false, pane: "web" },
      { timeoutMs: Number.POSITIVE_INFINITY, dispatch: true },
    ],
  ])("waits as asked: %j", async (args, asked) => {
    const fake = fakePanes([]);
    const how = "Look there";
    const target = {
      ...fake.target,
      ...fakeTarget({ commands: { make: [{ type: "left_running", afterMs: 5000, how }] } }),
      panes: fake.target.panes,
    };
    const { output } = await runTool(runShellTool, { command: "make", ...args, ...DECLARED }, { target });
    expect<readonly unknown[]>(target.runs).toEqual([
      {
        command: "make",
        place: { session: undefined, pane: "pane" in args ? args.pane : undefined },
        ...asked,
      },
    ]);
    expect(output.result).toMatchObject({
      exit_code: null,
      notices: [expect.stringContaining("Look there")],
    });
  });

  test("tells the user, not the model, what only the user can answer", async () => {
    const fake = fakePanes([]);
    const target = {
      ...fakeTarget({
        commands: {
          sudo: [
            { type: "attention", text: "a password is asked for" },
            { type: "exited", code: 0 },
          ],
        },
      }),
      panes: fake.target.panes,
    };
    const { output, progress } = await runTool(runShellTool, { command: "sudo", ...DECLARED }, { target });
    expect(progress).toEqual([{ type: "info", text: "a password is asked for" }]);
    expect(JSON.stringify(output)).not.toContain("password");
  });
});
