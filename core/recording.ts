import * as v from "valibot";
import { textOf } from "./message.ts";
import type { ModelEvent, ModelRequest } from "./ports/model.ts";
import { err, ok, type Result } from "./result.ts";

// A recording is JSON Lines: a header, then for each exchange its request mark and the events that answered it.

const toolCall = v.object({ id: v.string(), name: v.string(), arguments: v.string() });
const usage = v.object({
  input_tokens: v.number(),
  output_tokens: v.number(),
  cached_tokens: v.number(),
  reasoning_tokens: v.number(),
  total_tokens: v.number(),
});
const assistantMessage = v.object({
  role: v.literal("assistant"),
  content: v.string(),
  reasoning: v.exactOptional(v.string()),
  tool_calls: v.array(toolCall),
});
const modelEvent = v.variant("type", [
  v.object({ type: v.picklist(["text_delta", "reasoning_delta", "notice"]), text: v.string() }),
  v.object({ type: v.literal("withdrawn") }),
  v.object({
    type: v.literal("retrying"),
    attempt: v.number(),
    of: v.number(),
    wait_ms: v.number(),
    reason: v.string(),
  }),
  v.object({
    type: v.literal("replied"),
    reply: v.object({
      message: assistantMessage,
      finish: v.picklist(["stop", "tool_calls", "length", "content_filter", "error"]),
      usage: v.exactOptional(usage),
    }),
  }),
  v.object({
    type: v.literal("failed"),
    failure: v.object({
      class: v.picklist(["model", "auth", "context", "limit"]),
      message: v.string(),
      hint: v.exactOptional(v.string()),
      http_status: v.exactOptional(v.number()),
    }),
  }),
]);

/** What a request is recognised by. Results of tools differ from run to run, so of them only the call counts. */
const requestMark = v.object({
  model: v.string(),
  tools: v.array(v.string()),
  last: v.variant("role", [
    v.object({ role: v.literal("user"), text: v.string() }),
    v.object({ role: v.literal("assistant"), text: v.string() }),
    v.object({ role: v.literal("tool"), tool_call_id: v.string(), is_error: v.boolean() }),
  ]),
});
export type RequestMark = v.InferOutput<typeof requestMark>;

const line = v.variant("type", [
  v.object({ type: v.literal("recording"), v: v.literal(1), buddy: v.string() }),
  v.object({ type: v.literal("request"), mark: requestMark, digest: v.string() }),
  v.object({ type: v.literal("event"), at_ms: v.number(), event: modelEvent }),
]);

export type RecordingLine =
  | { readonly type: "recording"; readonly v: 1; readonly buddy: string }
  | { readonly type: "request"; readonly mark: RequestMark; readonly digest: string }
  | { readonly type: "event"; readonly at_ms: number; readonly event: ModelEvent };

export type RecordedExchange = {
  readonly mark: RequestMark;
  readonly events: readonly { readonly at_ms: number; readonly event: ModelEvent }[];
};

export function markOf(request: ModelRequest, model: string): RequestMark {
  const last = request.messages.at(-1);
  const tools = request.tools.map((tool) => tool.name);
  if (last?.role === "tool") {
    const { tool_call_id, is_error } = last;
    return { model, tools, last: { role: "tool", tool_call_id, is_error } };
  }
  if (last?.role === "assistant") return { model, tools, last: { role: "assistant", text: last.content } };
  return { model, tools, last: { role: "user", text: last ? textOf(last.content) : "" } };
}

/** Line by line what differs, `-` recorded and `+` asked; empty when the request is the recorded one. */
export function differences(recorded: RequestMark, asked: RequestMark): readonly string[] {
  return (["model", "tools", "last"] as const).flatMap((field) => {
    const [before, now] = [JSON.stringify(recorded[field]), JSON.stringify(asked[field])];
    return before === now ? [] : [`- ${field}: ${before}`, `+ ${field}: ${now}`];
  });
}

export function parseRecording(text: string): Result<readonly RecordedExchange[], string> {
  const exchanges: { mark: RequestMark; events: { at_ms: number; event: ModelEvent }[] }[] = [];
  for (const [index, raw] of text.split("\n").entries()) {
    if (raw.trim() === "") continue;
    const parsed = parseLine(raw);
    if (!parsed.ok) return err(`line ${index + 1}: ${parsed.error}`);
    if (parsed.value.type === "request") exchanges.push({ mark: parsed.value.mark, events: [] });
    if (parsed.value.type === "event") exchanges.at(-1)?.events.push(parsed.value);
  }
  if (exchanges.length === 0) return err("it holds no exchange");
  return ok(exchanges);
}

function parseLine(raw: string): Result<RecordingLine, string> {
  try {
    const parsed = v.safeParse(line, JSON.parse(raw));
    if (parsed.success) return ok(parsed.output);
    const [issue] = parsed.issues;
    return err(`${v.getDotPath(issue) ?? "line"}: ${issue.message}`);
  } catch {
    return err("not JSON");
  }
}
