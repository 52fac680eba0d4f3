import { describe, expect, test } from "bun:test";
import * as v from "valibot";
import type { Event } from "../../core/event.ts";
import { envelopeSchema } from "../../core/event-schema.ts";
import { failure } from "../../core/failure.ts";
import { approvalId, taskId } from "../../core/id.ts";
import { userMessage } from "../../core/message.ts";
import { err, ok } from "../../core/result.ts";
import { ALLOWED, deniedBy } from "../fakes/approver.ts";
import { plainBundle } from "../fakes/context.ts";
import {
  asksFor,
  asksForAll,
  assistant,
  call,
  fails,
  hangs,
  replies,
  says,
  scriptedModel,
  USAGE,
} from "../fakes/model.ts";
import { memoryStore } from "../fakes/store.ts";
import { actTool, crashTool, echoTool, failTool, gateTool } from "../fakes/tools.ts";
import { isEnd, newRuntime, type RunningRuntime } from "./run-runtime.ts";

const isWaiting = (event: Event) => event.family === "task" && event.type === "waiting_approval";

/** Which events came, after each was found to be as documented. */
function kindsOf({ envelopes }: RunningRuntime): ReadonlySet<string> {
  const wrong = envelopes.flatMap((envelope) => {
    // As a reader gets it.
    const parsed = v.safeParse(envelopeSchema, JSON.parse(JSON.stringify(envelope)));
    return parsed.success ? [] : [{ envelope, issues: v.flatten(parsed.issues) }];
  });
  expect(wrong).toEqual([]);
  expect(envelopes.map(({ seq }) => seq)).toEqual(envelopes.map((_, index) => index + 1));
  return new Set(envelopes.map(({ event }) => `${event.family}/${event.type}`));
}

describe("every event of a run is as documented", () => {
  test("calls of all kinds, approved, denied, failed and unknown", async () => {
    const run = newRuntime({
      store: memoryStore().store,
      script: [
        asksForAll(
          call("c1", "act", { what: "one" }),
          call("c2", "act", { what: "two" }),
          call("c3", "fail", { reason: "no luck" }),
          call("c4", "crash"),
          call("c5", "nothing"),
          call("c6", "echo", "{"),
        ),
        says("done"),
      ],
      tools: [actTool([]), failTool, crashTool, echoTool],
      onEvent: (event, { send }) => {
        if (event.family !== "task" || event.type !== "waiting_approval") return;
        const { approval_id } = event.approval;
        const allowed = approval_id === approvalId(1);
        send({ type: "approve", approval_id, decision: allowed ? ALLOWED : deniedBy("user", "not that") });
      },
    });
    run.submit("do it");
    await run.seen(isEnd);
    await run.finish();
    expect([...kindsOf(run)]).toEqual([
      "session/created",
      "task/started",
      "model/request_started",
      "metrics/phase",
      "model/message",
      "tool/call_requested",
      "task/waiting_approval",
      "task/approval_settled",
      "tool/started",
      "tool/completed",
      "tool/result",
      "model/text_delta",
      "metrics/tokens",
      "metrics/context",
      "task/completed",
      "session/saved",
      "lifecycle/stopped",
    ]);
  });

  test("retries, withdrawn deltas, reasoning, private fields and a failure at the end", async () => {
    const run = newRuntime({
      script: [
        [
          { type: "reasoning_delta", text: "hm" },
          { type: "text_delta", text: "half" },
          { type: "notice", text: "odd" },
          { type: "withdrawn" },
          { type: "retrying", attempt: 1, of: 4, wait_ms: 830, reason: "503" },
          {
            type: "replied",
            reply: {
              message: {
                ...assistant("look", [call("c1", "echo", { text: "hi" })], "hm"),
                extra: { origin: "responses@test", fields: { items: [1, { deep: null }] } },
              },
              finish: "tool_calls",
              usage: USAGE,
            },
          },
        ],
        fails(
          failure("model", "gone", { http_status: 503, retryable: true, retry_after_ms: 5, hint: "wait" }),
        ),
      ],
      tools: [echoTool],
    });
    run.submit("do it");
    await run.seen(isEnd);
    await run.finish();
    const kinds = kindsOf(run);
    for (const kind of ["model/retrying", "model/delta_withdrawn", "model/reasoning_delta", "task/failed"])
      expect(kinds).toContain(kind);
  });

  test("queued messages, rejected commands and a task that is cancelled", async () => {
    const { tool, reached } = gateTool({ parallel: false });
    const run = newRuntime({
      script: [asksFor("gate", { name: "a" }), hangs(() => {})],
      tools: [tool],
    });
    run.submit("do it");
    await reached("a");
    run.submit("another");
    run.runtime.send({ type: "steer", message: userMessage("left") });
    run.runtime.send({ type: "follow_up", message: userMessage("then") });
    run.runtime.send({ type: "cancel_task", task_id: taskId(1) });
    await run.seen((event) => event.family === "task" && event.type === "unqueued");
    await run.finish();
    const kinds = kindsOf(run);
    for (const kind of ["rejected", "queued", "cancelling", "cancelled", "unqueued"])
      expect(kinds).toContain(`task/${kind}`);
    expect(kinds).toContain("tool/info");
  });

  test("a question that is open when the runtime shuts down", async () => {
    const run = newRuntime({ script: [asksFor("act", { what: "x" })], tools: [actTool([])] });
    run.submit("do it");
    await run.seen(isWaiting);
    await run.finish();
    expect(kindsOf(run)).toContain("task/cancelled");
  });

  test("sessions: titled, compacted, forked, resumed, another model, and what cannot be done", async () => {
    const memory = memoryStore();
    const { model } = scriptedModel(
      says(LONG),
      says("ok"),
      replies({ content: "## Goal\nwords", usage: USAGE }),
    );
    const window = { context: 8000, contextBudget: 0, maxOutputTokens: 0 };
    const run = newRuntime({
      store: memory.store,
      models: {
        first: { ...plainBundle(model), context: { window, compactAt: 1 } },
        chosenBy: "default",
        find: async (wanted) =>
          wanted === "other"
            ? ok(plainBundle({ ...model, profile: "other" }))
            : err(failure("usage", `There is no model "${wanted}"`)),
      },
    });
    const { send } = run.runtime;
    run.submit(LONG);
    await run.seen(endOf(1));
    await settled();
    run.submit("more");
    await run.seen(endOf(2));
    await settled();
    send({ type: "session_rename", title: "Words" });
    send({ type: "session_compact" });
    send({ type: "session_fork" });
    send({ type: "switch_model", wanted: "other" });
    send({ type: "switch_model", wanted: "none" });
    send({ type: "session_resume", ref: memory.sessions[0]?.header.id ?? "" });
    await run.seen((event) => event.family === "session" && event.type === "resumed");
    await run.finish();
    const kinds = kindsOf(run);
    for (const kind of ["created", "titled", "compacted", "forked", "resumed"])
      expect(kinds).toContain(`session/${kind}`);
    for (const kind of ["model/profile_switched", "error/error", "metrics/phase"])
      expect(kinds).toContain(kind);
  });
});

const LONG = "word ".repeat(2000);

const endOf = (task: number) => (event: Event) =>
  isEnd(event) && event.family === "task" && "task_id" in event && event.task_id === taskId(task);

/** The runtime has also noted that the task is over. */
const settled = () => new Promise<void>((resolve) => setImmediate(resolve));
