import type { JsonObject } from "../../core/json.ts";
import type { Message, Part } from "../../core/message.ts";
import type { ModelRequest, OutputSchema, ToolSpec } from "../../core/ports/model.ts";
import { completionsReader } from "./completions-reader.ts";
import { growingBody } from "./growing-body.ts";
import { bearerHeaders, type Protocol, privateFields, type RequestOptions } from "./protocol.ts";

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
        piece: (message) => `,${JSON.stringify(wireMessage(message, options.origin))}`,
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
    ...(request.tools.length > 0 ? { tools: request.tools.map(wireTool) } : {}),
  };
  const system = JSON.stringify({ role: "system", content: request.system });
  return `${JSON.stringify(head).slice(0, -1)},"messages":[${system}`;
}

/** OpenAI's reasoning models know only the newer name, most other servers only the older one. */
const limitName = ({ facts, origin }: RequestOptions): string =>
  facts.reasoning && origin.endsWith("@api.openai.com") ? "max_completion_tokens" : "max_tokens";

const wireFormat = ({ name, schema }: OutputSchema): JsonObject => ({
  type: "json_schema",
  json_schema: { name, schema, strict: true },
});

const wireTool = (spec: ToolSpec): JsonObject => ({ type: "function", function: { ...spec } });

function wireMessage(message: Message, origin: string): JsonObject {
  switch (message.role) {
    case "user":
      return { role: "user", content: wireContent(message.content) };
    case "tool":
      return { role: "tool", tool_call_id: message.tool_call_id, content: wireContent(message.content) };
    case "assistant": {
      const calls = message.tool_calls.map((call) => ({
        id: call.id,
        type: "function",
        function: { name: call.name, arguments: call.arguments },
      }));
      const extra = privateFields(message.extra, origin) ?? {};
      return {
        role: "assistant",
        content: message.content === "" && calls.length > 0 ? null : message.content,
        ...(calls.length > 0 ? { tool_calls: calls } : {}),
        ...extra,
      };
    }
  }
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
