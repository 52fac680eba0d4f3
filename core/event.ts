import type { Failure } from "./failure.ts";
import type { ApprovalId, EntryId, SessionId, TaskId } from "./id.ts";
import type { AssistantMessage, ToolCall, ToolMessage, Usage, UserMessage } from "./message.ts";
import type { RunReport } from "./run-report.ts";
import type { Denial, TaskTotals } from "./task-totals.ts";
import type { Need } from "./tool.ts";

export type { Denial, TaskTotals };

/** Everything a run tells the world, as plain data. Sinks read it; nothing else leaves the runtime. */
export type Event =
  | LifecycleEvent
  | SessionEvent
  | TaskEvent
  | ModelTurnEvent
  | ToolEvent
  | MetricsEvent
  | WarningEvent
  | ErrorEvent;

export type LifecycleEvent =
  | { readonly family: "lifecycle"; readonly type: "started"; readonly version: string }
  | {
      readonly family: "lifecycle";
      readonly type: "config_loaded";
      readonly profile: string;
      readonly model: string;
      readonly target: string;
    }
  /** With what the run came to, when it was a run of one task. */
  | { readonly family: "lifecycle"; readonly type: "stopped"; readonly report?: RunReport };

export type SessionEvent =
  | { readonly family: "session"; readonly type: "created"; readonly id: SessionId; readonly path: string }
  | {
      readonly family: "session";
      readonly type: "resumed";
      readonly id: SessionId;
      readonly path: string;
      readonly title: string;
      readonly messages: number;
    }
  | {
      readonly family: "session";
      readonly type: "forked";
      readonly id: SessionId;
      readonly path: string;
      readonly from: SessionId;
    }
  /** Everything up to here is on disk. */
  | { readonly family: "session"; readonly type: "saved"; readonly id: SessionId }
  | { readonly family: "session"; readonly type: "titled"; readonly title: string }
  /** The conversation goes on from an earlier entry; null: from before the first one. */
  | {
      readonly family: "session";
      readonly type: "moved";
      readonly entry_id: EntryId | null;
      readonly messages: number;
    }
  /** What is sent from now on is the summary and the last `kept` messages; the file still holds everything. */
  | {
      readonly family: "session";
      readonly type: "compacted";
      readonly summary: string;
      readonly kept: number;
      readonly tokens_before: number;
      readonly tokens_after: number;
    };

export type TaskEvent =
  | {
      readonly family: "task";
      readonly type: "started";
      readonly task_id: TaskId;
      readonly message: UserMessage;
    }
  /** A message waits for the running task. */
  | {
      readonly family: "task";
      readonly type: "queued";
      readonly task_id: TaskId;
      readonly message: UserMessage;
      readonly as: QueuedAs;
    }
  /** A message that is not the prompt has joined the conversation. */
  | {
      readonly family: "task";
      readonly type: "message_added";
      readonly task_id: TaskId;
      readonly message: UserMessage;
      readonly as: AddedAs;
    }
  | {
      readonly family: "task";
      readonly type: "waiting_approval";
      readonly task_id: TaskId;
      readonly approval: ApprovalRequest;
    }
  | {
      readonly family: "task";
      readonly type: "approval_settled";
      readonly task_id: TaskId;
      readonly approval: ApprovalRequest;
      readonly decision: Decision;
    }
  /** A call was allowed or denied without a question. */
  | {
      readonly family: "task";
      readonly type: "decided";
      readonly task_id: TaskId;
      readonly call_id: string;
      readonly tool: string;
      readonly subject: string;
      readonly decision: Decision;
    }
  | { readonly family: "task"; readonly type: "cancelling"; readonly task_id: TaskId }
  | {
      readonly family: "task";
      readonly type: "completed";
      readonly task_id: TaskId;
      readonly result: string;
      readonly totals: TaskTotals;
    }
  | {
      readonly family: "task";
      readonly type: "failed";
      readonly task_id: TaskId;
      readonly failure: Failure;
      readonly result: string;
      readonly totals: TaskTotals;
    }
  | {
      readonly family: "task";
      readonly type: "cancelled";
      readonly task_id: TaskId;
      readonly totals: TaskTotals;
    }
  /** Messages that were queued for a task that ended without them. */
  | { readonly family: "task"; readonly type: "unqueued"; readonly messages: readonly UserMessage[] }
  | { readonly family: "task"; readonly type: "rejected"; readonly command: string; readonly reason: string };

/** Steering joins after the current calls, a follow-up when the task would end. */
export type QueuedAs = "steer" | "follow_up";

/** buddy itself asks for a last answer before a limit ends the task, or for one of the shape that was asked for. */
export type AddedAs = QueuedAs | "wrap_up" | "repair";

export type ModelTurnEvent =
  | {
      readonly family: "model";
      readonly type: "profile_switched";
      readonly profile: string;
      readonly model: string;
    }
  | { readonly family: "model"; readonly type: "request_started"; readonly turn: number }
  | { readonly family: "model"; readonly type: "text_delta"; readonly text: string }
  | { readonly family: "model"; readonly type: "reasoning_delta"; readonly text: string }
  | { readonly family: "model"; readonly type: "delta_withdrawn" }
  | {
      readonly family: "model";
      readonly type: "message";
      readonly message: AssistantMessage;
      readonly usage?: Usage;
      readonly model: string;
      readonly profile: string;
    }
  | {
      readonly family: "model";
      readonly type: "retrying";
      readonly attempt: number;
      readonly of: number;
      readonly wait_ms: number;
      readonly reason: string;
    };

export type ToolEvent =
  | { readonly family: "tool"; readonly type: "call_requested"; readonly call: ToolCall }
  | {
      readonly family: "tool";
      readonly type: "started";
      readonly call_id: string;
      readonly name: string;
      /** What the call needs permission for; absent when it needs none. */
      readonly need?: Need;
    }
  | {
      readonly family: "tool";
      readonly type: "stdout_chunk" | "stderr_chunk" | "info";
      readonly call_id: string;
      readonly text: string;
    }
  | {
      readonly family: "tool";
      readonly type: "completed";
      readonly call_id: string;
      readonly name: string;
      readonly duration_ms: number;
      readonly is_error: boolean;
      readonly summary: string;
      /** What changed in a file, as a unified diff. */
      readonly diff?: string;
    }
  | {
      readonly family: "tool";
      readonly type: "result";
      readonly message: ToolMessage;
      /** Why the call did not run, when it did not. */
      readonly refused?: string;
    };

export type MetricsEvent =
  | {
      readonly family: "metrics";
      readonly type: "tokens";
      readonly turn: Usage;
      readonly total: Usage;
      readonly cost_usd: number | null;
    }
  /** The one number for how full the model's context is. */
  | { readonly family: "metrics"; readonly type: "context"; readonly used: number; readonly limit: number }
  | {
      readonly family: "metrics";
      readonly type: "phase";
      readonly name: "model" | "tools" | "compaction";
      readonly duration_ms: number;
    };

export type WarningEvent = {
  readonly family: "warning";
  readonly type: "warning";
  readonly code: string;
  readonly message: string;
  readonly hint?: string;
};

export type ErrorEvent = { readonly family: "error"; readonly type: "error"; readonly failure: Failure };

/** `seq` starts at 1 and has no gaps. */
export type Envelope = {
  readonly v: 1;
  readonly seq: number;
  readonly ts_unix_ms: number;
  readonly event: Event;
};

/** Reads events. The task goes on only when the returned promise, if any, has settled. Throws when it cannot do its work. */
export type Sink = (envelope: Envelope) => void | Promise<void>;

export type ApprovalRequest = {
  readonly approval_id: ApprovalId;
  readonly call_id: string;
  readonly tool: string;
  readonly need: Need;
  readonly target: string;
  readonly cwd: string;
};

export type Decision = Allowed | Denied;

export type Allowed = {
  readonly type: "allowed";
  readonly by: "user" | "policy";
  /** `session`: this exact subject needs no asking again in this run. */
  readonly scope?: "once" | "session";
  /** The user changed it: this runs instead of what was asked for. */
  readonly subject?: string;
};

/** By `rule`: it is never allowed, whoever is asked. By `policy`: the user wants nothing approved. */
export type Denied = {
  readonly type: "denied";
  readonly by: "user" | "policy" | "rule" | "nobody";
  readonly reason: string;
};
