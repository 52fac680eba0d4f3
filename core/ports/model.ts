import type { Failure } from "../failure.ts";
import type { JsonObject } from "../json.ts";
import type { AssistantMessage, Message, Usage } from "../message.ts";

/** A tool as the model is told of it. */
export type ToolSpec = {
  readonly name: string;
  readonly description: string;
  readonly parameters: JsonObject;
};

/** A JSON Schema that the answer must satisfy. */
export type OutputSchema = { readonly name: string; readonly schema: JsonObject };

export type ModelRequest = {
  readonly system: string;
  readonly tools: readonly ToolSpec[];
  /** Grows only at the tail from one request of a conversation to the next. */
  readonly messages: readonly Message[];
  readonly outputSchema?: OutputSchema;
  /** `none`: the answer is wanted now, calls are not. */
  readonly toolUse?: "none";
};

export type FinishReason = "stop" | "tool_calls" | "length" | "content_filter" | "error";

export type Reply = {
  readonly message: AssistantMessage;
  readonly finish: FinishReason;
  /** Absent when the provider reported none. */
  readonly usage?: Usage;
};

export type ModelEvent =
  | { readonly type: "text_delta"; readonly text: string }
  | { readonly type: "reasoning_delta"; readonly text: string }
  /** For the user: something about this response is not as it should be. */
  | { readonly type: "notice"; readonly text: string }
  /** What was streamed of this turn so far is void: the turn starts again. */
  | { readonly type: "withdrawn" }
  | {
      readonly type: "retrying";
      readonly attempt: number;
      readonly of: number;
      readonly wait_ms: number;
      readonly reason: string;
    }
  | { readonly type: "replied"; readonly reply: Reply }
  | { readonly type: "failed"; readonly failure: Failure };

/** One model turn. Ends with exactly one `replied` or `failed`; throws only when aborted. */
export type Model = {
  readonly profile: string;
  readonly model: string;
  readonly ask: (request: ModelRequest, signal: AbortSignal) => AsyncIterable<ModelEvent>;
};
