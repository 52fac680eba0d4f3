import type { JsonObject } from "./json.ts";

// Messages, events and session entries are spelled in code as they are on disk and on stdout,
// so that there is no translation between them that could drift.

export type TextPart = { readonly type: "text"; readonly text: string };
export type ImagePart = { readonly type: "image"; readonly media_type: string; readonly data: string };
export type Part = TextPart | ImagePart;

export type ToolCall = {
  readonly id: string;
  readonly name: string;
  /** The raw JSON text that the model wrote. */
  readonly arguments: string;
};

/** Fields of a provider that buddy does not know; they go back, unchanged, only to the origin they came from. */
export type Extra = {
  /** Protocol and host: `responses@api.openai.com`. */
  readonly origin: string;
  readonly fields: JsonObject;
};

export type UserMessage = { readonly role: "user"; readonly content: readonly Part[] };

export type AssistantMessage = {
  readonly role: "assistant";
  readonly content: string;
  readonly reasoning?: string;
  readonly tool_calls: readonly ToolCall[];
  readonly extra?: Extra;
};

export type ToolMessage = {
  readonly role: "tool";
  readonly tool_call_id: string;
  readonly name: string;
  readonly content: readonly Part[];
  readonly is_error: boolean;
};

export type Message = UserMessage | AssistantMessage | ToolMessage;

export type Usage = {
  readonly input_tokens: number;
  readonly output_tokens: number;
  readonly cached_tokens: number;
  readonly reasoning_tokens: number;
  readonly total_tokens: number;
};

export const NO_USAGE: Usage = {
  input_tokens: 0,
  output_tokens: 0,
  cached_tokens: 0,
  reasoning_tokens: 0,
  total_tokens: 0,
};

export const addUsage = (a: Usage, b: Usage): Usage => ({
  input_tokens: a.input_tokens + b.input_tokens,
  output_tokens: a.output_tokens + b.output_tokens,
  cached_tokens: a.cached_tokens + b.cached_tokens,
  reasoning_tokens: a.reasoning_tokens + b.reasoning_tokens,
  total_tokens: a.total_tokens + b.total_tokens,
});

export const text = (value: string): TextPart => ({ type: "text", text: value });

export const userMessage = (value: string): UserMessage => ({ role: "user", content: [text(value)] });

/** The text of a message, images left out. */
export function textOf(content: readonly Part[]): string {
  return content.map((part) => (part.type === "text" ? part.text : "")).join("");
}
