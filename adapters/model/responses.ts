import { type JsonObject, jsonOf } from "../../core/json.ts";
import { type Fields, isFields, listAt, textAt } from "../../core/lenient.ts";
import type { AssistantMessage, Message, Part } from "../../core/message.ts";
import type { ModelRequest, ToolSpec } from "../../core/ports/model.ts";
import { growingBody } from "./growing-body.ts";
import { bearerHeaders, type Protocol, privateFields, type RequestOptions } from "./protocol.ts";
import { responsesReader } from "./responses-reader.ts";

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
        // A message may be several items: the brackets of their list are taken off.
        piece: (message, previous) =>
          (previous ? "," : "") + JSON.stringify(wireItems(message, options.origin)).slice(1, -1),
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
    ...(request.outputSchema
      ? { text: { format: { type: "json_schema", ...request.outputSchema, strict: true } } }
      : {}),
    ...(request.tools.length > 0 ? { tools: request.tools.map(wireTool) } : {}),
  };
  return `${JSON.stringify(head).slice(0, -1)},"input":[`;
}

const wireTool = (spec: ToolSpec): JsonObject => ({ type: "function", ...spec, strict: false });

function wireItems(message: Message, origin: string): readonly JsonObject[] {
  switch (message.role) {
    case "user":
      return [{ type: "message", role: "user", content: message.content.map(wirePart) }];
    case "tool":
      return [
        { type: "function_call_output", call_id: message.tool_call_id, output: wireOutput(message.content) },
      ];
    case "assistant":
      return ownItems(message, origin) ?? plainItems(message);
  }
}

/** What the provider sent, item for item, as long as its calls are still the calls of the message. */
function ownItems(message: AssistantMessage, origin: string): readonly JsonObject[] | undefined {
  const items = listAt(privateFields(message.extra, origin) ?? {}, "output").filter(isFields);
  if (items.length === 0) return undefined;
  const ids = items.filter((item) => item.type === "function_call").map((item) => textAt(item, "call_id"));
  const same = ids.join("\n") === message.tool_calls.map((call) => call.id).join("\n");
  return same ? items.map(itemToSend) : undefined;
}

/** Nothing is stored at the provider, so its status words would refer to nothing. */
function itemToSend(item: Fields): JsonObject {
  return Object.fromEntries(
    Object.entries(item)
      .filter(([name]) => name !== "status")
      .map(([name, value]) => [name, jsonOf(value)]),
  );
}

function plainItems(message: AssistantMessage): readonly JsonObject[] {
  return [
    ...(message.content === "" ? [] : [{ type: "message", role: "assistant", content: message.content }]),
    ...message.tool_calls.map((call) => ({
      type: "function_call",
      call_id: call.id,
      name: call.name,
      arguments: call.arguments,
    })),
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
