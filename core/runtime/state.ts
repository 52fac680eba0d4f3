import type { Decision, Event } from "../event.ts";
import { type ApprovalId, approvalId, type TaskId, taskId } from "../id.ts";
import type { Task } from "../loop.ts";
import type { UserMessage } from "../message.ts";
import type { ApprovalPolicy } from "../policy/approval.ts";
import { unreachable } from "../result.ts";

/** What front ends may ask of the runtime. */
export type Command =
  | { readonly type: "submit_prompt"; readonly message: UserMessage }
  | { readonly type: "approve"; readonly approval_id: ApprovalId; readonly decision: Decision }
  | { readonly type: "cancel_task"; readonly task_id: TaskId }
  | { readonly type: "set_approval_policy"; readonly policy: ApprovalPolicy }
  | { readonly type: "shutdown" };

/** Commands, and what the runtime learns from its own work. */
export type Input = Command | { readonly type: "approval_opened" } | { readonly type: "task_ended" };

export type Effect =
  | { readonly type: "emit"; readonly event: Event }
  | { readonly type: "start_task"; readonly task: Task }
  | { readonly type: "abort_task" }
  | { readonly type: "settle_approval"; readonly approval_id: ApprovalId; readonly decision: Decision }
  | { readonly type: "stop" };

export type RuntimeState = {
  readonly active: TaskId | undefined;
  readonly stopping: boolean;
  readonly tasksStarted: number;
  readonly approvalsOpened: number;
  readonly pending: readonly ApprovalId[];
  readonly policy: ApprovalPolicy;
};

export const initialState = (policy: ApprovalPolicy): RuntimeState => ({
  active: undefined,
  stopping: false,
  tasksStarted: 0,
  approvalsOpened: 0,
  pending: [],
  policy,
});

type Step = readonly [RuntimeState, readonly Effect[]];

/** Pure: what the runtime becomes and does on an input. No command is dropped without a word. */
export function step(state: RuntimeState, input: Input): Step {
  switch (input.type) {
    case "submit_prompt":
      return submitPrompt(state, input.message);
    case "approve":
      return approve(state, input.approval_id, input.decision);
    case "cancel_task":
      return cancelTask(state, input.task_id);
    case "set_approval_policy":
      return [{ ...state, policy: input.policy }, []];
    case "shutdown":
      return shutDown(state);
    case "approval_opened":
      return openApproval(state);
    case "task_ended":
      return [{ ...state, active: undefined, pending: [] }, state.stopping ? [{ type: "stop" }] : []];
    default:
      return unreachable(input);
  }
}

/** The id of the approval that the last `approval_opened` made. */
export const lastApproval = (state: RuntimeState): ApprovalId => approvalId(state.approvalsOpened);

function submitPrompt(state: RuntimeState, message: UserMessage): Step {
  if (state.stopping) return rejected(state, "submit_prompt", "The runtime is shutting down");
  if (state.active !== undefined) return rejected(state, "submit_prompt", `Task ${state.active} is running`);
  const id = taskId(state.tasksStarted + 1);
  const next = { ...state, active: id, tasksStarted: state.tasksStarted + 1 };
  return [next, [{ type: "start_task", task: { id, message } }]];
}

function approve(state: RuntimeState, id: ApprovalId, decision: Decision): Step {
  if (!state.pending.includes(id)) return rejected(state, "approve", `No approval "${id}" is waiting`);
  const next = { ...state, pending: state.pending.filter((other) => other !== id) };
  return [next, [{ type: "settle_approval", approval_id: id, decision }]];
}

function cancelTask(state: RuntimeState, id: TaskId): Step {
  if (state.active !== id) return rejected(state, "cancel_task", `Task "${id}" is not running`);
  return [
    state,
    [{ type: "emit", event: { family: "task", type: "cancelling", task_id: id } }, { type: "abort_task" }],
  ];
}

function shutDown(state: RuntimeState): Step {
  if (state.stopping) return [state, []];
  const next = { ...state, stopping: true, pending: [] };
  if (state.active === undefined) return [next, [{ type: "stop" }]];
  const denied: Decision = { type: "denied", by: "nobody", reason: "buddy is shutting down" };
  const denials = state.pending.map(
    (id): Effect => ({ type: "settle_approval", approval_id: id, decision: denied }),
  );
  return [next, [...denials, { type: "abort_task" }]];
}

function openApproval(state: RuntimeState): Step {
  const count = state.approvalsOpened + 1;
  return [{ ...state, approvalsOpened: count, pending: [...state.pending, approvalId(count)] }, []];
}

const rejected = (state: RuntimeState, command: string, reason: string): Step => [
  state,
  [{ type: "emit", event: { family: "task", type: "rejected", command, reason } }],
];
