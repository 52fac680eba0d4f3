import type { Json, JsonObject } from "../../core/json.ts";
import { isFields, listAt } from "../../core/lenient.ts";
import type { AssistantMessage, Message, Part, ToolCall } from "../../core/message.ts";
import type { ModelRequest, ToolSpec } from "../../core/ports/model.ts";
import { anthropicReader } from "./anthropic-reader.ts";
import { growingBody } from "./growing-body.ts";
import {
  type Credential,
  jsonFields,
  type Protocol,
  privateFields,
  type RequestOptions,
} from "./protocol.ts";
import { textParts } from "./text-parts.ts";
import { wireId, wireInput, wireName } from "./wire-calls.ts";

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
        piece: (messages, at) => joined(messages, at, options.origin),
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
    ...(isBlank(request.system)
      ? {}
      : { system: [{ type: "text", text: request.system, cache_control: CACHED }] }),
    cache_control: CACHED,
    ...(request.tools.length > 0 ? { tools: request.tools.map(wireTool) } : {}),
    // A conversation with calls in it is taken only with the tools that were called.
    ...(request.tools.length > 0 && request.toolUse === "none" ? { tool_choice: { type: "none" } } : {}),
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
function joined(messages: readonly Message[], at: number, origin: string): string {
  const [previous, message] = [messages[at - 1], messages[at]];
  if (message === undefined) return "";
  const blocks = JSON.stringify(filled(wireBlocks(message, origin))).slice(1, -1);
  if (previous && sideOf(previous) === sideOf(message)) return `,${blocks}`;
  return `${previous ? "]}," : ""}{"role":"${sideOf(message)}","content":[${blocks}`;
}

/** Neither a message without content nor a blank text is taken here. */
const filled = (blocks: readonly Json[]): readonly Json[] =>
  blocks.length > 0 ? blocks : [{ type: "text", text: "(empty)" }];

const isBlank = (text: string): boolean => text.trim() === "";

const sideOf = (message: Message): "user" | "assistant" =>
  message.role === "assistant" ? "assistant" : "user";

function wireBlocks(message: Message, origin: string): readonly Json[] {
  switch (message.role) {
    case "user":
      return wireParts(message.content);
    case "tool":
      return [
        {
          type: "tool_result",
          tool_use_id: wireId(message.tool_call_id),
          content: wireParts(message.content),
          ...(message.is_error ? { is_error: true } : {}),
        },
      ];
    case "assistant":
      return ownBlocks(message, origin) ?? plainBlocks(message);
  }
}

/** What the provider sent, block for block, with words and calls as the message has them: thinking keeps its place. */
function ownBlocks(message: AssistantMessage, origin: string): readonly Json[] | undefined {
  const blocks = listAt(privateFields(message.extra, origin) ?? {}, "content").filter(isFields);
  const lengths = blocks.filter((block) => block.type === "text").map(({ chars }) => Number(chars));
  const texts = textParts(message.content, lengths);
  const calls = blocks.filter((block) => block.type === "tool_use");
  if (blocks.length === 0 || !texts || calls.length !== message.tool_calls.length) return undefined;
  const [nextText, nextCall] = [texts.values(), message.tool_calls.values()];
  return blocks.flatMap((block): readonly Json[] => {
    if (block.type === "tool_use") return [{ ...jsonFields(block), ...callFields(nextCall.next().value) }];
    if (block.type !== "text") return [jsonFields(block)];
    const { chars, ...fields } = block;
    const text = nextText.next().value ?? "";
    return isBlank(text) ? [] : [{ ...jsonFields(fields), text }];
  });
}

const callFields = (call: ToolCall | undefined): JsonObject =>
  call ? { id: wireId(call.id), name: wireName(call.name), input: wireInput(call.arguments) } : {};

function plainBlocks(message: AssistantMessage): readonly JsonObject[] {
  return [
    ...(isBlank(message.content) ? [] : [{ type: "text", text: message.content }]),
    ...message.tool_calls.map((call) => ({ type: "tool_use", ...callFields(call) })),
  ];
}

const wireParts = (content: readonly Part[]): readonly JsonObject[] =>
  content.filter((part) => part.type !== "text" || !isBlank(part.text)).map(wirePart);

const wirePart = (part: Part): JsonObject =>
  part.type === "text"
    ? { type: "text", text: part.text }
    : { type: "image", source: { type: "base64", media_type: part.media_type, data: part.data } };
