import type { JsonObject } from "../../core/json.ts";
import { fitsStrictMode } from "../../core/json-schema/strict-mode.ts";
import { type Fields, isFields, listAt, textAt } from "../../core/lenient.ts";
import type { AssistantMessage, Message, Part, ToolCall } from "../../core/message.ts";
import type { ModelRequest, OutputSchema, ToolSpec } from "../../core/ports/model.ts";
import { growingBody } from "./growing-body.ts";
import {
  bearerHeaders,
  jsonFields,
  offersTools,
  type Protocol,
  privateFields,
  type RequestOptions,
} from "./protocol.ts";
import { responsesReader } from "./responses-reader.ts";
import { textParts } from "./text-parts.ts";
import { wireArguments, wireId, wireName } from "./wire-calls.ts";

/** OpenAI's responses: the conversation is a list of items, and reasoning comes back encrypted to be sent again. */
export function responses(): Protocol {
  const grow = growingBody();
  return {
    name: "responses",
    path: "/responses",
    headers: bearerHeaders,
    body: (request, options) =>
      grow(request.messages, {
        start: bodyStart(request, options),
        piece: (messages, at) => joined(messages, at, options.origin),
        tail: "]}",
      }),
    newReader: responsesReader,
  };
}

function bodyStart(request: ModelRequest, options: RequestOptions): string {
  const { facts, thinking } = options;
  const head: JsonObject = {
    model: options.model,
    stream: options.stream,
    store: false,
    instructions: request.system,
    ...(facts.reasoning
      ? {
          include: ["reasoning.encrypted_content"],
          ...(thinking === "off" ? {} : { reasoning: { effort: thinking, summary: "auto" } }),
        }
      : {}),
    ...(options.maxOutputTokens > 0 ? { max_output_tokens: options.maxOutputTokens } : {}),
    ...(options.temperature !== undefined ? { temperature: options.temperature } : {}),
    ...(options.topP !== undefined ? { top_p: options.topP } : {}),
    ...(request.outputSchema ? { text: { format: wireFormat(request.outputSchema) } } : {}),
    ...(offersTools(request) ? { tools: request.tools.map(wireTool) } : {}),
  };
  return `${JSON.stringify(head).slice(0, -1)},"input":[`;
}

const wireFormat = (wanted: OutputSchema): JsonObject => ({
  type: "json_schema",
  ...wanted,
  strict: fitsStrictMode(wanted.schema),
});

const wireTool = (spec: ToolSpec): JsonObject => ({ type: "function", ...spec, strict: false });

/** A message may be several items: the brackets of their list are taken off. */
function joined(messages: readonly Message[], at: number, origin: string): string {
  const message = messages[at];
  if (message === undefined) return "";
  return (at > 0 ? "," : "") + JSON.stringify(wireItems(message, origin)).slice(1, -1);
}

function wireItems(message: Message, origin: string): readonly JsonObject[] {
  switch (message.role) {
    case "user":
      return [{ type: "message", role: "user", content: message.content.map(wirePart) }];
    case "tool":
      return [
        {
          type: "function_call_output",
          call_id: wireId(message.tool_call_id),
          output: wireOutput(message.content),
        },
      ];
    case "assistant":
      return ownItems(message, origin) ?? plainItems(message);
  }
}

/**
 * What the provider sent, item for item, with its words and calls as the message has them. Nothing is stored there,
 * so reasoning that did not come encrypted would refer to nothing.
 */
function ownItems(message: AssistantMessage, origin: string): readonly JsonObject[] | undefined {
  const items = listAt(privateFields(message.extra, origin) ?? {}, "output").filter(isFields);
  const texts = textParts(
    message.content,
    items.flatMap(partsOf).map(({ chars }) => Number(chars)),
  );
  const calls = items.filter((item) => item.type === "function_call");
  const lost = items.some((item) => item.type === "reasoning" && textAt(item, "encrypted_content") === "");
  if (items.length === 0 || lost || !texts || calls.length !== message.tool_calls.length) return undefined;
  const [nextText, nextCall] = [texts.values(), message.tool_calls.values()];
  return items.map((item) => {
    switch (item.type) {
      case "message": {
        const content = partsOf(item).map((part) => filledPart(part, nextText.next().value ?? ""));
        return { ...jsonFields(item), content };
      }
      case "function_call":
        return { ...jsonFields(item), ...callFields(nextCall.next().value) };
      default:
        return jsonFields(item);
    }
  });
}

const partsOf = (item: Fields): readonly Fields[] =>
  item.type === "message" ? listAt(item, "content").filter(isFields) : [];

function filledPart(part: Fields, text: string): JsonObject {
  const { chars, ...fields } = part;
  return jsonFields({ ...fields, [part.type === "refusal" ? "refusal" : "text"]: text });
}

const callFields = (call: ToolCall | undefined): JsonObject =>
  call
    ? { call_id: wireId(call.id), name: wireName(call.name), arguments: wireArguments(call.arguments) }
    : {};

function plainItems(message: AssistantMessage): readonly JsonObject[] {
  return [
    ...(message.content === "" && message.tool_calls.length > 0
      ? []
      : [{ type: "message", role: "assistant", content: message.content }]),
    ...message.tool_calls.map((call) => ({ type: "function_call", ...callFields(call) })),
  ];
}

function wireOutput(content: readonly Part[]): string | readonly JsonObject[] {
  const [first] = content;
  return content.length === 1 && first?.type === "text" ? first.text : content.map(wirePart);
}

const wirePart = (part: Part): JsonObject =>
  part.type === "text"
    ? { type: "input_text", text: part.text }
    : { type: "input_image", image_url: `data:${part.media_type};base64,${part.data}`, detail: "auto" };
