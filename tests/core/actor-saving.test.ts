import { describe, expect, test } from "bun:test";
import type { Event } from "../../core/event.ts";
import { entryId, sessionId } from "../../core/id.ts";
import { fakeHost, START_UNIX_MS } from "../fakes/host.ts";
import { asksFor, assistant, call, says, USAGE } from "../fakes/model.ts";
import { memoryStore } from "../fakes/store.ts";
import { actTool, echoTool } from "../fakes/tools.ts";
import { completed, PROMPT, resultOf, taskStarted } from "./expected-events.ts";
import { isEnd, newRuntime } from "./run-runtime.ts";

const ID = sessionId(START_UNIX_MS, fakeHost().random);
const CREATED: Event = { family: "session", type: "created", id: ID, path: `/sessions/${ID}.jsonl` };
const SAVED: Event = { family: "session", type: "saved", id: ID };
const STOPPED: Event = { family: "lifecycle", type: "stopped" };
const warning = (code: string, message: string): Event => ({
  family: "warning",
  type: "warning",
  code,
  message,
});
const echo = call("c1", "echo", { text: "x" });
const script = [asksFor("echo", { text: "x" }), says("ok")];
const tools = [echoTool];

test("startRuntime() creates a session with the first prompt and saves the conversation", async () => {
  const { store, sessions } = memoryStore();
  const { submit, seen, finish } = newRuntime({ store, script, tools });
  expect(sessions).toEqual([]);
  submit("do it");
  await seen(isEnd);
  const events = await finish();
  expect(events.slice(0, 2)).toEqual([CREATED, taskStarted]);
  expect(events.slice(-3)).toEqual([
    completed("ok", { usage: USAGE, turns: 2, tool_calls: 1 }),
    SAVED,
    STOPPED,
  ]);
  const place = (index: number) => ({
    id: entryId(index),
    parentId: index === 0 ? null : entryId(index - 1),
    ts: START_UNIX_MS,
    type: "message" as const,
  });
  const by = { profile: "test", model: "scripted-1" };
  const [session] = sessions;
  expect(session?.header).toEqual({
    type: "session",
    v: 1,
    id: ID,
    created_at: "2026-01-02T03:04:05.678Z",
    cwd: "/work",
    target: "local",
    buddy: "1.2.3",
  });
  expect(session?.entries).toEqual([
    { ...place(0), ...PROMPT },
    { ...place(1), ...assistant("", [echo]), ...by },
    { ...place(2), ...resultOf(echo, { echoed: "x" }) },
    { ...place(3), ...assistant("ok"), usage: USAGE, ...by },
  ]);
  expect({ flushed: session?.flushed(), closed: session?.closed() }).toEqual({ flushed: 4, closed: true });
});

test("startRuntime() creates no session when nothing was said", async () => {
  const { store, sessions } = memoryStore();
  expect(await newRuntime({ store }).finish()).toEqual([STOPPED]);
  expect(sessions).toEqual([]);
});

test("startRuntime() keeps several tasks in one session", async () => {
  const { store, sessions } = memoryStore();
  const { submit, seen, finish } = newRuntime({ store, script: [says("one"), says("two")] });
  submit("first");
  await seen(isEnd);
  await new Promise<void>((resolve) => setImmediate(resolve));
  submit("second");
  await seen((event) => event.family === "task" && event.type === "completed" && event.result === "two");
  await finish();
  expect(sessions.map(({ entries }) => entries.map(({ parentId }) => parentId))).toEqual([
    [null, entryId(0), entryId(1), entryId(2)],
  ]);
});

test("startRuntime() saves every entry before it shows the event", async () => {
  const trace: string[] = [];
  const { store } = memoryStore({
    onStep: (step, entries) =>
      trace.push(entries.length > 0 ? `${step} ${entries.map(({ id }) => id)}` : step),
  });
  const { submit, seen, finish } = newRuntime({
    store,
    script: [asksFor("act", { what: "x" }), says("ok")],
    tools: [actTool([])],
    policy: { type: "all" },
    onEvent: (event) => trace.push(`show ${event.family}/${event.type}`),
  });
  submit("do it");
  await seen(isEnd);
  await finish();
  expect(trace).toEqual([
    "create",
    "show session/created",
    "append 0000",
    "show task/started",
    "show model/request_started",
    "show metrics/phase",
    "append 0001",
    "show model/message",
    "show tool/call_requested",
    "append 0002",
    "show task/decided",
    "flush",
    "show tool/started",
    "show tool/completed",
    "append 0003",
    "show tool/result",
    "show metrics/phase",
    "flush",
    "show model/request_started",
    "show model/text_delta",
    "show model/text_delta",
    "show metrics/phase",
    "append 0004",
    "show model/message",
    "show metrics/tokens",
    "show metrics/context",
    "flush",
    "show task/completed",
    "show session/saved",
    "flush",
    "close",
    "show lifecycle/stopped",
  ]);
});

describe("a store that fails", () => {
  test("startRuntime() warns and goes on when there is no place for a session", async () => {
    const { store, fail } = memoryStore();
    fail("create", "read-only file system");
    const { submit, seen, finish } = newRuntime({ store, script, tools });
    submit("do it");
    await seen(isEnd);
    const events = await finish();
    expect(events.slice(0, 2)).toEqual([
      warning("session_not_saved", "This session is not saved: read-only file system"),
      taskStarted,
    ]);
    expect(events).toContainEqual(completed("ok", { usage: USAGE, turns: 2, tool_calls: 1 }));
  });

  test("startRuntime() tells when the session lies somewhere else than usual", async () => {
    const { store } = memoryStore({ notice: "saved in the state directory" });
    const { submit, seen, finish } = newRuntime({ store, script: [says("ok")] });
    submit("do it");
    await seen(isEnd);
    expect((await finish()).slice(0, 3)).toEqual([
      warning("session_place", "saved in the state directory"),
      CREATED,
      taskStarted,
    ]);
  });

  test("startRuntime() warns at once and only once while nothing can be written", async () => {
    const { store, fail, sessions } = memoryStore();
    fail("append", "disk full");
    const { submit, seen, envelopes } = newRuntime({ store, script, tools });
    submit("do it");
    await seen(isEnd);
    const events = envelopes.map(({ event }) => event);
    expect(events.slice(0, 3)).toEqual([
      CREATED,
      warning("session_not_saved", "The session is not saved: disk full"),
      taskStarted,
    ]);
    expect(events.filter(({ family }) => family === "warning").length).toBe(1);
    expect(events.at(-1)).toEqual(completed("ok", { usage: USAGE, turns: 2, tool_calls: 1 }));
    expect(sessions[0]?.entries).toEqual([]);
  });

  test("startRuntime() warns before the end is shown when the disk did not take it", async () => {
    const { store, fail } = memoryStore();
    fail("flush", "input/output error");
    const { submit, seen, finish } = newRuntime({ store, script: [says("ok")] });
    submit("do it");
    await seen(isEnd);
    const events = await finish();
    const end = events.findIndex(isEnd);
    expect(events.slice(end - 1, end + 1)).toEqual([
      warning("session_not_saved", "The session is not saved: input/output error"),
      completed("ok", { usage: USAGE }),
    ]);
  });

  test("startRuntime() writes at the end what it could not write before", async () => {
    const { store, fail, sessions } = memoryStore();
    const { submit, seen, finish } = newRuntime({
      store,
      script: [says("ok")],
      onEvent: (event) => {
        if (event.family === "model" && event.type === "request_started") fail("append", "disk full");
        if (isEnd(event)) fail("append", undefined);
      },
    });
    submit("do it");
    await seen(isEnd);
    expect((await finish()).slice(-2)).toEqual([completed("ok", { usage: USAGE }), STOPPED]);
    expect(sessions[0]?.entries.map(({ id }) => id)).toEqual([0, 1].map(entryId));
  });

  test("startRuntime() writes what it could not write once there is room again", async () => {
    const { store, fail, sessions } = memoryStore();
    fail("append", "disk full");
    const { submit, seen, finish, envelopes } = newRuntime({
      store,
      script,
      tools,
      onEvent: (event) => {
        if (event.family === "tool" && event.type === "completed") fail("append", undefined);
      },
    });
    submit("do it");
    await seen(isEnd);
    const events = await finish();
    expect(sessions[0]?.entries.map(({ id }) => id)).toEqual([0, 1, 2, 3].map(entryId));
    expect(events).toContainEqual(warning("session_not_saved", "The session is not saved: disk full"));
    expect(events.slice(-3)).toEqual([
      completed("ok", { usage: USAGE, turns: 2, tool_calls: 1 }),
      SAVED,
      STOPPED,
    ]);
    expect(envelopes.map(({ seq }) => seq)).toEqual(envelopes.map((_, index) => index + 1));
  });
});
