import { describe, expect, test } from "bun:test";
import { answerRule } from "../../core/answer-check.ts";
import type { Event } from "../../core/event.ts";
import { failure } from "../../core/failure.ts";
import { textOf } from "../../core/message.ts";
import type { TaskRules } from "../../core/task-rules.ts";
import { scriptedApprover } from "../fakes/approver.ts";
import { fakeHost } from "../fakes/host.ts";
import { assistant, call, fails, replies, says, USAGE } from "../fakes/model.ts";
import { actTool, echoTool } from "../fakes/tools.ts";
import { completed } from "./expected-events.ts";
import { type LoopSetup, newLoop, resultsIn, runLoop } from "./run-loop.ts";

const turn = (text: string, usage = USAGE) =>
  replies({ content: text, calls: [call(text, "echo", { text })], usage });

const rules = (more: Partial<TaskRules>): TaskRules => ({ onDeny: "continue", ...more });

const runLimited = async (setup: LoopSetup) => {
  const loop = newLoop({ tools: [echoTool], ...setup });
  const events = await runLoop(loop);
  return { ...loop, events, end: events.at(-1), added: addedIn(events) };
};

const addedIn = (events: readonly Event[]): readonly string[] =>
  events.flatMap((event) => (event.family === "task" && event.type === "message_added" ? [event.as] : []));

const LIMIT = failure("limit", "Stopped after 2 model calls: the limit of max_iterations", {
  hint: "raise it with --max-iterations N",
});

describe("a limit", () => {
  test("runTask() asks once more, without tools, before max_iterations ends the task", async () => {
    const script = [turn("one"), turn("two"), says("all I know")];
    const { requests, end, added, history } = await runLimited({ script, maxIterations: 2 });
    expect(requests.map(({ toolUse }) => toolUse)).toEqual([undefined, undefined, "none"]);
    expect(end).toMatchObject({ type: "failed", failure: LIMIT, result: "all I know" });
    expect(end).toMatchObject({ totals: { turns: 3, tool_calls: 2 } });
    expect(added).toEqual(["wrap_up"]);
    expect(history.messages.at(-1)).toEqual(assistant("all I know"));
  });

  test("runTask() runs no calls of the last turn and keeps the text of before when there is none", async () => {
    const script = [turn("one"), turn("two"), replies({ calls: [call("x", "echo", { text: "no" })] })];
    const { end, history, events } = await runLimited({ script, maxIterations: 2 });
    expect(end).toMatchObject({ type: "failed", failure: LIMIT, result: "two" });
    expect(resultsIn(events).length).toBe(2);
    expect(history.messages.at(-1)?.role).toBe("user");
  });

  test("runTask() ends by the limit also when the last turn fails", async () => {
    const script = [turn("one"), turn("two"), fails(failure("model", "gone"))];
    expect((await runLimited({ script, maxIterations: 2 })).end).toMatchObject({
      failure: LIMIT,
      result: "two",
    });
  });

  test("runTask() stops when the tokens are used up, and counts by estimate what is not reported", async () => {
    const script = [turn("one"), turn("two"), says("enough")];
    const spent = await runLimited({ script, rules: rules({ maxTokens: 200 }) });
    expect(spent.end).toMatchObject({
      failure: { class: "limit", message: "Stopped after 240 tokens: the limit is 200" },
      result: "enough",
    });
    const silent = replies({ content: "x".repeat(400), calls: [call("a", "echo", { text: "x" })] });
    const estimated = await runLimited({ script: [silent, says("enough")], rules: rules({ maxTokens: 50 }) });
    expect(estimated.end).toMatchObject({ failure: { class: "limit" }, result: "enough" });
  });

  test("runTask() stops when the money is spent", async () => {
    const price = { input: 1000, output: 1000, cached: 1000 };
    const script = [turn("one"), says("enough")];
    const { end } = await runLimited({ script, price, rules: rules({ maxCostUsd: 0.1 }) });
    expect(end).toMatchObject({
      failure: { class: "limit", message: "Stopped after spending $0.12: the limit is $0.1" },
    });
  });

  test("runTask() completes an answer that uses up the last of a limit", async () => {
    const { end } = await runLimited({
      script: [says("ok")],
      rules: rules({ maxTokens: 1 }),
      maxIterations: 1,
    });
    expect(end).toEqual(completed("ok", { usage: USAGE }));
  });
});

describe("a denial", () => {
  test("runTask() with onDeny fail starts nothing more and ends", async () => {
    const host = fakeHost();
    const done: string[] = [];
    const approver = scriptedApprover(host, { type: "none" }).approver;
    const calls = [call("a", "act", { what: "rm x" }), call("b", "echo", { text: "x" })];
    const loop = newLoop({
      script: [replies({ content: "trying", calls })],
      tools: [echoTool, actTool(done)],
      host,
      approver,
      rules: rules({ onDeny: "fail" }),
    });
    const events = await runLoop(loop);
    expect(events.at(-1)).toMatchObject({ type: "failed", failure: { class: "approval" }, result: "trying" });
    expect(events.some((event) => event.family === "tool" && event.type === "started")).toBe(false);
    expect(resultsIn(events).map(({ is_error }) => is_error)).toEqual([true, true]);
    expect(loop.requests.length).toBe(1);
  });
});

describe("an answer that has to be a document", () => {
  const answer = answerRule({ type: "object", required: ["a"], properties: { a: { type: "integer" } } });
  const withAnswer = (...script: LoopSetup["script"]) => runLimited({ script, rules: rules({ answer }) });

  test("runTask() sends the schema and takes a document that satisfies it", async () => {
    const { end, requests } = await withAnswer(says('```json\n{"a": 1}\n```'));
    expect(end).toMatchObject({ type: "completed", result: '{"a": 1}' });
    expect(requests[0]?.outputSchema).toEqual(answer.schema);
  });

  test("runTask() sends an answer back with what is wrong, and takes the repaired one", async () => {
    const { end, added, requests } = await withAnswer(says('{"a":"x"}'), says("sorry"), says('{"a":2}'));
    expect(end).toMatchObject({ type: "completed", result: '{"a":2}' });
    expect(added).toEqual(["repair", "repair"]);
    const [, second, third] = requests.map(({ messages }) => {
      const last = messages.at(-1);
      return last?.role === "user" ? textOf(last.content) : "";
    });
    expect(second).toContain("- /a: must be integer, not string");
    expect(third).toContain("- it must be one JSON document and nothing else");
  });

  test("runTask() gives up after two repairs", async () => {
    const { end, requests } = await withAnswer(says("no"), says("no"), says("{}"));
    expect(requests.length).toBe(3);
    expect(end).toMatchObject({
      type: "failed",
      failure: { class: "schema", message: 'The answer does not satisfy the schema: - /: "a" is required' },
      result: "{}",
    });
  });
});
