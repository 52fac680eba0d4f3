import type OpenAI from "openai";
import { piecesOf, sse, type Turn } from "./script.ts";

type Responses = OpenAI.Responses.ResponseStreamEvent;
/** The SDK adds `output_text` itself; it is not on the wire. */
type WireResponse = Omit<OpenAI.Responses.Response, "output_text">;
type Item = OpenAI.Responses.ResponseOutputItem;
type ReasoningItem = OpenAI.Responses.ResponseReasoningItem;
type MessageItem = OpenAI.Responses.ResponseOutputMessage;
type CallItem = OpenAI.Responses.ResponseFunctionToolCallItem;

/** A turn as one response. */
export const wholeResponse = (turn: Turn): WireResponse => responseOf(turn, "completed", itemsOf(turn));

/** A turn as the events of a stream, each with its number. */
export function responseEvents(turn: Turn): readonly string[] {
  const started = responseOf(turn, "in_progress", []);
  const events: readonly Unnumbered[] = [
    { type: "response.created", response: started },
    { type: "response.in_progress", response: started },
    ...itemsOf(turn).flatMap((item, output_index) => itemEvents(turn, item, output_index)),
    { type: "response.completed", response: wholeResponse(turn) },
  ];
  return events.map((event, sequence_number) => sse({ ...event, sequence_number }, event.type));
}

export const responsesError = (message: string, type = "invalid_request_error"): object => ({
  error: { message, type, param: null, code: null },
});

/** The thoughts of a turn as they come out, and must come back. */
export function reasoningItem(turn: Turn): ReasoningItem | undefined {
  if (turn.reasoning === undefined) return undefined;
  return {
    id: `rs_${turn.number}`,
    type: "reasoning",
    summary: turn.reasoning.text.split("\n\n").map((text) => ({ type: "summary_text", text })),
    encrypted_content: turn.reasoning.token,
  };
}

type WithoutNumber<T> = T extends { readonly response: unknown }
  ? { readonly type: T extends { type: infer Name } ? Name : never; readonly response: WireResponse }
  : Omit<T, "sequence_number">;
type Unnumbered = WithoutNumber<
  Extract<
    Responses,
    { readonly type: `response.${"output" | "content" | "function" | "reasoning_summary"}${string}` | Whole }
  >
>;
type Whole = "response.created" | "response.in_progress" | "response.completed";

function itemsOf(turn: Turn): readonly (ReasoningItem | MessageItem | CallItem)[] {
  const reasoning = reasoningItem(turn);
  return [
    ...(reasoning ? [reasoning] : []),
    ...(turn.text === "" ? [] : [messageItem(turn)]),
    ...turn.calls.map((call, at) => callItem(turn, call, at)),
  ];
}

const messageItem = (turn: Turn): MessageItem => ({
  id: `msg_${turn.number}`,
  type: "message",
  role: "assistant",
  status: "completed",
  content: [{ type: "output_text", text: turn.text, annotations: [], logprobs: [] }],
});

const callItem = (turn: Turn, call: Turn["calls"][number], at: number): CallItem => ({
  id: `fc_${turn.number}_${at}`,
  type: "function_call",
  status: "completed",
  call_id: call.id,
  name: call.name,
  arguments: call.arguments,
});

function itemEvents(
  turn: Turn,
  item: ReasoningItem | MessageItem | CallItem,
  output_index: number,
): readonly Unnumbered[] {
  const place = { output_index, item_id: item.id };
  const done: Unnumbered = { type: "response.output_item.done", output_index, item };
  switch (item.type) {
    case "reasoning": {
      // What is encrypted is not yet all there when the item begins.
      const begun: Item = { ...item, summary: [], encrypted_content: "not yet whole" };
      const parts = item.summary.flatMap((part, index) => summaryEvents(place, part, index));
      return [{ type: "response.output_item.added", output_index, item: begun }, ...parts, done];
    }
    case "message": {
      const begun: Item = { ...item, status: "in_progress", content: [] };
      return [
        { type: "response.output_item.added", output_index, item: begun },
        ...textEvents(place, turn),
        done,
      ];
    }
    case "function_call": {
      const begun: Item = { ...item, status: "in_progress", arguments: "" };
      return [
        { type: "response.output_item.added", output_index, item: begun },
        ...piecesOf(item.arguments, 2).map(
          (delta): Unnumbered => ({ type: "response.function_call_arguments.delta", ...place, delta }),
        ),
        { type: "response.function_call_arguments.done", ...place, arguments: item.arguments },
        done,
      ];
    }
  }
}

type Place = { readonly output_index: number; readonly item_id: string };

function summaryEvents(
  place: Place,
  part: ReasoningItem["summary"][number],
  summary_index: number,
): readonly Unnumbered[] {
  const at = { ...place, summary_index };
  return [
    { type: "response.reasoning_summary_part.added", ...at, part: { type: "summary_text", text: "" } },
    ...piecesOf(part.text, 2).map(
      (delta): Unnumbered => ({ type: "response.reasoning_summary_text.delta", ...at, delta }),
    ),
    { type: "response.reasoning_summary_text.done", ...at, text: part.text },
    { type: "response.reasoning_summary_part.done", ...at, part },
  ];
}

function textEvents(place: Place, turn: Turn): readonly Unnumbered[] {
  const at = { ...place, content_index: 0 };
  const part = (text: string) => ({ type: "output_text" as const, text, annotations: [], logprobs: [] });
  return [
    { type: "response.content_part.added", ...at, part: part("") },
    ...turn.textPieces.map(
      (delta): Unnumbered => ({ type: "response.output_text.delta", ...at, delta, logprobs: [] }),
    ),
    { type: "response.output_text.done", ...at, text: turn.text, logprobs: [] },
    { type: "response.content_part.done", ...at, part: part(turn.text) },
  ];
}

const responseOf = (
  turn: Turn,
  status: "in_progress" | "completed",
  output: readonly Item[],
): WireResponse => ({
  id: `resp_${turn.number}`,
  object: "response",
  created_at: 1_700_000_000,
  completed_at: status === "completed" ? 1_700_000_001 : null,
  status,
  background: false,
  error: null,
  incomplete_details: null,
  access_programs: null,
  instructions: null,
  max_output_tokens: null,
  metadata: {},
  model: turn.model,
  output: [...output],
  parallel_tool_calls: true,
  previous_response_id: null,
  reasoning: { effort: null, summary: null },
  service_tier: "default",
  temperature: 1,
  text: { format: { type: "text" } },
  tool_choice: "auto",
  tools: [],
  top_p: 1,
  truncation: "disabled",
  ...(status === "completed" ? { usage: usageOf(turn) } : {}),
});

const usageOf = ({ usage }: Turn): OpenAI.Responses.ResponseUsage => ({
  input_tokens: usage.input,
  input_tokens_details: { cached_tokens: usage.cached, cache_write_tokens: 0 },
  output_tokens: usage.output,
  output_tokens_details: { reasoning_tokens: usage.reasoning },
  total_tokens: usage.input + usage.output,
});
