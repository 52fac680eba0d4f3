import type { Decision, Event, QueuedAs } from "../event.ts";
import { type ApprovalId, approvalId, type EntryId, type TaskId, taskId } from "../id.ts";
import type { Task } from "../loop.ts";
import type { UserMessage } from "../message.ts";
import type { ApprovalPolicy } from "../policy/approval.ts";
import { unreachable } from "../result.ts";
import type { RunReport } from "../run-report.ts";
import { harnessPart, withParts } from "../user-parts.ts";

/** What front ends may ask of the runtime. */
export type Command =
  | PromptCommand
  | { readonly type: "steer"; readonly message: UserMessage }
  | { readonly type: "follow_up"; readonly message: UserMessage }
  /** Gives back what is queued and not yet taken. */
  | { readonly type: "take_back" }
  | { readonly type: "approve"; readonly approval_id: ApprovalId; readonly decision: Decision }
  | { readonly type: "cancel_task"; readonly task_id: TaskId }
  | { readonly type: "set_timeout"; readonly task_id: TaskId; readonly duration_ms: number }
  | { readonly type: "set_approval_policy"; readonly policy: ApprovalPolicy }
  | ShutdownCommand
  | SessionCommand;

/** `report`: what the run came to, told by the last event. */
type ShutdownCommand = { readonly type: "shutdown"; readonly report?: RunReport };

type PromptCommand = { readonly type: "submit_prompt"; readonly message: UserMessage };

/** Commands that change which conversation or which model goes on; only between tasks. */
export type SessionCommand =
  | { readonly type: "switch_model"; readonly wanted: string }
  | { readonly type: "session_new" }
  | { readonly type: "session_resume"; readonly ref: string }
  | { readonly type: "session_resume_last" }
  /** Without a reference: the session that is open. */
  | { readonly type: "session_fork"; readonly ref?: string; readonly entry_id?: EntryId }
  /** To an earlier entry of the session that is open; null: before the first one. */
  | { readonly type: "session_move"; readonly entry_id: EntryId | null }
  | { readonly type: "session_rename"; readonly title: string }
  | { readonly type: "session_compact"; readonly instructions?: string };

/** Commands, and what the runtime learns from its own work. */
export type Input =
  | Command
  | { readonly type: "approval_opened" }
  | { readonly type: "task_ended" }
  | { readonly type: "messages_taken"; readonly as: QueuedAs; readonly count: number }
  | { readonly type: "session_command_done" };

export type Effect =
  | { readonly type: "emit"; readonly event: Event }
  | { readonly type: "start_task"; readonly task: Task }
  | { readonly type: "abort_task" }
  | { readonly type: "arm_timeout"; readonly duration_ms: number }
  | { readonly type: "settle_approval"; readonly approval_id: ApprovalId; readonly decision: Decision }
  | { readonly type: "run_session_command"; readonly command: SessionCommand }
  | { readonly type: "abort_session_command" }
  /** A command that waited for a session command to end. */
  | { readonly type: "take_up"; readonly command: SessionCommand | PromptCommand }
  | { readonly type: "stop"; readonly report?: RunReport };

export type RuntimeState = {
  readonly active: TaskId | undefined;
  /** A session command is being carried out. */
  readonly changing: boolean;
  /** What came meanwhile and needs its outcome. */
  readonly held: readonly (SessionCommand | PromptCommand)[];
  readonly stopping: boolean;
  readonly report: RunReport | undefined;
  readonly tasksStarted: number;
  readonly approvalsOpened: number;
  readonly pending: readonly ApprovalId[];
  readonly policy: ApprovalPolicy;
  readonly steering: readonly UserMessage[];
  readonly followUps: readonly UserMessage[];
  /** The user stopped the last task; the next prompt tells the model. */
  readonly stoppedByUser: boolean;
};

export const initialState = (policy: ApprovalPolicy): RuntimeState => ({
  active: undefined,
  changing: false,
  held: [],
  stopping: false,
  report: undefined,
  tasksStarted: 0,
  approvalsOpened: 0,
  pending: [],
  policy,
  steering: [],
  followUps: [],
  stoppedByUser: false,
});

const STOPPED = harnessPart("harness_note", "The user stopped the previous task before it ended.");

type Step = readonly [RuntimeState, readonly Effect[]];

/** Pure: what the runtime becomes and does on an input. No command is dropped without a word. */
export function step(state: RuntimeState, input: Input): Step {
  switch (input.type) {
    case "submit_prompt":
      return submitPrompt(state, input);
    case "steer":
    case "follow_up":
      return queue(state, input.message, input.type);
    case "take_back":
      return takeBack(state);
    case "messages_taken":
      return [withoutTaken(state, input.as, input.count), []];
    case "approve":
      return approve(state, input.approval_id, input.decision);
    case "cancel_task":
      return cancelTask(state, input.task_id);
    case "set_timeout":
      return setTimeLimit(state, input.task_id, input.duration_ms);
    case "set_approval_policy":
      return [{ ...state, policy: input.policy }, []];
    case "approval_opened":
      return openApproval(state);
    case "task_ended":
      return endTask(state);
    case "session_command_done":
      return endChange(state);
    case "shutdown":
      return shutDown(state, input);
    case "switch_model":
    case "session_new":
    case "session_resume":
    case "session_resume_last":
    case "session_fork":
    case "session_move":
    case "session_rename":
    case "session_compact":
      return changeSession(state, input);
    default:
      return unreachable(input);
  }
}

/** The id of the approval that the last `approval_opened` made. */
export const lastApproval = (state: RuntimeState): ApprovalId => approvalId(state.approvalsOpened);

/** Why nothing new can be started now, if so. */
function busy(state: RuntimeState): string | undefined {
  if (state.stopping) return "The runtime is shutting down";
  return state.active === undefined ? undefined : `Task ${state.active} is running`;
}

function submitPrompt(state: RuntimeState, command: PromptCommand): Step {
  const why = busy(state);
  if (why) return rejected(state, "submit_prompt", why);
  if (state.changing) return [{ ...state, held: [...state.held, command] }, []];
  const message = state.stoppedByUser ? withParts([STOPPED], command.message) : command.message;
  const id = taskId(state.tasksStarted + 1);
  const next = { ...state, active: id, tasksStarted: state.tasksStarted + 1, stoppedByUser: false };
  return [next, [{ type: "start_task", task: { id, message } }]];
}

function changeSession(state: RuntimeState, command: SessionCommand): Step {
  const why = busy(state);
  if (why) return rejected(state, command.type, why);
  if (state.changing) return [{ ...state, held: [...state.held, command] }, []];
  return [{ ...state, changing: true }, [{ type: "run_session_command", command }]];
}

function endChange(state: RuntimeState): Step {
  const next = { ...state, changing: false, held: [] };
  const waiting = state.held.map((command): Effect => ({ type: "take_up", command }));
  return [next, [...waiting, ...(state.stopping ? [stop(state)] : [])]];
}

function queue(state: RuntimeState, message: UserMessage, as: QueuedAs): Step {
  if (state.active === undefined || state.stopping) return rejected(state, as, "No task is running");
  const next =
    as === "steer"
      ? { ...state, steering: [...state.steering, message] }
      : { ...state, followUps: [...state.followUps, message] };
  const event: Event = { family: "task", type: "queued", task_id: state.active, message, as };
  return [next, [{ type: "emit", event }]];
}

function takeBack(state: RuntimeState): Step {
  const messages = [...state.steering, ...state.followUps];
  if (messages.length === 0) return rejected(state, "take_back", "Nothing is queued");
  const next = { ...state, steering: [], followUps: [] };
  return [next, [{ type: "emit", event: { family: "task", type: "unqueued", messages } }]];
}

const withoutTaken = (state: RuntimeState, as: QueuedAs, count: number): RuntimeState =>
  as === "steer"
    ? { ...state, steering: state.steering.slice(count) }
    : { ...state, followUps: state.followUps.slice(count) };

function approve(state: RuntimeState, id: ApprovalId, decision: Decision): Step {
  if (!state.pending.includes(id)) return rejected(state, "approve", `No approval "${id}" is waiting`);
  const next = { ...state, pending: state.pending.filter((other) => other !== id) };
  return [next, [{ type: "settle_approval", approval_id: id, decision }]];
}

function cancelTask(state: RuntimeState, id: TaskId): Step {
  if (state.active !== id) return rejected(state, "cancel_task", `Task "${id}" is not running`);
  const event: Event = { family: "task", type: "cancelling", task_id: id };
  return [{ ...state, stoppedByUser: true }, [{ type: "emit", event }, { type: "abort_task" }]];
}

function setTimeLimit(state: RuntimeState, id: TaskId, durationMs: number): Step {
  if (state.active !== id) return rejected(state, "set_timeout", `Task "${id}" is not running`);
  return [state, [{ type: "arm_timeout", duration_ms: durationMs }]];
}

/** What was queued for a task that ended without it is given back. */
function endTask(state: RuntimeState): Step {
  const messages = [...state.steering, ...state.followUps];
  const next = { ...state, active: undefined, pending: [], steering: [], followUps: [] };
  const returned: readonly Effect[] =
    messages.length > 0 ? [{ type: "emit", event: { family: "task", type: "unqueued", messages } }] : [];
  return [next, [...returned, ...(state.stopping ? [stop(state)] : [])]];
}

const stop = ({ report }: RuntimeState): Effect => ({ type: "stop", ...(report ? { report } : {}) });

function shutDown(state: RuntimeState, { report }: ShutdownCommand): Step {
  if (state.stopping) return [state, []];
  const next = { ...state, stopping: true, report, pending: [] };
  if (state.changing) return [next, [{ type: "abort_session_command" }]];
  if (state.active === undefined) return [next, [stop(next)]];
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
