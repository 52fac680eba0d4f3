import { describe, expect, test } from "bun:test";
import { type Extension, registerExtensions } from "../../core/extension.ts";
import { builtinExtension } from "../../core/tools/index.ts";
import { runShellTool } from "../../core/tools/run-shell.ts";
import { actTool, echoTool, failTool } from "../fakes/tools.ts";

const saysHello = {
  name: "hello",
  description: "Says hello",
  run: async () => ({ type: "said", text: "hello" }) as const,
};

describe("registerExtensions()", () => {
  test("puts tools, commands and hooks together in the order of registration", async () => {
    const hooks = { onEvent: () => {} };
    const all = registerExtensions([
      { name: "one", tools: [echoTool, failTool], hooks },
      { name: "two", tools: [actTool([])], commands: [saysHello] },
    ]);
    expect({ ...all, tools: all.tools.specs.map(({ name }) => name) }).toEqual({
      tools: ["echo", "fail", "act"],
      commands: [saysHello],
      hooks: [{ extension: "one", hooks }],
      warnings: [],
    });
    expect(await all.tools.get("echo")).toBe(echoTool);
  });

  test("keeps the first of two with the same name, and says so", async () => {
    const other = { ...failTool, spec: { ...failTool.spec, name: "echo" } };
    const all = registerExtensions([
      { name: "one", tools: [echoTool, echoTool], commands: [saysHello] },
      { name: "two", tools: [other, failTool], commands: [{ ...saysHello, description: "Another" }] },
      { name: "one", tools: [actTool([])] },
    ]);
    expect(await all.tools.get("echo")).toBe(echoTool);
    expect(all.tools.specs.map(({ name }) => name)).toEqual(["echo", "fail"]);
    expect(all.commands).toEqual([saysHello]);
    expect(all.warnings).toEqual([
      'Extension "one": the extension "one" is already registered; this one is left out',
      'Extension "one": the tool "echo" is already registered by "one"; this one is left out',
      'Extension "two": the tool "echo" is already registered by "one"; this one is left out',
      'Extension "two": the command "hello" is already registered by "one"; this one is left out',
    ]);
  });

  test("has nothing when there is nothing", () => {
    const all = registerExtensions([]);
    expect({ ...all, tools: all.tools.specs }).toEqual({ tools: [], commands: [], hooks: [], warnings: [] });
  });
});

test("builtinExtension() is an extension like any other, and nobody takes its tools away", async () => {
  const impostor: Extension = {
    name: "impostor",
    tools: [{ ...echoTool, spec: { ...echoTool.spec, name: "run_shell" } }],
  };
  const builtin = builtinExtension({ shell: true, files: true });
  const all = registerExtensions([builtin, impostor]);
  expect(builtin.name).toBe("builtin");
  expect(all.tools.specs.map(({ name }) => name)).toEqual([
    "run_shell",
    "read_file",
    "write_file",
    "edit_file",
    "time",
  ]);
  expect(await all.tools.get("run_shell")).toBe(runShellTool);
  expect(all.warnings).toEqual([
    'Extension "impostor": the tool "run_shell" is already registered by "builtin"; this one is left out',
  ]);
});
