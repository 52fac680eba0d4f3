import type { ApprovalRequest, Decision, Denial, Event, TaskTotals } from "../../core/event.ts";
import type { Failure } from "../../core/failure.ts";
import { approvalId, taskId } from "../../core/id.ts";
import type { JsonObject } from "../../core/json.ts";
import {
  type AssistantMessage,
  NO_USAGE,
  type ToolCall,
  type ToolMessage,
  type Usage,
  userMessage,
} from "../../core/message.ts";
import type { Need } from "../../core/tool.ts";
import { START_UNIX_MS } from "../fakes/host.ts";
import { needFor } from "../fakes/tools.ts";

export const T1 = taskId(1);
export const PROMPT = userMessage("do it");

export const taskStarted: Event = { family: "task", type: "started", task_id: T1, message: PROMPT };

export const requestStarted = (turn: number): Event => ({ family: "model", type: "request_started", turn });

export const textDelta = (text: string): Event => ({ family: "model", type: "text_delta", text });

export const replied = (message: AssistantMessage, usage?: Usage): Event => ({
  family: "model",
  type: "message",
  message,
  ...(usage ? { usage } : {}),
  model: "scripted-1",
  profile: "test",
});

export const tokens = (turn: Usage, total: Usage, cost_usd: number | null = null): Event => ({
  family: "metrics",
  type: "tokens",
  turn,
  total,
  cost_usd,
});

export const phase = (name: "model" | "tools", duration_ms = 0): Event => ({
  family: "metrics",
  type: "phase",
  name,
  duration_ms,
});

/** As full as `roomyContext` is when everything up to now was counted. */
export const contextUsed = (used: number): Event => ({
  family: "metrics",
  type: "context",
  used,
  limit: 10_000_000,
});

export const requested = (call: ToolCall): Event => ({ family: "tool", type: "call_requested", call });

export const toolStarted = ({ id, name }: ToolCall, need?: Need): Event => ({
  family: "tool",
  type: "started",
  call_id: id,
  name,
  ...(need ? { need } : {}),
});

export const info = (call_id: string, text: string): Event => ({
  family: "tool",
  type: "info",
  call_id,
  text,
});

export const toolDone = ({ id, name }: ToolCall, summary = "done"): Event => ({
  family: "tool",
  type: "completed",
  call_id: id,
  name,
  duration_ms: 0,
  is_error: false,
  summary,
});

export const toolFailed = ({ id, name }: ToolCall, summary: string): Event => ({
  family: "tool",
  type: "completed",
  call_id: id,
  name,
  duration_ms: 0,
  is_error: true,
  summary,
});

/** What the model sees of a call that worked. */
export const resultOf = (call: ToolCall, result: JsonObject): ToolMessage => toolMessage(call, result, false);

/** What the model sees of a call that did not. */
export const errorOf = (call: ToolCall, error: string, more: JsonObject = {}): ToolMessage =>
  toolMessage(call, { error, ...more }, true);

function toolMessage({ id, name }: ToolCall, result: JsonObject, is_error: boolean): ToolMessage {
  const harness_timestamp = { source: "harness", unix_millis: START_UNIX_MS };
  return {
    role: "tool",
    tool_call_id: id,
    name,
    content: [{ type: "text", text: JSON.stringify({ harness_timestamp, result }) }],
    is_error,
  };
}

/** What the model sees of a call that was cut short or never begun because the task was cancelled. */
export const CANCELLED = "Cancelled before it ended";

export const told = (message: ToolMessage): Event => ({ family: "tool", type: "result", message });

export const refused = (call: ToolCall, reason: string): Event => ({
  family: "tool",
  type: "result",
  message: errorOf(call, reason),
  refused: reason,
});

/** Of a task with a reply and no known price; before the first reply the cost is 0. */
export const totals = (more: Partial<TaskTotals> = {}): TaskTotals => ({
  usage: NO_USAGE,
  cost_usd: null,
  turns: 1,
  tool_calls: 0,
  denials: [],
  unapproved: false,
  ...more,
});

export const denial = (tool: string, subject: string, reason: string): Denial => ({ tool, subject, reason });

export const completed = (result: string, more: Partial<TaskTotals> = {}): Event => ({
  family: "task",
  type: "completed",
  task_id: T1,
  result,
  totals: totals(more),
});

export const failed = (failure: Failure, result: string, more: Partial<TaskTotals> = {}): Event => ({
  family: "task",
  type: "failed",
  task_id: T1,
  failure,
  result,
  totals: totals(more),
});

export const cancelled = (more: Partial<TaskTotals> = {}): Event => ({
  family: "task",
  type: "cancelled",
  task_id: T1,
  totals: totals(more),
});

/** The question about the call `act` that every approval test asks. */
export const APPROVAL: ApprovalRequest = {
  approval_id: approvalId(1),
  call_id: "c1",
  tool: "act",
  need: needFor("rm x"),
  target: "local",
  cwd: "/work",
};

export const approvalAsked: Event = {
  family: "task",
  type: "waiting_approval",
  task_id: T1,
  approval: APPROVAL,
};

export const approvalSettled = (decision: Decision): Event => ({
  family: "task",
  type: "approval_settled",
  task_id: T1,
  approval: APPROVAL,
  decision,
});
