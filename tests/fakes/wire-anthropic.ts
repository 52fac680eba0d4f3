import type Anthropic from "@anthropic-ai/sdk";
import { piecesOf, sse, type Turn } from "./script.ts";

type Message = Anthropic.Message;
type Block = Anthropic.TextBlock | Anthropic.ThinkingBlock | Anthropic.ToolUseBlock;
type Event = Anthropic.RawMessageStreamEvent;

/** A turn as one message. */
export const wholeMessage = (turn: Turn): Message =>
  messageOf(turn, blocksOf(turn), turn.calls.length > 0 ? "tool_use" : "end_turn");

/** A turn as the events of a stream. */
export function messageEvents(turn: Turn): readonly string[] {
  const { stop_reason, usage } = wholeMessage(turn);
  const started = { ...messageOf(turn, [], null), usage: { ...usage, output_tokens: 1 } };
  const events: readonly Event[] = [
    { type: "message_start", message: started },
    ...blocksOf(turn).flatMap((block, index) => blockEvents(turn, block, index)),
    {
      type: "message_delta",
      delta: { stop_reason, stop_sequence: null, stop_details: null, container: null },
      usage: {
        input_tokens: usage.input_tokens,
        output_tokens: usage.output_tokens,
        cache_creation_input_tokens: usage.cache_creation_input_tokens,
        cache_read_input_tokens: usage.cache_read_input_tokens,
        output_tokens_details: usage.output_tokens_details,
        server_tool_use: null,
      },
    },
    { type: "message_stop" },
  ];
  const [first = "", ...rest] = events.map((event) => sse(event, event.type));
  return [first, sse({ type: "ping" }, "ping"), ...rest];
}

export const anthropicError = (message: string, type = "invalid_request_error"): object => ({
  type: "error",
  error: { type, message },
  request_id: "req_mock",
});

/** The thoughts of a turn as they come out, and must come back. */
export const thinkingBlock = ({ reasoning }: Turn): Anthropic.ThinkingBlock | undefined =>
  reasoning && { type: "thinking", thinking: reasoning.text, signature: reasoning.token };

function blocksOf(turn: Turn): readonly Block[] {
  const thinking = thinkingBlock(turn);
  return [
    ...(thinking ? [thinking] : []),
    ...(turn.text === "" ? [] : [{ type: "text", text: turn.text, citations: null } as const]),
    ...turn.calls.map(
      (call): Anthropic.ToolUseBlock => ({
        type: "tool_use",
        id: call.id,
        name: call.name,
        input: inputOf(call.arguments),
        caller: { type: "direct" },
      }),
    ),
  ];
}

/** Arguments that are no JSON can only be streamed: a whole response has no place for them. */
function inputOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
}

function blockEvents(turn: Turn, block: Block, index: number): readonly Event[] {
  const begins = (content_block: Block): Event => ({ type: "content_block_start", index, content_block });
  const adds = (delta: Anthropic.RawContentBlockDelta): Event => ({
    type: "content_block_delta",
    index,
    delta,
  });
  const stop: Event = { type: "content_block_stop", index };
  switch (block.type) {
    case "thinking":
      return [
        begins({ type: "thinking", thinking: "", signature: "" }),
        ...piecesOf(block.thinking, 3).map((thinking) => adds({ type: "thinking_delta", thinking })),
        adds({ type: "signature_delta", signature: block.signature }),
        stop,
      ];
    case "text":
      return [
        begins({ ...block, text: "" }),
        ...turn.textPieces.map((text) => adds({ type: "text_delta", text })),
        stop,
      ];
    case "tool_use": {
      const written = turn.calls.find(({ id }) => id === block.id)?.arguments ?? "";
      return [
        begins({ ...block, input: {} }),
        adds({ type: "input_json_delta", partial_json: "" }),
        ...piecesOf(written, 2).map((partial_json) => adds({ type: "input_json_delta", partial_json })),
        stop,
      ];
    }
  }
}

const messageOf = (turn: Turn, content: readonly Block[], stop_reason: Message["stop_reason"]): Message => ({
  id: `msg_${turn.number}`,
  type: "message",
  role: "assistant",
  model: turn.model,
  content: [...content],
  stop_reason,
  stop_sequence: null,
  stop_details: null,
  container: null,
  diagnostics: null,
  usage: usageOf(turn),
});

/** What was read from the cache is not part of `input_tokens` here. */
const usageOf = ({ usage }: Turn): Anthropic.Usage => ({
  input_tokens: usage.input - usage.cached,
  output_tokens: usage.output,
  output_tokens_details: { thinking_tokens: usage.reasoning },
  cache_read_input_tokens: usage.cached,
  cache_creation_input_tokens: 0,
  cache_creation: { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: 0 },
  inference_geo: null,
  server_tool_use: null,
  service_tier: "standard",
  speed: "standard",
});
