import type { InferInput } from "valibot";
import type { eventSchema } from "../core/event-schema.ts";

type ExampleEvent = InferInput<typeof eventSchema>;

const prompt = {
  role: "user" as const,
  content: [{ type: "text" as const, text: "which file here is the largest?" }],
};
const aside = { role: "user" as const, content: [{ type: "text" as const, text: "skip node_modules" }] };
const need = {
  kind: "shell" as const,
  subject: "du -a . | sort -n | tail -1",
  risk: "low" as const,
  mutation: false,
  privesc: false,
  why: "to find the largest file",
};
const call = {
  id: "call_1",
  name: "run_shell",
  arguments:
    '{"command":"du -a . | sort -n | tail -1","risk":"low","mutation":false,"privesc":false,"why":"to find the largest file"}',
};
const approval = {
  approval_id: "a1",
  call_id: "call_1",
  tool: "run_shell",
  need,
  target: "local",
  cwd: "/home/ada/project",
};
const usage = {
  input_tokens: 1200,
  output_tokens: 48,
  cached_tokens: 1024,
  reasoning_tokens: 0,
  total_tokens: 1248,
};
const totals = { usage, cost_usd: 0.0021, turns: 2, tool_calls: 1, denials: [], unapproved: false };
const id = "0t87v6t-7f3q0c";
const path = `/home/ada/project/.buddyx/sessions/${id}.jsonl`;
const failure = {
  class: "model" as const,
  message: "The endpoint answered 503 Service Unavailable",
  retryable: true,
  http_status: 503,
};

/** One of each, for the document. */
export const EXAMPLES: readonly ExampleEvent[] = [
  { family: "lifecycle", type: "started", version: "0.1.0" },
  {
    family: "lifecycle",
    type: "config_loaded",
    profile: "claude",
    model: "claude-sonnet-4-5",
    target: "local",
  },
  {
    family: "lifecycle",
    type: "stopped",
    report: {
      session_id: id,
      status: "completed",
      exit_code: 0,
      result: "The largest file is data.bin.",
      error: null,
      usage,
      cost_usd: 0.0021,
      turns: 2,
      tool_calls: 1,
      denials: [],
      duration_ms: 5120,
      model: "claude-sonnet-4-5",
      profile: "claude",
    },
  },
  { family: "session", type: "created", id, path },
  { family: "session", type: "resumed", id, path, title: "which file here is the largest?", messages: 4 },
  { family: "session", type: "forked", id, path, from: "0t860it-wia4l1" },
  { family: "session", type: "saved", id },
  { family: "session", type: "titled", title: "Large files" },
  { family: "session", type: "moved", entry_id: "0004", messages: 3 },
  {
    family: "session",
    type: "compacted",
    summary: "The user looks for large files below /home/ada/project.",
    kept: 6,
    tokens_before: 104200,
    tokens_after: 18300,
  },
  { family: "task", type: "started", task_id: "t1", message: prompt },
  { family: "task", type: "queued", task_id: "t1", message: aside, as: "steer" },
  { family: "task", type: "message_added", task_id: "t1", message: aside, as: "steer" },
  { family: "task", type: "waiting_approval", task_id: "t1", approval },
  {
    family: "task",
    type: "approval_settled",
    task_id: "t1",
    approval,
    decision: { type: "allowed", by: "user", scope: "once" },
  },
  {
    family: "task",
    type: "decided",
    task_id: "t1",
    call_id: call.id,
    tool: "fetch_url",
    subject: "http://127.0.0.1/",
    decision: { type: "denied", by: "rule", reason: "127.0.0.1 is a loopback address" },
  },
  { family: "task", type: "cancelling", task_id: "t1" },
  { family: "task", type: "completed", task_id: "t1", result: "It is data.csv with 14 MB.", totals },
  { family: "task", type: "failed", task_id: "t1", failure, result: "", totals },
  { family: "task", type: "cancelled", task_id: "t1", totals },
  { family: "task", type: "unqueued", messages: [aside] },
  { family: "task", type: "rejected", command: "submit_prompt", reason: "Task t1 is running" },
  { family: "model", type: "profile_switched", profile: "ollama", model: "qwen3" },
  { family: "model", type: "request_started", turn: 1 },
  { family: "model", type: "text_delta", text: "It is data" },
  { family: "model", type: "reasoning_delta", text: "The user wants one file." },
  { family: "model", type: "delta_withdrawn" },
  {
    family: "model",
    type: "message",
    message: { role: "assistant", content: "", tool_calls: [call] },
    usage,
    model: "claude-sonnet-4-5",
    profile: "claude",
  },
  { family: "model", type: "retrying", attempt: 1, of: 4, wait_ms: 830, reason: "503 Service Unavailable" },
  { family: "tool", type: "call_requested", call },
  { family: "tool", type: "started", call_id: "call_1", name: "run_shell", need },
  { family: "tool", type: "stdout_chunk", call_id: "call_1", text: "14336\t./data.csv\n" },
  { family: "tool", type: "stderr_chunk", call_id: "call_1", text: "du: ./private: Permission denied\n" },
  { family: "tool", type: "info", call_id: "call_1", text: "shortened to 4000 characters" },
  {
    family: "tool",
    type: "completed",
    call_id: "call_1",
    name: "run_shell",
    duration_ms: 12,
    is_error: false,
    summary: "exit 0",
  },
  {
    family: "tool",
    type: "result",
    message: {
      role: "tool",
      tool_call_id: "call_1",
      name: "run_shell",
      content: [{ type: "text", text: '{"result":{"exit_code":0,"stdout":"14336\\t./data.csv\\n"}}' }],
      is_error: false,
    },
  },
  { family: "metrics", type: "tokens", turn: usage, total: usage, cost_usd: 0.0012 },
  { family: "metrics", type: "context", used: 1248, limit: 184000 },
  { family: "metrics", type: "phase", name: "compaction", duration_ms: 2150 },
  {
    family: "warning",
    type: "warning",
    code: "context_full",
    message: "The context is 81 % full: older messages are summarised",
  },
  { family: "error", type: "error", failure },
];
