import type { JsonObject } from "../../core/json.ts";
import { countAt, type Fields, fieldsAt, isFields, listAt, textAt } from "../../core/lenient.ts";
import type { AssistantMessage, Message, Part, Usage } from "../../core/message.ts";
import type { FinishReason, ModelRequest, Reply, ToolSpec } from "../../core/ports/model.ts";
import { err, ok, type Result } from "../../core/result.ts";
import { type CallFragment, callAssembler } from "./call-assembler.ts";
import {
  type Broken,
  cachedJson,
  invalid,
  type Protocol,
  parseJson,
  type ReplyReader,
  type RequestOptions,
  reportedError,
} from "./protocol.ts";

const NAME = "completions";

/** OpenAI's chat completions, as many servers speak it. */
export function completions(): Protocol {
  const messageJson = cachedJson(wireMessage);
  return {
    name: NAME,
    path: "/chat/completions",
    authHeaders: (key) => ({ authorization: `Bearer ${key}` }),
    body: (request, options) => requestBody(request, options, messageJson),
    newReader: completionsReader,
  };
}

function requestBody(
  request: ModelRequest,
  options: RequestOptions,
  messageJson: (message: Message) => string,
): string {
  const head: JsonObject = {
    model: options.model,
    stream: options.stream,
    ...(options.stream && options.streamUsage ? { stream_options: { include_usage: true } } : {}),
    ...(options.maxOutputTokens > 0 ? { max_tokens: options.maxOutputTokens } : {}),
    ...(options.temperature !== undefined ? { temperature: options.temperature } : {}),
    ...(options.topP !== undefined ? { top_p: options.topP } : {}),
    ...(request.tools.length > 0 ? { tools: request.tools.map(wireTool) } : {}),
  };
  const system = JSON.stringify({ role: "system", content: request.system });
  const messages = [system, ...request.messages.map(messageJson)].join(",");
  return `${JSON.stringify(head).slice(0, -1)},"messages":[${messages}]}`;
}

const wireTool = (spec: ToolSpec): JsonObject => ({ type: "function", function: { ...spec } });

function wireMessage(message: Message): JsonObject {
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
      const extra = message.extra?.protocol === NAME ? message.extra.fields : {};
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

function completionsReader(): ReplyReader {
  const calls = callAssembler();
  const extra: Record<string, string> = {};
  let text = "";
  let reasoning = "";
  let fresh = { text: "", reasoning: "" };
  let finish: FinishReason | undefined;
  let sawEnd = false;
  let usage: Usage | undefined;

  const readPiece = (piece: Fields): void => {
    const said = contentOf(piece);
    text += said;
    fresh.text += said;
    for (const name of REASONING_FIELDS) {
      const thought = textAt(piece, name);
      if (thought === "") continue;
      reasoning += thought;
      fresh.reasoning += thought;
      extra[name] = (extra[name] ?? "") + thought;
      break;
    }
    for (const call of listAt(piece, "tool_calls")) {
      const fragment = isFields(call) ? fragmentOf(call) : undefined;
      if (fragment) calls.add(fragment);
    }
  };

  const read = (body: unknown): Result<void, Broken> => {
    if (!isFields(body)) return err(invalid("it is not a JSON object"));
    if (body.error) return err(reportedError(body.error));
    usage = usageOf(fieldsAt(body, "usage")) ?? usage;
    const choice = listAt(body, "choices")[0];
    if (!isFields(choice)) return ok(undefined);
    finish = finishOf(textAt(choice, "finish_reason")) ?? finish;
    const piece = fieldsAt(choice, "delta") ?? fieldsAt(choice, "message");
    if (piece) readPiece(piece);
    return ok(undefined);
  };

  const end: ReplyReader["end"] = () => {
    const ended = sawEnd || finish !== undefined;
    if (!ended && calls.count() > 0) {
      return err({ detail: "the stream broke off inside a tool call", retryable: true });
    }
    const thought = reasoning === "" ? {} : { reasoning, extra: { protocol: NAME, fields: extra } };
    const message: AssistantMessage = {
      role: "assistant",
      content: text,
      tool_calls: calls.calls(),
      ...thought,
    };
    const implied = message.tool_calls.length > 0 ? "tool_calls" : "stop";
    const reply: Reply = { message, finish: finish ?? implied, ...(usage ? { usage } : {}) };
    if (ended || text === "") return ok({ reply });
    return ok({ reply, notice: "The stream ended without an end mark: the answer may be incomplete" });
  };

  return {
    event: (data) => {
      if (data === "") return ok(undefined);
      if (data !== "[DONE]") {
        const body = parseJson(data);
        return body.ok ? read(body.value) : body;
      }
      sawEnd = true;
      return ok(undefined);
    },
    whole: (body) => {
      sawEnd = true;
      return read(body);
    },
    takeDeltas: () => {
      const taken = fresh;
      fresh = { text: "", reasoning: "" };
      return taken;
    },
    end,
  };
}

/** Names under which servers send what the model thought; it goes back under the same name. */
const REASONING_FIELDS = ["reasoning_content", "reasoning"] as const;

/** Text, or a list of parts of which some are text. */
function contentOf(piece: Fields): string {
  const text = textAt(piece, "content");
  if (text !== "") return text;
  return listAt(piece, "content")
    .map((part) => (isFields(part) ? textAt(part, "text") : ""))
    .join("");
}

function fragmentOf(call: Fields): CallFragment | undefined {
  const type = textAt(call, "type");
  if (type !== "" && type !== "function") return undefined;
  const called = fieldsAt(call, "function") ?? {};
  const given = called.arguments;
  return {
    index: typeof call.index === "number" ? call.index : undefined,
    id: textAt(call, "id"),
    name: textAt(called, "name"),
    // Some servers send the arguments as an object.
    arguments: isFields(given) ? JSON.stringify(given) : textAt(called, "arguments"),
  };
}

function finishOf(reason: string): FinishReason | undefined {
  switch (reason) {
    case "":
      return undefined;
    case "tool_calls":
    case "function_call":
      return "tool_calls";
    case "length":
    case "max_tokens":
      return "length";
    case "content_filter":
      return "content_filter";
    case "error":
      return "error";
    default:
      return "stop";
  }
}

function usageOf(usage: Fields | undefined): Usage | undefined {
  const input = usage && countAt(usage, "prompt_tokens");
  const output = usage && countAt(usage, "completion_tokens");
  if (usage === undefined || input === undefined || output === undefined) return undefined;
  return {
    input_tokens: input,
    output_tokens: output,
    cached_tokens: countAt(fieldsAt(usage, "prompt_tokens_details") ?? {}, "cached_tokens") ?? 0,
    reasoning_tokens: countAt(fieldsAt(usage, "completion_tokens_details") ?? {}, "reasoning_tokens") ?? 0,
    total_tokens: countAt(usage, "total_tokens") ?? input + output,
  };
}
