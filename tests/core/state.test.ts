import { describe, expect, test } from "bun:test";
import type { Decision } from "../../core/event.ts";
import { approvalId, taskId } from "../../core/id.ts";
import { textOf, userMessage } from "../../core/message.ts";
import {
  type Effect,
  type Input,
  initialState,
  lastApproval,
  type RuntimeState,
  step,
} from "../../core/runtime/state.ts";
import { spokenText } from "../../core/user-parts.ts";

const ASK = { type: "ask" } as const;
const idle = initialState(ASK);
const message = userMessage("hi");
const submit: Input = { type: "submit_prompt", message };
const allow: Decision = { type: "allowed", by: "user" };

/** The state after some inputs; what they did on the way does not matter. */
const after = (...inputs: readonly Input[]): RuntimeState =>
  inputs.reduce((state, input) => step(state, input)[0], idle);

const running = after(submit);
const asking = after(submit, { type: "approval_opened" }, { type: "approval_opened" });
const stopping = after(submit, { type: "shutdown" });

const rejected = (command: string, reason: string): Effect => ({
  type: "emit",
  event: { family: "task", type: "rejected", command, reason },
});

describe("take_back", () => {
  test("step() gives back what is queued, in the order of its delivery", () => {
    const [first, second] = [userMessage("later"), userMessage("now")];
    const queued = after(submit, { type: "follow_up", message: first }, { type: "steer", message: second });
    expect(step(queued, { type: "take_back" })).toEqual([
      { ...queued, steering: [], followUps: [] },
      [{ type: "emit", event: { family: "task", type: "unqueued", messages: [second, first] } }],
    ]);
  });

  test("step() says when nothing is queued", () => {
    const [, effects] = step(idle, { type: "take_back" });
    expect(effects).toEqual([rejected("take_back", "Nothing is queued")]);
  });
});

describe("submit_prompt", () => {
  test("step() starts a task and counts it", () => {
    expect(step(idle, submit)).toEqual([
      { ...idle, active: taskId(1), tasksStarted: 1 },
      [{ type: "start_task", task: { id: taskId(1), message } }],
    ]);
  });

  test("step() gives every task its own id", () => {
    expect(step(after(submit, { type: "task_ended" }), submit)).toEqual([
      { ...idle, active: taskId(2), tasksStarted: 2 },
      [{ type: "start_task", task: { id: taskId(2), message } }],
    ]);
  });

  test("step() rejects a prompt while a task runs", () => {
    expect(step(running, submit)).toEqual([running, [rejected("submit_prompt", "Task t1 is running")]]);
  });

  test("step() rejects a prompt while shutting down", () => {
    const why = "The runtime is shutting down";
    expect(step(stopping, submit)).toEqual([stopping, [rejected("submit_prompt", why)]]);
  });
});

describe("approve", () => {
  test("step() numbers the approvals it opens", () => {
    expect(step(running, { type: "approval_opened" })).toEqual([
      { ...running, approvalsOpened: 1, pending: [approvalId(1)] },
      [],
    ]);
    expect(lastApproval(asking)).toBe(approvalId(2));
  });

  test("step() settles an approval that waits, and only that one", () => {
    expect(step(asking, { type: "approve", approval_id: approvalId(1), decision: allow })).toEqual([
      { ...asking, pending: [approvalId(2)] },
      [{ type: "settle_approval", approval_id: approvalId(1), decision: allow }],
    ]);
  });

  test.each([
    ["that was never opened", asking, approvalId(3)],
    [
      "that is settled already",
      step(asking, { type: "approve", approval_id: approvalId(2), decision: allow })[0],
      approvalId(2),
    ],
    ["of a task that has ended", step(asking, { type: "task_ended" })[0], approvalId(1)],
    ["that shutting down has denied", step(asking, { type: "shutdown" })[0], approvalId(1)],
  ])("step() rejects the answer to an approval %s", (_fact, state, approval_id) => {
    expect(step(state, { type: "approve", approval_id, decision: allow })).toEqual([
      state,
      [rejected("approve", `No approval "${approval_id}" is waiting`)],
    ]);
  });
});

describe("cancel_task", () => {
  test("step() aborts the active task and says so", () => {
    expect(step(running, { type: "cancel_task", task_id: taskId(1) })).toEqual([
      { ...running, stoppedByUser: true },
      [
        { type: "emit", event: { family: "task", type: "cancelling", task_id: taskId(1) } },
        { type: "abort_task" },
      ],
    ]);
  });

  test("step() has the next prompt tell the model, once, and people do not see it", () => {
    const stopped = after(submit, { type: "cancel_task", task_id: taskId(1) }, { type: "task_ended" });
    const [next, effects] = step(stopped, submit);
    const task = effects[0]?.type === "start_task" ? effects[0].task : undefined;
    expect(task && textOf(task.message.content)).toContain("The user stopped the previous task");
    expect(task && spokenText(task.message)).toBe("hi");
    expect(next.stoppedByUser).toBe(false);
  });

  test.each([
    ["when there is no task", idle, taskId(1)],
    ["of another id", running, taskId(2)],
    ["that has ended", after(submit, { type: "task_ended" }), taskId(1)],
  ])("step() rejects cancelling a task %s", (_fact, state, task_id) => {
    expect(step(state, { type: "cancel_task", task_id })).toEqual([
      state,
      [rejected("cancel_task", `Task "${task_id}" is not running`)],
    ]);
  });
});

describe("set_approval_policy", () => {
  test("step() changes the policy, whatever goes on", () => {
    for (const state of [idle, running, asking]) {
      expect(step(state, { type: "set_approval_policy", policy: { type: "all" } })).toEqual([
        { ...state, policy: { type: "all" } },
        [],
      ]);
    }
  });
});

describe("shutdown", () => {
  test("step() stops at once when nothing runs", () => {
    expect(step(idle, { type: "shutdown" })).toEqual([{ ...idle, stopping: true }, [{ type: "stop" }]]);
  });

  test("step() denies what waits, aborts the task, and stops when it has ended", () => {
    const decision: Decision = { type: "denied", by: "nobody", reason: "buddy is shutting down" };
    const [next, effects] = step(asking, { type: "shutdown" });
    expect([next, effects]).toEqual([
      { ...asking, stopping: true, pending: [] },
      [
        { type: "settle_approval", approval_id: approvalId(1), decision },
        { type: "settle_approval", approval_id: approvalId(2), decision },
        { type: "abort_task" },
      ],
    ]);
    expect(step(next, { type: "task_ended" })).toEqual([{ ...next, active: undefined }, [{ type: "stop" }]]);
  });

  test("step() stops only once", () => {
    const stopped = step(idle, { type: "shutdown" })[0];
    expect(step(stopped, { type: "shutdown" })).toEqual([stopped, []]);
    expect(step(stopping, { type: "shutdown" })).toEqual([stopping, []]);
  });
});

test("step() is idle again when a task has ended, with nothing left to approve", () => {
  expect(step(asking, { type: "task_ended" })).toEqual([{ ...asking, active: undefined, pending: [] }, []]);
});
