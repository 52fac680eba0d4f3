import { describe, expect, test } from "bun:test";
import { hidingModel, restoringTools } from "../../core/hide-secrets.ts";
import { type Message, text, userMessage } from "../../core/message.ts";
import { redactor } from "../../core/redact.ts";
import { secretVault } from "../../core/secret-vault.ts";
import { toolset } from "../../core/tool.ts";
import { builtinTools } from "../../core/tools/index.ts";
import { says, scriptedModel } from "../fakes/model.ts";
import { exited, fakeTarget } from "../fakes/target.ts";
import { runTool } from "./run-tool.ts";

const KEY = "my-own-key-0123456789";
const GITHUB = `ghp_${"aB3dE5gH7jK9mN1p".repeat(3).slice(0, 36)}`;

const newVault = () => secretVault("q7", (mask) => redactor([KEY], { mask }));

describe("secretVault()", () => {
  test("gives each secret one placeholder, and only that one back", () => {
    const { hide, restore } = newVault();
    const hidden = hide(`a ${KEY} b ${GITHUB} c ${KEY}`);
    expect(hidden).toBe("a <secret-q7-1> b <secret-q7-2> c <secret-q7-1>");
    expect(restore(hidden)).toBe(`a ${KEY} b ${GITHUB} c ${KEY}`);
    expect(hide(hidden)).toBe(hidden);
  });

  test.each(["<secret-q7-9>", "<secret-other-1>", "<secret-q7-0>", "<secret-q7-1e1>", "<SECRET-q7-1>"])(
    "leaves %s alone, which it never gave",
    (placeholder) => {
      const { hide, restore } = newVault();
      hide(KEY);
      expect(restore(placeholder)).toBe(placeholder);
    },
  );

  test("puts back nothing that no argument may hold", () => {
    const { hide } = secretVault("q7", (mask) => redactor(["a\u001b[2Jsecret-value"], { mask }));
    expect(hide("x a\u001b[2Jsecret-value y")).toBe("x *** y");
  });
});

describe("hidingModel()", () => {
  const ask = async (messages: readonly Message[]) => {
    const { model, requests } = scriptedModel(says("ok"), says("ok"));
    const hiding = hidingModel(model, newVault());
    const request = { system: `system ${KEY}`, tools: [], messages };
    for (const _time of [1, 2]) for await (const _event of hiding.ask(request, new AbortController().signal));
    return requests;
  };

  test("sends placeholders in every kind of message, and the same objects again", async () => {
    const quoted = JSON.stringify({ result: { stdout: `pass "${KEY}"\n` } });
    const [first, second] = await ask([
      userMessage(`use ${KEY}`),
      {
        role: "assistant",
        content: `I use ${KEY}`,
        tool_calls: [{ id: "c", name: "run_shell", arguments: `{"command":"echo ${KEY}"}` }],
      },
      { role: "tool", tool_call_id: "c", name: "run_shell", content: [text(quoted)], is_error: false },
    ]);
    expect(first?.system).toBe("system <secret-q7-1>");
    expect(first?.messages).toEqual([
      userMessage("use <secret-q7-1>"),
      {
        role: "assistant",
        content: "I use <secret-q7-1>",
        tool_calls: [{ id: "c", name: "run_shell", arguments: '{"command":"echo <secret-q7-1>"}' }],
      },
      {
        role: "tool",
        tool_call_id: "c",
        name: "run_shell",
        content: [text(JSON.stringify({ result: { stdout: 'pass "<secret-q7-1>"\n' } }))],
        is_error: false,
      },
    ]);
    expect(second?.messages.every((message, at) => message === first?.messages[at])).toBe(true);
  });

  test("leaves what holds no secret as it is written", async () => {
    const odd = text('{ "result" : "a\\u0041" }');
    const message = { role: "tool", tool_call_id: "c", name: "x", content: [odd], is_error: false } as const;
    expect((await ask([message]))[0]?.messages).toEqual([message]);
  });
});

describe("restoringTools()", () => {
  const vault = newVault();
  const placeholder = vault.hide(KEY);
  const tools = restoringTools(toolset(builtinTools({ shell: true, files: true })), vault);

  const run = async (name: string, args: Record<string, string | boolean | object[]>, files = {}) => {
    const target = fakeTarget({ commands: { [`use ${KEY}`]: [exited()] }, files });
    const tool = await tools.get(name);
    if (tool === undefined) throw new Error(`no ${name}`);
    const ran = await runTool(tool, JSON.parse(JSON.stringify(args)), { target });
    return { target, ran };
  };

  test("puts secrets back into commands, before anybody judges them", async () => {
    const declared = { risk: "low", mutation: false, privesc: false, why: "w" };
    for (const name of ["run_shell", "bash"]) {
      const { target, ran } = await run(name, { command: `use ${placeholder}`, ...declared });
      expect(target.runs.map(({ command }) => command)).toEqual([`use ${KEY}`]);
      expect(ran.need?.subject).toBe(`use ${KEY}`);
    }
  });

  test("puts secrets back into files, also where they are searched for", async () => {
    const made = await run("write_file", { path: "x", content: `a ${placeholder}` });
    expect(made.target.written()).toEqual({ "/work/x": `a ${KEY}` });
    const edits = [{ search: `k=${placeholder}`, replace: `key=${placeholder}` }];
    const edited = await run("edit_file", { path: "x", edits }, { x: `k=${KEY}\n` });
    expect(edited.target.written()).toEqual({ "/work/x": `key=${KEY}\n` });
    const other = { path: "x", old_string: placeholder, new_string: "gone" };
    expect((await run("edit", other, { x: KEY })).target.written()).toEqual({ "/work/x": "gone" });
  });

  test("puts nothing back anywhere else", async () => {
    const made = await run("write_file", { path: placeholder, content: "" });
    expect(Object.keys(made.target.written())).toEqual([`/work/${placeholder}`]);
  });
});
