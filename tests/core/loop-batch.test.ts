import { describe, expect, test } from "bun:test";
import * as v from "valibot";
import { defineTool } from "../../core/define-tool.ts";
import { fakeHost } from "../fakes/host.ts";
import { call, replies, says } from "../fakes/model.ts";
import { echoTool, gateTool, output } from "../fakes/tools.ts";
import { info, requested, resultOf, told, toolDone, toolStarted } from "./expected-events.ts";
import { newLoop, resultsIn, runLoop } from "./run-loop.ts";

const a = call("c1", "gate", { name: "a" });
const b = call("c2", "gate", { name: "b" });
const both = [replies({ calls: [a, b] }), says("ok")];

describe("calls side by side", () => {
  test("runTask() runs parallel calls at once and gives the results in the model's order", async () => {
    const gates = gateTool({ parallel: true });
    gates.open("b");
    const events = await runLoop(newLoop({ script: both, tools: [gates.tool] }), undefined, (event) => {
      if (event.family === "tool" && event.type === "completed" && event.call_id === "c2") gates.open("a");
    });
    expect(gates.trace).toEqual(["+a", "+b", "-b", "-a"]);
    expect(events.slice(3, 13)).toEqual([
      requested(a),
      requested(b),
      toolStarted(a),
      toolStarted(b),
      info("c1", "a waits"),
      info("c2", "b waits"),
      toolDone(b),
      toolDone(a),
      told(resultOf(a, { passed: "a" })),
      told(resultOf(b, { passed: "b" })),
    ]);
  });

  test.each([
    ["the tool is not safe beside others", { parallel: false }, true],
    ["parallel_tools is off", { parallel: true }, false],
  ] as const)("runTask() runs calls one after the other when %s", async (_fact, safety, parallelTools) => {
    const gates = gateTool(safety);
    const running = runLoop(newLoop({ script: both, tools: [gates.tool], parallelTools }));
    await gates.reached("a");
    gates.open("a");
    await gates.reached("b");
    gates.open("b");
    const events = await running;
    expect(gates.trace).toEqual(["+a", "-a", "+b", "-b"]);
    expect(events.slice(3, 13)).toEqual([
      requested(a),
      requested(b),
      toolStarted(a),
      info("c1", "a waits"),
      toolDone(a),
      toolStarted(b),
      info("c2", "b waits"),
      toolDone(b),
      told(resultOf(a, { passed: "a" })),
      told(resultOf(b, { passed: "b" })),
    ]);
  });

  test("runTask() runs the whole turn in order when one of its calls is not safe beside others", async () => {
    const gates = gateTool({ parallel: false });
    const echo = call("c0", "echo", { text: "x" });
    const running = runLoop(
      newLoop({ script: [replies({ calls: [a, echo] }), says("ok")], tools: [gates.tool, echoTool] }),
    );
    await gates.reached("a");
    gates.open("a");
    const events = await running;
    expect(events.slice(5, 10)).toEqual([
      toolStarted(a),
      info("c1", "a waits"),
      toolDone(a),
      toolStarted(echo),
      toolDone(echo),
    ]);
  });
});

describe("what a call tells", () => {
  test("runTask() measures a call on the monotonic clock", async () => {
    const host = fakeHost();
    const slow = defineTool({
      name: "slow",
      description: "Takes its time",
      schema: v.object({}),
      parallel: true,
      needs: () => undefined,
      execute: async (_args, { emit }) => {
        host.advance(1234.4);
        emit({ type: "stdout_chunk", text: "out" });
        emit({ type: "stderr_chunk", text: "err" });
        return output({});
      },
    });
    const script = [replies({ calls: [call("c1", "slow")] }), says("ok")];
    const events = await runLoop(newLoop({ script, tools: [slow], host }));
    expect(events.slice(4, 8)).toEqual([
      { family: "tool", type: "started", call_id: "c1", name: "slow" },
      { family: "tool", type: "stdout_chunk", call_id: "c1", text: "out" },
      { family: "tool", type: "stderr_chunk", call_id: "c1", text: "err" },
      {
        family: "tool",
        type: "completed",
        call_id: "c1",
        name: "slow",
        duration_ms: 1234,
        is_error: false,
        summary: "done",
      },
    ]);
  });

  test("runTask() puts the images of a result behind its text", async () => {
    const image = { type: "image", media_type: "image/png", data: "AAAA" } as const;
    const look = defineTool({
      name: "look",
      description: "Looks",
      schema: v.object({}),
      parallel: true,
      needs: () => undefined,
      execute: async () => ({ ...output({ seen: true }), images: [image] }),
    });
    const asked = call("c1", "look");
    const events = await runLoop(
      newLoop({ script: [replies({ calls: [asked] }), says("ok")], tools: [look] }),
    );
    const plain = resultOf(asked, { seen: true });
    expect(resultsIn(events)).toEqual([{ ...plain, content: [...plain.content, image] }]);
  });
});
