import { describe, expect, test } from "bun:test";
import type { Decision, Event } from "../../core/event.ts";
import { failure } from "../../core/failure.ts";
import { entryId, sessionIdOf, taskId } from "../../core/id.ts";
import { type ToolMessage, userMessage } from "../../core/message.ts";
import type { SessionLog } from "../../core/ports/store.ts";
import { type Recorder, recordTo } from "../../core/record.ts";
import { assistant, call, USAGE } from "../fakes/model.ts";
import { type MemorySession, type MemoryStore, memoryStore, type StoreStep } from "../fakes/store.ts";
import { needFor } from "../fakes/tools.ts";
import {
  approvalAsked,
  approvalSettled,
  cancelled,
  completed,
  failed,
  requested,
  requestStarted,
  textDelta,
  tokens,
} from "./expected-events.ts";

const UNMASKED = { anything: (text: string) => text, known: (text: string) => text };
const TS = 1_700_000_000_000;
const T1 = taskId(1);
const prompt = userMessage("do it");
const act = call("c1", "act", { what: "rm x" });
const result: ToolMessage = {
  role: "tool",
  tool_call_id: "c1",
  name: "act",
  content: [{ type: "text", text: "{}" }],
  is_error: false,
};
const allowed: Decision = { type: "allowed", by: "user" };

const started: Event = { family: "task", type: "started", task_id: T1, message: prompt };
const replied: Event = {
  family: "model",
  type: "message",
  message: assistant("on it", [act]),
  usage: USAGE,
  model: "m-1",
  profile: "p",
};
const settled = approvalSettled(allowed);
const told: Event = { family: "tool", type: "result", message: result, refused: "never shown on disk" };

type Recording = MemoryStore & {
  readonly recorder: Recorder;
  readonly session: MemorySession;
  readonly steps: readonly StoreStep[];
};

/** A recorder on a session in memory. */
async function newRecorder(): Promise<Recording> {
  const steps: StoreStep[] = [];
  const memory = memoryStore({ onStep: (step) => step !== "close" && step !== "create" && steps.push(step) });
  const created = await memory.store.create({
    type: "session",
    v: 1,
    id: sessionIdOf("s-1"),
    created_at: "2026-01-02T03:04:05.678Z",
    cwd: "/work",
    target: "local",
    buddy: "1.2.3",
  });
  if (!created.ok) throw new Error(created.error.detail);
  const log: SessionLog = created.value.log;
  const [session] = memory.sessions;
  if (session === undefined) throw new Error("no session");
  return { ...memory, recorder: recordTo(log, UNMASKED), session, steps };
}

describe("entries", () => {
  test("recordTo() saves messages and decisions as one chain of entries", async () => {
    const { recorder, session } = await newRecorder();
    for (const [index, event] of [started, replied, settled, told].entries()) {
      await recorder.save(event, TS + index);
    }
    expect(session.entries).toEqual([
      { id: entryId(0), parentId: null, ts: TS, type: "message", role: "user", content: prompt.content },
      {
        id: entryId(1),
        parentId: entryId(0),
        ts: TS + 1,
        type: "message",
        role: "assistant",
        content: "on it",
        tool_calls: [act],
        usage: USAGE,
        profile: "p",
        model: "m-1",
      },
      {
        id: entryId(2),
        parentId: entryId(1),
        ts: TS + 2,
        type: "approval",
        call_id: "c1",
        tool: "act",
        subject: "rm x",
        decision: allowed,
      },
      { id: entryId(3), parentId: entryId(2), ts: TS + 3, type: "message", ...result },
    ]);
  });

  test("recordTo() saves a denial that nobody was asked about", async () => {
    const { recorder, session } = await newRecorder();
    const decision = { type: "denied", by: "rule", reason: "never" } as const;
    const denial = { call_id: "c1", tool: "act", subject: "rm x", decision };
    await recorder.save({ family: "task", type: "decided", task_id: T1, ...denial }, TS);
    expect(session.entries).toEqual([
      { id: entryId(0), parentId: null, ts: TS, type: "approval", ...denial },
    ]);
  });

  test("recordTo() saves a reply without usage as one without usage", async () => {
    const { recorder, session } = await newRecorder();
    const message = assistant("ok", [], "hm");
    await recorder.save({ family: "model", type: "message", message, model: "m", profile: "p" }, TS);
    expect(session.entries).toEqual([
      {
        id: entryId(0),
        parentId: null,
        ts: TS,
        type: "message",
        role: "assistant",
        content: "ok",
        reasoning: "hm",
        tool_calls: [],
        profile: "p",
        model: "m",
      },
    ]);
  });

  const unrecorded: readonly Event[] = [
    { family: "lifecycle", type: "started", version: "1" },
    { family: "session", type: "saved", id: sessionIdOf("s") },
    approvalAsked,
    { family: "task", type: "cancelling", task_id: T1 },
    { family: "task", type: "rejected", command: "approve", reason: "no" },
    requestStarted(1),
    textDelta("x"),
    { family: "model", type: "delta_withdrawn" },
    { family: "model", type: "retrying", attempt: 1, of: 2, wait_ms: 3, reason: "503" },
    requested(act),
    { family: "tool", type: "started", call_id: "c1", name: "time" },
    { family: "tool", type: "stdout_chunk", call_id: "c1", text: "x" },
    {
      family: "tool",
      type: "completed",
      call_id: "c1",
      name: "act",
      duration_ms: 1,
      is_error: false,
      summary: "",
    },
    tokens(USAGE, USAGE),
    { family: "warning", type: "warning", code: "c", message: "m" },
    { family: "error", type: "error", failure: failure("internal", "m") },
  ];

  test("recordTo() touches the disk for no other event", async () => {
    const { recorder, steps } = await newRecorder();
    for (const event of unrecorded) {
      expect(await recorder.save(event, TS)).toEqual({ ok: true, value: undefined });
    }
    expect(steps).toEqual([]);
  });
});

describe("flushing", () => {
  const acting: Event = {
    family: "tool",
    type: "started",
    call_id: "c1",
    name: "act",
    need: needFor("rm x"),
  };
  const ends = [completed("ok"), failed(failure("model", "503"), ""), cancelled()];

  test.each([acting, ...ends])("recordTo() reaches the disk before %j is shown", async (event) => {
    const { recorder, session, steps } = await newRecorder();
    await recorder.save(started, TS);
    expect(session.flushed()).toBe(0);
    expect(await recorder.save(event, TS)).toEqual({ ok: true, value: undefined });
    expect(session.flushed()).toBe(1);
    expect(steps).toEqual(["append", "flush"]);
  });

  test("recordTo() answers at once where nothing has to reach the disk", async () => {
    const { recorder } = await newRecorder();
    expect(recorder.save(started, TS)).toEqual({ ok: true, value: undefined });
  });

  test("recordTo() passes the failure of a flush on", async () => {
    const { recorder, fail } = await newRecorder();
    fail("flush", "input/output error");
    expect(await recorder.save(completed("ok"), TS)).toEqual({
      ok: false,
      error: { kind: "unwritable", detail: "input/output error" },
    });
  });
});

describe("a disk that was full for a while", () => {
  test("recordTo() writes what it could not write together with the next entry, in order and once", async () => {
    const { recorder, session, fail } = await newRecorder();
    const full = { ok: false, error: { kind: "unwritable", detail: "disk full" } } as const;
    fail("append", "disk full");
    expect(await recorder.save(started, TS)).toEqual(full);
    expect(await recorder.save(replied, TS)).toEqual(full);
    expect(session.entries).toEqual([]);
    fail("append", undefined);
    expect(await recorder.save(told, TS)).toEqual({ ok: true, value: undefined });
    await recorder.save(settled, TS);
    expect(session.entries.map(({ id, parentId, type }) => [id, parentId, type])).toEqual([
      [entryId(0), null, "message"],
      [entryId(1), entryId(0), "message"],
      [entryId(2), entryId(1), "message"],
      [entryId(3), entryId(2), "approval"],
    ]);
  });

  test("recordTo() tries again with the next event, whatever it is", async () => {
    const { recorder, session, fail } = await newRecorder();
    fail("append", "disk full");
    await recorder.save(started, TS);
    fail("append", undefined);
    expect(await recorder.save(textDelta("x"), TS)).toEqual({ ok: true, value: undefined });
    expect(session.entries.map(({ id }) => id)).toEqual([entryId(0)]);
  });

  test("recordTo() flushes nothing that it could not write", async () => {
    const { recorder, fail, steps } = await newRecorder();
    fail("append", "disk full");
    await recorder.save(started, TS);
    expect(await recorder.save(completed("ok"), TS)).toMatchObject({ ok: false });
    expect(steps).toEqual(["append", "append"]);
  });

  test("recordTo() tries a last time when it is finished, and only when something is left", async () => {
    const { recorder, session, fail, steps } = await newRecorder();
    expect(recorder.finish()).toEqual({ ok: true, value: undefined });
    expect(steps).toEqual([]);
    fail("append", "disk full");
    await recorder.save(started, TS);
    expect(recorder.finish()).toEqual({ ok: false, error: { kind: "unwritable", detail: "disk full" } });
    fail("append", undefined);
    expect(recorder.finish()).toEqual({ ok: true, value: undefined });
    expect(session.entries.map(({ id }) => id)).toEqual([entryId(0)]);
  });
});
