import type { JsonObject } from "../../core/json.ts";
import { fitsStrictMode } from "../../core/json-schema/strict-mode.ts";
import { isFields, listAt } from "../../core/lenient.ts";
import {
  type AssistantMessage,
  type Message,
  type Part,
  type ToolMessage,
  text,
} from "../../core/message.ts";
import type { ModelRequest, OutputSchema, ToolSpec } from "../../core/ports/model.ts";
import { completionsReader } from "./completions-reader.ts";
import { growingBody } from "./growing-body.ts";
import {
  bearerHeaders,
  jsonFields,
  offersTools,
  type Protocol,
  privateFields,
  type RequestOptions,
} from "./protocol.ts";
import { wireArguments, wireName } from "./wire-calls.ts";

/** OpenAI's chat completions, as many servers speak it. */
export function completions(): Protocol {
  const grow = growingBody();
  return {
    name: "completions",
    path: "/chat/completions",
    headers: bearerHeaders,
    body: (request, options) =>
      grow(request.messages, {
        start: bodyStart(request, options),
        piece: (messages, at) =>
          wireMessages(messages, at, options.origin)
            .map((message) => `,${JSON.stringify(message)}`)
            .join(""),
        tail: "]}",
      }),
    newReader: completionsReader,
  };
}

function bodyStart(request: ModelRequest, options: RequestOptions): string {
  const head: JsonObject = {
    model: options.model,
    stream: options.stream,
    ...(options.stream && options.streamUsage ? { stream_options: { include_usage: true } } : {}),
    ...(options.maxOutputTokens > 0 ? { [limitName(options)]: options.maxOutputTokens } : {}),
    ...(options.facts.reasoning && options.thinking !== "off" ? { reasoning_effort: options.thinking } : {}),
    ...(options.temperature !== undefined ? { temperature: options.temperature } : {}),
    ...(options.topP !== undefined ? { top_p: options.topP } : {}),
    ...(request.outputSchema ? { response_format: wireFormat(request.outputSchema) } : {}),
    ...(offersTools(request) ? { tools: request.tools.map(wireTool) } : {}),
  };
  const system = JSON.stringify({ role: "system", content: request.system });
  return `${JSON.stringify(head).slice(0, -1)},"messages":[${system}`;
}

/** OpenAI's reasoning models know only the newer name, most other servers only the older one. */
const limitName = ({ facts, origin }: RequestOptions): string =>
  facts.reasoning && origin.endsWith("@api.openai.com") ? "max_completion_tokens" : "max_tokens";

const wireFormat = ({ name, schema }: OutputSchema): JsonObject => ({
  type: "json_schema",
  json_schema: { name, schema, strict: fitsStrictMode(schema) },
});

const wireTool = (spec: ToolSpec): JsonObject => ({ type: "function", function: { ...spec } });

function wireMessages(messages: readonly Message[], at: number, origin: string): readonly JsonObject[] {
  const message = messages[at];
  switch (message?.role) {
    case undefined:
      return [];
    case "user":
      return [{ role: "user", content: wireContent(message.content) }];
    case "assistant":
      return [wireAssistant(message, origin)];
    case "tool":
      return [wireResult(message), ...imagesBehind(messages, at)];
  }
}

function wireAssistant(message: AssistantMessage, origin: string): JsonObject {
  const own = privateFields(message.extra, origin) ?? {};
  const { tool_calls, ...fields } = own;
  const calls = message.tool_calls.map((call, at) => ({
    id: call.id,
    type: "function",
    function: { name: wireName(call.name), arguments: wireArguments(call.arguments) },
    ...callFields(listAt(own, "tool_calls")[at]),
  }));
  return {
    role: "assistant",
    content: message.content === "" && calls.length > 0 ? null : message.content,
    ...(calls.length > 0 ? { tool_calls: calls } : {}),
    ...fields,
  };
}

/** The private fields of the calls lie beside those of the message, in the order of the calls. */
const callFields = (fields: unknown): JsonObject => (isFields(fields) ? jsonFields(fields) : {});

/** A result can only be text here. */
function wireResult({ tool_call_id, content }: ToolMessage): JsonObject {
  const texts = content.filter((part) => part.type === "text");
  return { role: "tool", tool_call_id, content: texts.length > 0 ? wireContent(texts) : "" };
}

/**
 * So the images of a turn's results follow the last of them as a message of the user. A request is only made when
 * every call has its result: the last tool message there is, is the last of its turn.
 */
function imagesBehind(messages: readonly Message[], at: number): readonly JsonObject[] {
  if (messages[at + 1]?.role === "tool") return [];
  let first = at;
  while (messages[first - 1]?.role === "tool") first--;
  const content = messages.slice(first, at + 1).flatMap((message) => {
    if (message.role !== "tool") return [];
    const images = message.content.filter((part) => part.type === "image");
    const title = `Images of the result of ${message.name} (${message.tool_call_id}):`;
    return images.length === 0 ? [] : [text(title), ...images];
  });
  return content.length === 0 ? [] : [{ role: "user", content: wireContent(content) }];
}

function wireContent(content: readonly Part[]): string | readonly JsonObject[] {
  const [first] = content;
  if (content.length === 1 && first?.type === "text") return first.text;
  return content.map((part) =>
    part.type === "text"
      ? { type: "text", text: part.text }
      : { type: "image_url", image_url: { url: `data:${part.media_type};base64,${part.data}` } },
  );
}
