import type OpenAI from "openai";
import { piecesOf, sse, type Turn } from "./script.ts";

type Completion = OpenAI.Chat.ChatCompletion;
type Chunk = OpenAI.Chat.ChatCompletionChunk;
type ChunkChoice = Chunk["choices"][number];
/** What reasoning models send beside the text; OpenAI's own types do not have it. */
type WithReasoning<T> = T & { readonly reasoning_content?: string };
type Delta = WithReasoning<ChunkChoice["delta"]>;

const CREATED = 1_700_000_000;

/** A turn as one chat completion. */
export function wholeCompletion(turn: Turn): Completion {
  const message: WithReasoning<Completion["choices"][number]["message"]> = {
    role: "assistant",
    content: turn.text === "" && turn.calls.length > 0 ? null : turn.text,
    refusal: null,
    annotations: [],
    ...(turn.reasoning ? { reasoning_content: turn.reasoning.text } : {}),
    ...(turn.calls.length > 0 ? { tool_calls: turn.calls.map(wireCall) } : {}),
  };
  return {
    id: `chatcmpl-${turn.number}`,
    object: "chat.completion",
    created: CREATED,
    model: turn.model,
    service_tier: "default",
    choices: [{ index: 0, message, finish_reason: finishOf(turn), logprobs: null }],
    usage: usageOf(turn),
  };
}

/** A turn as the events of a stream. Usage comes in its own last chunk, asked for or not, as from most servers. */
export function completionEvents(turn: Turn): readonly string[] {
  const chunk = (choices: Chunk["choices"], usage: Chunk["usage"] = null): string => {
    const written: Chunk = {
      id: `chatcmpl-${turn.number}`,
      object: "chat.completion.chunk",
      created: CREATED,
      model: turn.model,
      service_tier: "default",
      choices,
      usage,
    };
    return sse(written);
  };
  const piece = (delta: Delta, finish_reason: ChunkChoice["finish_reason"] = null): string =>
    chunk([{ index: 0, delta, finish_reason, logprobs: null }]);
  return [
    piece({ role: "assistant", content: "", refusal: null }),
    ...piecesOf(turn.reasoning?.text ?? "", 3).map((text) => piece({ reasoning_content: text })),
    ...turn.textPieces.map((content) => piece({ content })),
    ...turn.calls.flatMap((call, index) => callDeltas(call, index).map((delta) => piece(delta))),
    piece({}, finishOf(turn)),
    chunk([], usageOf(turn)),
    sse("[DONE]"),
  ];
}

export const completionsError = (message: string, type = "invalid_request_error"): object => ({
  error: { message, type, param: null, code: null },
});

/** Id and name come first and once; the arguments follow in fragments. */
function callDeltas(call: Turn["calls"][number], index: number): readonly Delta[] {
  const begun = {
    index,
    id: call.id,
    type: "function",
    function: { name: call.name, arguments: "" },
  } as const;
  const fragments = piecesOf(call.arguments, 2).map((text) => ({ index, function: { arguments: text } }));
  return [begun, ...fragments].map((fragment) => ({ tool_calls: [fragment] }));
}

const wireCall = (call: Turn["calls"][number]) => ({
  id: call.id,
  type: "function" as const,
  function: { name: call.name, arguments: call.arguments },
});

const finishOf = (turn: Turn) => (turn.calls.length > 0 ? "tool_calls" : "stop");

const usageOf = ({ usage }: Turn): NonNullable<Completion["usage"]> => ({
  prompt_tokens: usage.input,
  completion_tokens: usage.output,
  total_tokens: usage.input + usage.output,
  prompt_tokens_details: { cached_tokens: usage.cached, audio_tokens: 0 },
  completion_tokens_details: {
    reasoning_tokens: usage.reasoning,
    audio_tokens: 0,
    accepted_prediction_tokens: 0,
    rejected_prediction_tokens: 0,
  },
});
