import { describe, expect, test } from "bun:test";
import { repair } from "../../core/history.ts";
import { ALLOWED, scriptedApprover } from "../fakes/approver.ts";
import { fakeHost } from "../fakes/host.ts";
import { assistant, call, hangs, replies, says } from "../fakes/model.ts";
import { actTool, echoTool, gateTool } from "../fakes/tools.ts";
import {
  CANCELLED,
  cancelled,
  errorOf,
  info,
  PROMPT,
  replied,
  requested,
  requestStarted,
  resultOf,
  taskStarted,
  textDelta,
  told,
  toolDone,
  toolStarted,
} from "./expected-events.ts";
import { newLoop, resultsIn, runLoop } from "./run-loop.ts";

describe("cancelling", () => {
  test("runTask() ends as cancelled when it is cancelled during a model call", async () => {
    const abort = new AbortController();
    const loop = newLoop({ script: [hangs(() => abort.abort(), { type: "text_delta", text: "well" })] });
    expect(await runLoop(loop, abort.signal)).toEqual([
      taskStarted,
      requestStarted(1),
      textDelta("well"),
      cancelled({ cost_usd: 0 }),
    ]);
    expect(loop.history.messages).toEqual([PROMPT]);
  });

  test("runTask() asks nothing of the model when it is cancelled before it begins", async () => {
    const abort = new AbortController();
    abort.abort();
    const loop = newLoop({ script: [says("too late")] });
    expect((await runLoop(loop, abort.signal)).at(-1)).toEqual(cancelled({ cost_usd: 0 }));
    expect(loop.requests).toEqual([]);
  });

  test("runTask() answers the running call and the calls behind it with cancelled results", async () => {
    const gates = gateTool({ parallel: false });
    const abort = new AbortController();
    const echo = call("c1", "echo", { text: "x" });
    const gate = call("c2", "gate", { name: "a" });
    const never = call("c3", "gate", { name: "b" });
    const calls = [echo, gate, never];
    const loop = newLoop({ script: [replies({ calls })], tools: [echoTool, gates.tool] });
    const running = runLoop(loop, abort.signal);
    await gates.reached("a");
    abort.abort();
    const events = await running;
    expect(events.slice(0, 10)).toEqual([
      taskStarted,
      requestStarted(1),
      replied(assistant("", calls)),
      requested(echo),
      requested(gate),
      requested(never),
      toolStarted(echo),
      toolDone(echo),
      toolStarted(gate),
      info("c2", "a waits"),
    ]);
    expect(resultsIn(events)).toEqual([
      resultOf(echo, { echoed: "x" }),
      errorOf(gate, CANCELLED),
      errorOf(never, CANCELLED),
    ]);
    expect(events.at(-1)).toMatchObject({ family: "task", type: "cancelled" });
    expect(gates.trace).toEqual(["+a"]);
    expect(repair(loop.history.messages)).toEqual([...loop.history.messages]);
  });

  test("runTask() keeps the results of parallel calls that had ended when it was cancelled", async () => {
    const gates = gateTool({ parallel: true });
    const abort = new AbortController();
    const fast = call("c1", "gate", { name: "fast" });
    const slow = call("c2", "gate", { name: "slow" });
    const loop = newLoop({ script: [replies({ calls: [slow, fast] })], tools: [gates.tool] });
    gates.open("fast");
    const events = await runLoop(loop, abort.signal, (event) => {
      if (event.family === "tool" && event.type === "completed") abort.abort();
    });
    expect(resultsIn(events)).toEqual([errorOf(slow, CANCELLED), resultOf(fast, { passed: "fast" })]);
    expect(events).toContainEqual(told(resultOf(fast, { passed: "fast" })));
    expect(repair(loop.history.messages)).toEqual([...loop.history.messages]);
  });

  test("runTask() runs nothing when it is cancelled while a person is asked", async () => {
    const abort = new AbortController();
    const done: string[] = [];
    const asked = [call("c1", "act", { what: "a" }), call("c2", "act", { what: "b" })];
    const { approver } = scriptedApprover(fakeHost(), { type: "ask" }, ALLOWED);
    const loop = newLoop({ script: [replies({ calls: asked })], tools: [actTool(done)], approver });
    const events = await runLoop(loop, abort.signal, (event) => {
      if (event.family === "task" && event.type === "waiting_approval") abort.abort();
    });
    expect(resultsIn(events)).toEqual(asked.map((one) => errorOf(one, CANCELLED)));
    expect(events.at(-1)).toEqual(cancelled());
    expect(done).toEqual([]);
  });

  test("runTask() does not start a call that was approved just before it was cancelled", async () => {
    const abort = new AbortController();
    const done: string[] = [];
    const asked = call("c1", "act", { what: "a" });
    const { approver } = scriptedApprover(fakeHost(), { type: "ask" }, ALLOWED);
    const loop = newLoop({ script: [replies({ calls: [asked] })], tools: [actTool(done)], approver });
    const events = await runLoop(loop, abort.signal, (event) => {
      if (event.family === "task" && event.type === "approval_settled") abort.abort();
    });
    expect(resultsIn(events)).toEqual([errorOf(asked, CANCELLED)]);
    expect(done).toEqual([]);
  });
});
