import { describe, expect, test } from "bun:test";
import type { Event } from "../../core/event.ts";
import { approvalId, taskId } from "../../core/id.ts";
import { userMessage } from "../../core/message.ts";
import { ALLOWED, deniedBy } from "../fakes/approver.ts";
import { fakeHost, START_UNIX_MS } from "../fakes/host.ts";
import { asksFor, assistant, call, hangs, says, USAGE } from "../fakes/model.ts";
import { actTool, gateTool, needFor } from "../fakes/tools.ts";
import {
  approvalAsked,
  approvalSettled,
  CANCELLED,
  cancelled,
  completed,
  contextUsed,
  denial,
  errorOf,
  PROMPT,
  phase,
  refused,
  replied,
  requested,
  requestStarted,
  resultOf,
  T1,
  taskStarted,
  textDelta,
  tokens,
  told,
  toolDone,
  toolStarted,
} from "./expected-events.ts";
import { isEnd, newRuntime } from "./run-runtime.ts";

const STOPPED: Event = { family: "lifecycle", type: "stopped" };
const act = call("c1", "act", { what: "rm x" });
const isWaiting = (event: Event) => event.family === "task" && event.type === "waiting_approval";
const rejected = (command: string, reason: string): Event => ({
  family: "task",
  type: "rejected",
  command,
  reason,
});

describe("a task", () => {
  test("startRuntime() tells a whole run in numbered envelopes without a gap", async () => {
    const { submit, seen, finish, envelopes } = newRuntime({ script: [says("hello")] });
    submit("do it");
    await seen(isEnd);
    await finish();
    expect(envelopes).toEqual(
      [
        taskStarted,
        requestStarted(1),
        textDelta("hel"),
        textDelta("lo"),
        phase("model"),
        replied(assistant("hello"), USAGE),
        tokens(USAGE, USAGE),
        contextUsed(USAGE.total_tokens),
        completed("hello", { usage: USAGE }),
        STOPPED,
      ].map((event, index) => ({ v: 1, seq: index + 1, ts_unix_ms: START_UNIX_MS, event })),
    );
  });

  test("startRuntime() keeps one conversation over several tasks", async () => {
    const { submit, seen, finish, requests } = newRuntime({ script: [says("one"), says("two")] });
    submit("first");
    await seen(isEnd);
    await settled();
    submit("second");
    await seen(
      (event) => isEnd(event) && event.family === "task" && "task_id" in event && event.task_id === taskId(2),
    );
    await finish();
    expect(requests.map(({ messages }) => messages)).toEqual([
      [userMessage("first")],
      [userMessage("first"), assistant("one"), userMessage("second")],
    ]);
  });

  test("startRuntime() rejects a prompt while a task runs, and the task goes on", async () => {
    const gates = gateTool({ parallel: true });
    const { submit, seen, finish } = newRuntime({
      script: [asksFor("gate", { name: "a" }), says("ok")],
      tools: [gates.tool],
    });
    submit("do it");
    await gates.reached("a");
    submit("me too");
    gates.open("a");
    await seen(isEnd);
    const events = await finish();
    expect(events).toContainEqual(rejected("submit_prompt", "Task t1 is running"));
    expect(events.filter(isEnd)).toEqual([completed("ok", { usage: USAGE, turns: 2, tool_calls: 1 })]);
  });

  test("startRuntime() cancels the active task on command", async () => {
    const { runtime, submit, seen, finish } = newRuntime({
      script: [hangs(() => runtime.send({ type: "cancel_task", task_id: T1 }))],
    });
    submit("do it");
    await seen(isEnd);
    expect(await finish()).toEqual([
      taskStarted,
      requestStarted(1),
      { family: "task", type: "cancelling", task_id: T1 },
      cancelled({ cost_usd: 0 }),
      STOPPED,
    ]);
  });

  test("startRuntime() answers every command that it rejects", async () => {
    const { runtime, finish } = newRuntime();
    runtime.send({ type: "cancel_task", task_id: T1 });
    runtime.send({ type: "approve", approval_id: approvalId(7), decision: ALLOWED });
    const events = await finish();
    runtime.send({ type: "submit_prompt", message: PROMPT });
    expect(events).toEqual([
      rejected("cancel_task", 'Task "t1" is not running'),
      rejected("approve", 'No approval "a7" is waiting'),
      STOPPED,
    ]);
  });

  test("startRuntime() tells what the front end emits in the same numbering", async () => {
    const { runtime, finish, envelopes } = newRuntime();
    runtime.emit({ family: "lifecycle", type: "started", version: "1.2.3" });
    await finish();
    expect(envelopes.map(({ seq, event }) => [seq, event])).toEqual([
      [1, { family: "lifecycle", type: "started", version: "1.2.3" }],
      [2, STOPPED],
    ]);
  });
});

describe("an approval", () => {
  const asking = () => {
    const done: string[] = [];
    const running = newRuntime({
      script: [asksFor("act", { what: "rm x" }), says("ok")],
      tools: [actTool(done)],
    });
    return { done, ...running };
  };
  test("startRuntime() runs a call when it is approved", async () => {
    const { runtime, submit, seen, finish, done } = asking();
    submit("do it");
    await seen(isWaiting);
    expect(done).toEqual([]);
    runtime.send({ type: "approve", approval_id: approvalId(1), decision: ALLOWED });
    await seen(isEnd);
    expect((await finish()).slice(4, 10)).toEqual([
      requested(act),
      approvalAsked,
      approvalSettled(ALLOWED),
      toolStarted(act, needFor("rm x")),
      toolDone(act),
      told(resultOf(act, { did: "rm x" })),
    ]);
  });

  test("startRuntime() runs nothing when it is denied, and rejects a second answer", async () => {
    const { runtime, submit, seen, finish, done } = asking();
    const no = deniedBy("user", "not now");
    submit("do it");
    await seen(isWaiting);
    runtime.send({ type: "approve", approval_id: approvalId(1), decision: no });
    runtime.send({ type: "approve", approval_id: approvalId(1), decision: ALLOWED });
    await seen(isEnd);
    const events = await finish();
    expect(events.slice(4, 9)).toEqual([
      requested(act),
      approvalAsked,
      rejected("approve", 'No approval "a1" is waiting'),
      approvalSettled(no),
      refused(act, "Denied: not now"),
    ]);
    expect(events.at(-2)).toEqual(
      completed("ok", { usage: USAGE, turns: 2, denials: [denial("act", "rm x", "not now")] }),
    );
    expect(done).toEqual([]);
  });

  test("startRuntime() may be answered by the sink that is shown the question", async () => {
    const done: string[] = [];
    const { submit, seen, finish, envelopes } = newRuntime({
      script: [asksFor("act", { what: "rm x" }), says("ok")],
      tools: [actTool(done)],
      onEvent: (event, runtime) => {
        if (event.family !== "task" || event.type !== "waiting_approval") return;
        const { approval_id } = event.approval;
        runtime.send({ type: "approve", approval_id, decision: ALLOWED });
      },
    });
    submit("do it");
    await seen(isEnd);
    await finish();
    expect(done).toEqual(["rm x"]);
    expect(envelopes.map(({ seq }) => seq)).toEqual(envelopes.map((_, index) => index + 1));
  });

  test("startRuntime() asks no longer once the policy is all", async () => {
    const { runtime, submit, seen, finish, done } = asking();
    runtime.send({ type: "set_approval_policy", policy: { type: "all" } });
    submit("do it");
    await seen(isEnd);
    expect((await finish()).some(isWaiting)).toBe(false);
    expect(done).toEqual(["rm x"]);
  });

  test("startRuntime() asks again when a window has closed on the monotonic clock", async () => {
    const host = fakeHost();
    const done: string[] = [];
    const { runtime, submit, seen, finish } = newRuntime({
      host,
      policy: { type: "window", untilMs: 1000 },
      script: [asksFor("act", { what: "a" }), asksFor("act", { what: "b" }), says("ok")],
      tools: [actTool(done)],
      onEvent: (event) => {
        if (event.family === "tool" && event.type === "completed") host.advance(1000);
      },
    });
    submit("do it");
    await seen(isWaiting);
    expect(done).toEqual(["a"]);
    runtime.send({ type: "approve", approval_id: approvalId(1), decision: ALLOWED });
    await seen(isEnd);
    await finish();
    expect(done).toEqual(["a", "b"]);
  });
});

describe("shutdown", () => {
  test("startRuntime() cancels a running task, answers its calls, then stops", async () => {
    const gates = gateTool({ parallel: true });
    const gate = call("c1", "gate", { name: "a" });
    const { submit, finish } = newRuntime({ script: [asksFor("gate", { name: "a" })], tools: [gates.tool] });
    submit("do it");
    await gates.reached("a");
    const events = await finish();
    expect(events.slice(-3, -2)).toMatchObject([told(errorOf(gate, CANCELLED))]);
    expect(events.slice(-2)).toMatchObject([{ family: "task", type: "cancelled" }, STOPPED]);
  });

  test("startRuntime() lets nothing run that waits for an approval when it is shut down", async () => {
    const done: string[] = [];
    const { submit, seen, finish } = newRuntime({
      script: [asksFor("act", { what: "rm x" })],
      tools: [actTool(done)],
    });
    submit("do it");
    await seen(isWaiting);
    const events = await finish();
    const no = "buddy is shutting down";
    expect(events).toContainEqual(approvalSettled(deniedBy("nobody", no)));
    expect(events.slice(-2)).toEqual([
      cancelled({ denials: [denial("act", "rm x", no)], unapproved: true }),
      STOPPED,
    ]);
    expect(events.filter((event) => event.family === "tool").map(({ type }) => type)).toEqual([
      "call_requested",
      "result",
    ]);
    expect(done).toEqual([]);
  });

  test("startRuntime() stops once, however often it is told to", async () => {
    const { runtime, finish } = newRuntime();
    runtime.send({ type: "shutdown" });
    expect(await finish()).toEqual([STOPPED]);
  });
});

describe("a sink", () => {
  test("startRuntime() waits for a slow sink before the task goes on", async () => {
    const release = Promise.withResolvers<void>();
    const { submit, seen, finish, requests } = newRuntime({
      script: [says("ok")],
      sinks: [
        ({ event }) => (event.family === "task" && event.type === "started" ? release.promise : undefined),
      ],
    });
    submit("do it");
    await seen((event) => event.family === "task" && event.type === "started");
    await settled();
    expect(requests.length).toBe(0);
    release.resolve();
    await seen(isEnd);
    await finish();
    expect(requests.length).toBe(1);
  });

  test("startRuntime() rejects when a sink cannot do its work", async () => {
    const { runtime, submit } = newRuntime({
      script: [says("ok")],
      sinks: [
        () => {
          throw new Error("stdout is closed");
        },
      ],
    });
    submit("do it");
    await expect(runtime.stopped).rejects.toThrow("stdout is closed");
  });

  test("startRuntime() rejects when the model port has a bug", async () => {
    const { runtime, submit } = newRuntime();
    submit("do it");
    await expect(runtime.stopped).rejects.toThrow("The model script has no turn 1");
  });
});

/** Lets everything run that can run. */
const settled = () => new Promise<void>((resolve) => setImmediate(resolve));
