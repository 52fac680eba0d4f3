import { describe, expect, test } from "bun:test";
import type { JsonObject } from "../../core/json.ts";
import { err } from "../../core/result.ts";
import { toolFailure, toolset } from "../../core/tool.ts";
import { editFileTool } from "../../core/tools/edit-file.ts";
import { builtinTools } from "../../core/tools/index.ts";
import { writeFileTool } from "../../core/tools/write-file.ts";
import { type FakeTargetSetup, fakeTarget } from "../fakes/target.ts";
import { runTool } from "./run-tool.ts";

const write = (args: JsonObject, setup: FakeTargetSetup = {}) => {
  const target = fakeTarget(setup);
  return runTool(writeFileTool, args, { target }).then((ran) => ({ ...ran, written: target.written() }));
};

const edit = (args: JsonObject, setup: FakeTargetSetup = {}) => {
  const target = fakeTarget(setup);
  return runTool(editFileTool, args, { target }).then((ran) => ({ ...ran, written: target.written() }));
};

describe("writeFileTool", () => {
  test("makes a file and shows what is new", async () => {
    const diff = "@@ -0,0 +1,2 @@\n+a\n+b\n";
    expect(await write({ path: "src/x", content: "a\nb\n" })).toEqual({
      output: {
        result: { path: "/work/src/x", bytes: 4, action: "created" },
        summary: "created, +2 −0 lines",
        isError: false,
        diff,
      },
      progress: [],
      need: {
        kind: "file",
        subject: "/work/src/x",
        diff,
        risk: "medium",
        mutation: true,
        privesc: false,
        why: "make a file: +2 −0 lines",
      },
      written: { "/work/src/x": "a\nb\n" },
    });
  });

  test("replaces a file and shows the difference", async () => {
    const { output, need, written } = await write(
      { path: "x", content: "a\nc\n" },
      { files: { x: "a\nb\n" } },
    );
    expect([output.summary, output.result, need?.why]).toEqual([
      "replaced, +1 −1 lines",
      { path: "/work/x", bytes: 4, action: "replaced" },
      "change a file: +1 −1 lines",
    ]);
    expect([output.diff, written]).toEqual(["@@ -1,2 +1,2 @@\n a\n-b\n+c\n", { "/work/x": "a\nc\n" }]);
  });

  test("writes an empty file, and characters of every kind", async () => {
    expect((await write({ path: "x", content: "" })).written).toEqual({ "/work/x": "" });
    const text = "\ufeffé 日本 😀 \u202e\u001b[31m\r\n";
    expect((await write({ path: "x", content: text })).written).toEqual({ "/work/x": text });
  });

  test.each([
    ["/etc/passwd", {}, 'Cannot write "/etc/passwd": it is in the system directory /etc'],
    [".git/config", {}, 'Cannot write ".git/config" (/work/.git/config): it belongs to Git'],
    [
      "out",
      { "/work/out": "/etc/cron.d/x" },
      'Cannot write "out" (/etc/cron.d/x): it is in the system directory /etc',
    ],
  ])("is denied %s, whoever would approve", async (path, links, reason) => {
    const { denied, need, written } = await write({ path, content: "x" }, { links });
    expect([denied, need, written]).toEqual([expect.stringContaining(reason), undefined, {}]);
  });

  test.each([
    ["directory", { kind: "directory", detail: "" } as const, "it is a directory"],
    ["pipe", { kind: "not_regular", detail: "" } as const, "not a regular file"],
    ["link that appeared", { kind: "link", detail: "" } as const, "a link was put in its place"],
    ["read-only file", { kind: "denied", detail: "the file is read-only" } as const, "the file is read-only"],
    ["full disk", { kind: "other", detail: "no space left on device" } as const, "no space left on device"],
  ])("says why it cannot write: a %s", async (_what, file, why) => {
    const { output, written } = await write({ path: "x", content: "a" }, { files: { x: file } });
    expect([output, written]).toEqual([toolFailure(`Cannot write "x": ${why}`), {}]);
  });

  test("writes nothing when the file has changed since it was shown", async () => {
    const target = fakeTarget({ files: { x: "old" } });
    const prepared = writeFileTool.prepare({ path: "x", content: "new" });
    const signal = new AbortController().signal;
    const access = { target, rules: { home: "/home/u", allowedPaths: [] } };
    const settled = prepared.ok ? await prepared.value.settle?.(access, signal) : undefined;
    await target.writeFile("x", new TextEncoder().encode("theirs"), {}, signal);
    const { output } = await runTool(
      {
        ...writeFileTool,
        prepare: () => (settled?.type === "ready" ? { ok: true, value: settled.call } : err("")),
      },
      {},
      { target },
    );
    expect([output, target.written()]).toEqual([
      toolFailure('Not written: "x" has changed meanwhile. Read it again'),
      { "/work/x": "theirs" },
    ]);
  });
});

describe("editFileTool", () => {
  const files = { x: "a\nb\nc\n" };

  test("changes a part and shows the difference", async () => {
    const { output, written } = await edit({ path: "x", edits: [{ search: "b", replace: "B" }] }, { files });
    expect(output).toEqual({
      result: { path: "/work/x", edits: 1, lines_added: 1, lines_removed: 1 },
      summary: "+1 −1 lines",
      isError: false,
      diff: "@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n",
    });
    expect(written).toEqual({ "/work/x": "a\nB\nc\n" });
  });

  test("says what it took although it differed", async () => {
    const { output } = await edit(
      { path: "x", edits: [{ search: '"q"', replace: "r" }] },
      { files: { x: "“q”\n" } },
    );
    expect(output.result.notices).toHaveLength(1);
  });

  test("makes all edits or none", async () => {
    const edits = [
      { search: "a", replace: "A" },
      { search: "nowhere to be seen", replace: "" },
    ];
    const { output, written, need } = await edit({ path: "x", edits }, { files });
    expect([output, written, need]).toEqual([
      toolFailure(
        'Cannot edit "x": search 2 of 2 was not found; nothing in the file is like it. Nothing was changed',
      ),
      {},
      undefined,
    ]);
  });

  test.each([
    ["missing", "no such file. Make it with write_file"],
    ["binary", "it is binary"],
    ["latin", "it is not UTF-8. Use run_shell"],
  ])("says why it cannot edit: %s", async (path, why) => {
    const others = { binary: new Uint8Array([97, 0, 98]), latin: new Uint8Array([97, 0xe9, 98]) };
    const { output } = await edit({ path, edits: [{ search: "a", replace: "b" }] }, { files: others });
    expect(output).toEqual(toolFailure(`Cannot edit "${path}": ${why}`));
  });

  test("does not take a file that is too large to be looked at whole", async () => {
    const big = { x: new Uint8Array(10 * 1024 * 1024 + 1).fill(97) };
    const { output } = await edit({ path: "x", edits: [{ search: "b", replace: "c" }] }, { files: big });
    expect(output).toEqual(toolFailure('Cannot write "x": it is larger than 10485760 bytes. Use run_shell'));
  });

  test.each<JsonObject>([
    { path: "x" },
    { path: "x", edits: [] },
    { path: "x", edits: [{ search: "", replace: "y" }] },
    { path: "x", edits: [{ search: "a" }] },
    { path: "", edits: [{ search: "a", replace: "b" }] },
  ])("refuses %j", (args) => {
    expect(editFileTool.prepare(args).ok).toBe(false);
  });
});

describe("aliases", () => {
  const tools = toolset(builtinTools({ shell: true, files: true }));

  test("are not advertised", () => {
    expect(tools.specs.map(({ name }) => name)).toEqual([
      "run_shell",
      "read_file",
      "write_file",
      "edit_file",
      "time",
    ]);
  });

  test.each([
    ["bash", "run_shell"],
    ["shell", "run_shell"],
    ["read", "read_file"],
    ["write", "write_file"],
    ["edit", "edit_file"],
    ["Bash", "run_shell"],
  ])("%s is %s", async (alias, name) => {
    expect((await tools.get(alias))?.spec.name).toBe(name);
  });

  test("keep the rules of the tool: a command without its declaration is refused", async () => {
    const [bash, shell] = [await tools.get("bash"), await tools.get("run_shell")];
    expect(bash?.prepare({ command: "ls" })).toEqual(shell?.prepare({ command: "ls" }) ?? err(""));
    expect(bash?.prepare({ command: "ls" }).ok).toBe(false);
  });

  test.each<[string, JsonObject]>([
    ["write", { file_path: "x", content: "B" }],
    ["edit", { file_path: "x", old_string: "a", new_string: "B" }],
    ["edit", { path: "x", oldText: "a", newText: "B" }],
    ["edit", { path: "x", edits: [{ search: "a", replace: "B" }] }],
  ])("%s takes %j", async (alias, args) => {
    const target = fakeTarget({ files: { x: "a" } });
    const tool = await tools.get(alias);
    if (tool) await runTool(tool, args, { target });
    expect(target.written()).toEqual({ "/work/x": "B" });
  });

  test("do not exist for tools that are turned off, nor under names of the language", async () => {
    const few = toolset(builtinTools({ shell: false, files: false }));
    const names = ["bash", "read", "toString", "__proto__", "constructor"];
    expect(await Promise.all(names.map((name) => few.get(name)))).toEqual(Array(5).fill(undefined));
  });
});
