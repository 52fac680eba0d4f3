import { describe, expect, test } from "bun:test";
import * as v from "valibot";
import { defineTool } from "../../core/define-tool.ts";
import { toolFailure, toolset } from "../../core/tool.ts";
import { builtinTools } from "../../core/tools/index.ts";
import { actTool, echoTool, needFor, output } from "../fakes/tools.ts";
import { scriptedWeb } from "../fakes/web.ts";
import { runTool } from "./run-tool.ts";

describe("defineTool()", () => {
  const typed = defineTool({
    name: "typed",
    description: "Typed",
    schema: v.object({
      count: v.optional(v.pipe(v.number(), v.integer(), v.description("How many")), 2),
      place: v.object({ city: v.string() }),
    }),
    parallel: true,
    needs: ({ place }) => (place.city === "here" ? undefined : needFor(place.city)),
    execute: async ({ count, place }) => output({ count, city: place.city }),
  });

  test("describes the arguments by the schema that validates them", () => {
    expect(typed.spec).toEqual({
      name: "typed",
      description: "Typed",
      parameters: {
        type: "object",
        properties: {
          count: { type: "integer", default: 2, description: "How many" },
          place: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
        },
        required: ["place"],
      },
    });
  });

  test("executes with the validated arguments, defaults filled in", async () => {
    expect((await runTool(typed, { place: { city: "here" } })).output).toEqual(
      output({ count: 2, city: "here" }),
    );
  });

  test("judges and runs the same value, whatever happens to the arguments in between", async () => {
    const args = { what: "ls" };
    const done: string[] = [];
    const prepared = actTool(done).prepare(args);
    args.what = "rm";
    if (!prepared.ok) throw new Error(prepared.error);
    expect(prepared.value.need).toEqual(needFor("ls"));
    const { output: given } = await runTool({ ...echoTool, prepare: () => prepared }, {});
    expect([given.result, done]).toEqual([{ did: "ls" }, ["ls"]]);
  });

  test("names every field that is wrong, with its path", () => {
    expect(typed.prepare({ count: "x", place: {} })).toEqual({
      ok: false,
      error: 'count must be number, not "x"; place.city is required',
    });
  });
});

describe("toolset()", () => {
  test("finds tools by their exact name and lists them in order", async () => {
    const tools = toolset([echoTool, actTool([])]);
    expect(tools.specs.map(({ name }) => name)).toEqual(["echo", "act"]);
    const names = ["echo", "Echo", "toString", "__proto__", ""];
    const found = await Promise.all(names.map((name) => tools.get(name)));
    expect(found.map((tool) => tool?.spec.name)).toEqual([
      "echo",
      undefined,
      undefined,
      undefined,
      undefined,
    ]);
  });
});

test("toolFailure() says the same to the model and to people", () => {
  expect(toolFailure("no")).toEqual({ result: { error: "no" }, summary: "no", isError: true });
});

describe("builtinTools()", () => {
  const web = { web: scriptedWeb().web, fetch: true, searchEndpoint: "https://search.example/" };
  const names = (switches: Parameters<typeof builtinTools>[0]) =>
    builtinTools(switches).map(({ spec }) => spec.name);

  test("offers what the configuration turns on, and time always", () => {
    expect(names({ shell: true, files: true })).toEqual([
      "run_shell",
      "read_file",
      "write_file",
      "edit_file",
      "time",
    ]);
    expect(names({ shell: true, files: false })).toEqual(["run_shell", "time"]);
    expect(names({ shell: false, files: true })).toEqual(["read_file", "write_file", "edit_file", "time"]);
    expect(names({ shell: false, files: false })).toEqual(["time"]);
    expect(names({ shell: false, files: false, web })).toEqual(["fetch_url", "web_search", "time"]);
    expect(names({ shell: false, files: false, web: { ...web, fetch: false } })).toEqual([
      "web_search",
      "time",
    ]);
    expect(names({ shell: false, files: false, web: { ...web, searchEndpoint: undefined } })).toEqual([
      "fetch_url",
      "time",
    ]);
  });

  test("describes the tools to the model in reviewed words", async () => {
    const all = await Promise.all(builtinTools({ shell: true, files: true, web }).map(({ load }) => load()));
    expect(all.map(({ spec, parallel }) => ({ ...spec, parallel }))).toMatchSnapshot();
  });

  test("has compiled in what the tools say of themselves", async () => {
    const all = builtinTools({ shell: true, files: true, web });
    const loaded = await Promise.all(all.map(({ load }) => load()));
    expect(all.map(({ spec }) => spec)).toEqual(loaded.map(({ spec }) => spec));
  });
});
