import { type Json, jsonOf } from "./json.ts";
import type { AssistantMessage, Message, Part, ToolCall } from "./message.ts";
import { text } from "./message.ts";
import { parseStrictJson } from "./strict-json.ts";
import { headTail } from "./truncate.ts";

/** Room for the line that says what is missing. */
const NOTE_CHARS = 48;
/** As much as an image counts for, in characters. */
export const IMAGE_CHARS = 6400;
const IMAGE_NOTE = text("[image left out to save room]");
/** Strings shorter than this say too little to be worth cutting a JSON text inside. */
const LEAST_STRING = 32;

/** Head and tail of a text that is too long. JSON is cut inside its strings, so that it can still be read. */
export function shortenText(long: string, maxChars: number): string {
  if (long.length <= maxChars) return long;
  return shortenJson(long, maxChars) ?? cutMiddle(long, maxChars);
}

/** The message with no text, result or argument longer than `maxChars`; the very same one when nothing is. */
export function shortenMessage(message: Message, maxChars: number): Message {
  if (piecesOf(message).every((chars) => chars <= maxChars)) return message;
  if (message.role === "assistant") return shortenAssistant(message, maxChars);
  return { ...message, content: message.content.map((part) => shortenPart(part, maxChars)) };
}

/** How long each thing is that could be shortened by itself. */
export function piecesOf(message: Message): readonly number[] {
  if (message.role !== "assistant") {
    return message.content.map((part) => (part.type === "text" ? part.text.length : IMAGE_CHARS));
  }
  const calls = message.tool_calls.map((call) => call.arguments.length);
  return [message.content.length, message.reasoning?.length ?? 0, ...calls];
}

/** Reasoning and private fields belong to the words as they were: both go when those change. */
const shortenAssistant = (message: AssistantMessage, maxChars: number): AssistantMessage => ({
  role: "assistant",
  content: shortenText(message.content, maxChars),
  tool_calls: message.tool_calls.map((call) => shortenCall(call, maxChars)),
});

/** Providers parse arguments: what stays is always JSON. */
function shortenCall(call: ToolCall, maxChars: number): ToolCall {
  if (call.arguments.length <= maxChars) return call;
  const inside = shortenJson(call.arguments, maxChars);
  if (inside !== undefined) return { ...call, arguments: inside };
  // A character can take six in JSON.
  const rest = cutMiddle(call.arguments, Math.floor(maxChars / 6));
  return { ...call, arguments: JSON.stringify({ left_out: rest }) };
}

function shortenPart(part: Part, maxChars: number): Part {
  if (part.type === "image") return maxChars < IMAGE_CHARS ? IMAGE_NOTE : part;
  return part.text.length <= maxChars ? part : text(shortenText(part.text, maxChars));
}

/** A JSON object with shorter strings; undefined when it is none, or when its length is not in its strings. */
function shortenJson(long: string, maxChars: number): string | undefined {
  if (!long.trimStart().startsWith("{")) return undefined;
  const parsed = parseStrictJson(long);
  if (!parsed.ok) return undefined;
  const value = jsonOf(parsed.value);
  for (let cap = Math.floor(maxChars * 0.8); cap >= LEAST_STRING; cap = Math.floor(cap / 2)) {
    const shorter = JSON.stringify(shortenStrings(value, cap));
    if (shorter.length <= maxChars) return shorter;
  }
  return undefined;
}

function shortenStrings(value: Json, maxChars: number): Json {
  if (typeof value === "string") return value.length <= maxChars ? value : cutMiddle(value, maxChars);
  if (value === null || typeof value !== "object") return value;
  if (isList(value)) return value.map((inner) => shortenStrings(inner, maxChars));
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [key, shortenStrings(inner, maxChars)]),
  );
}

const isList = (value: Json): value is readonly Json[] => Array.isArray(value);

function cutMiddle(long: string, maxChars: number): string {
  const kept = headTail(Math.max(0, maxChars - NOTE_CHARS));
  kept.add(long);
  return kept.text();
}
