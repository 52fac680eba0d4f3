import { type Json, type JsonObject, jsonOf } from "../../core/json.ts";
import { isFields, listAt, textAt } from "../../core/lenient.ts";
import type { AssistantMessage, Message, Part, ToolCall } from "../../core/message.ts";
import type { ModelRequest, ToolSpec } from "../../core/ports/model.ts";
import { anthropicReader } from "./anthropic-reader.ts";
import { growingBody } from "./growing-body.ts";
import { type Credential, type Protocol, privateFields, type RequestOptions } from "./protocol.ts";

/** Anthropic's messages: content blocks, thinking with signatures, prompt-cache breakpoints. */
export function anthropic(): Protocol {
  const grow = growingBody();
  return {
    name: "anthropic",
    path: "/v1/messages",
    headers: (credential) => ({ "anthropic-version": "2023-06-01", ...authHeaders(credential) }),
    body: (request, options) =>
      grow(request.messages, {
        start: bodyStart(request, options),
        piece: (message, previous) => joined(message, previous, options.origin),
        tail: "]}]}",
      }),
    newReader: anthropicReader,
  };
}

function authHeaders(credential: Credential): Readonly<Record<string, string>> {
  switch (credential.type) {
    case "none":
      return {};
    case "key":
      return { "x-api-key": credential.key };
    case "login":
      return { authorization: `Bearer ${credential.token}` };
  }
}

const CACHED: JsonObject = { type: "ephemeral" };

function bodyStart(request: ModelRequest, options: RequestOptions): string {
  const maxTokens = options.maxOutputTokens || Math.min(options.facts.output || 8192, DEFAULT_OUTPUT_TOKENS);
  const thinking = wireThinking(options, maxTokens);
  // Sampling cannot be set while a model thinks, and not at all for those that decide that themselves.
  const takesSampling = !thinking.field && options.facts.thinking !== "adaptive";
  const config = {
    ...(thinking.effort ? { effort: thinking.effort } : {}),
    ...(request.outputSchema ? { format: { type: "json_schema", schema: request.outputSchema.schema } } : {}),
  };
  const head: JsonObject = {
    model: options.model,
    stream: options.stream,
    max_tokens: maxTokens,
    // Two breakpoints: one behind what never changes in a conversation, one that moves along with its end.
    system: [{ type: "text", text: request.system, cache_control: CACHED }],
    cache_control: CACHED,
    ...(request.tools.length > 0 ? { tools: request.tools.map(wireTool) } : {}),
    ...(thinking.field ? { thinking: thinking.field } : {}),
    ...(Object.keys(config).length > 0 ? { output_config: config } : {}),
    ...(takesSampling && options.temperature !== undefined ? { temperature: options.temperature } : {}),
    ...(takesSampling && options.topP !== undefined ? { top_p: options.topP } : {}),
  };
  return `${JSON.stringify(head).slice(0, -1)},"messages":[`;
}

/** The protocol demands a limit. What a model could do at most would be taken off the room for the conversation. */
const DEFAULT_OUTPUT_TOKENS = 32_000;
const BUDGET_TOKENS = { minimal: 1024, low: 2048, medium: 8192, high: 16_384 } as const;
const EFFORT = { minimal: "low", low: "low", medium: "medium", high: "high" } as const;

type Thinking = { readonly field?: JsonObject; readonly effort?: string };

/** Newer models decide how much to think under an effort; older ones take a budget, which must leave room to answer. */
function wireThinking({ facts, thinking }: RequestOptions, maxTokens: number): Thinking {
  if (!facts.reasoning || thinking === "off") return {};
  if (facts.thinking === "adaptive") {
    return { field: { type: "adaptive", display: "summarized" }, effort: EFFORT[thinking] };
  }
  const budget = Math.min(BUDGET_TOKENS[thinking], Math.floor(maxTokens / 2));
  return budget < 1024 ? {} : { field: { type: "enabled", budget_tokens: budget } };
}

const wireTool = ({ name, description, parameters }: ToolSpec): JsonObject => ({
  name,
  description,
  input_schema: parameters,
});

/**
 * Each message is left open for what may join it: results of one turn, and what the user says right behind them,
 * are one message of the user.
 */
function joined(message: Message, previous: Message | undefined, origin: string): string {
  const blocks = JSON.stringify(wireBlocks(message, origin)).slice(1, -1);
  if (previous && sideOf(previous) === sideOf(message)) return `,${blocks}`;
  return `${previous ? "]}," : ""}{"role":"${sideOf(message)}","content":[${blocks}`;
}

const sideOf = (message: Message): "user" | "assistant" =>
  message.role === "assistant" ? "assistant" : "user";

function wireBlocks(message: Message, origin: string): readonly Json[] {
  switch (message.role) {
    case "user":
      return message.content.map(wirePart);
    case "tool":
      return [
        {
          type: "tool_result",
          tool_use_id: message.tool_call_id,
          content: message.content.map(wirePart),
          ...(message.is_error ? { is_error: true } : {}),
        },
      ];
    case "assistant":
      return ownBlocks(message, origin) ?? plainBlocks(message);
  }
}

/** What the provider sent, block for block: thinking must come back unmodified and in its place. */
function ownBlocks(message: AssistantMessage, origin: string): readonly Json[] | undefined {
  const blocks = listAt(privateFields(message.extra, origin) ?? {}, "content").filter(isFields);
  if (blocks.length === 0) return undefined;
  const ids = blocks.filter((block) => block.type === "tool_use").map((block) => textAt(block, "id"));
  const same = ids.join("\n") === message.tool_calls.map((call) => call.id).join("\n");
  return same ? blocks.map(jsonOf) : undefined;
}

function plainBlocks(message: AssistantMessage): readonly JsonObject[] {
  return [
    ...(message.content === "" ? [] : [{ type: "text", text: message.content }]),
    ...message.tool_calls.map((call) => ({
      type: "tool_use",
      id: call.id,
      name: call.name,
      input: inputOf(call),
    })),
  ];
}

/** Arguments must be an object on this wire, also those that were none when the model wrote them. */
function inputOf(call: ToolCall): JsonObject {
  try {
    const parsed = jsonOf(JSON.parse(call.arguments || "{}"));
    if (isFields(parsed))
      return Object.fromEntries(Object.entries(parsed).map(([key, value]) => [key, jsonOf(value)]));
  } catch {
    // not JSON: the result behind this call says so
  }
  return { malformed_arguments: call.arguments };
}

const wirePart = (part: Part): JsonObject =>
  part.type === "text"
    ? { type: "text", text: part.text }
    : { type: "image", source: { type: "base64", media_type: part.media_type, data: part.data } };
