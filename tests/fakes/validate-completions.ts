import { type Fields, fieldsAt, isFields, listAt, textAt } from "../../core/lenient.ts";
import {
  halfCharacters,
  IMAGE_URL,
  isPositive,
  type OpenCalls,
  openCalls,
  TOOL_NAME,
  unknownFields,
  wrongArguments,
  wrongTemperature,
} from "./wire-rules.ts";

/** Why a strict server would refuse this body of `/chat/completions`; empty when it would not. */
export function problems(body: unknown): readonly string[] {
  return isFields(body) ? [...wrongHead(body), ...wrongMessages(body)] : ["body: is not an object"];
}

const HEAD =
  "model messages stream stream_options max_tokens max_completion_tokens reasoning_effort temperature top_p " +
  "response_format tools tool_choice parallel_tool_calls";

function* wrongHead(body: Fields): Generator<string> {
  yield* unknownFields("body", body, HEAD);
  yield* halfCharacters(body);
  if (textAt(body, "model") === "") yield "model: is required";
  if (body.stream !== undefined && typeof body.stream !== "boolean") yield "stream: must be true or false";
  if (body.stream_options !== undefined && body.stream !== true) yield "stream_options: only with stream";
  for (const name of ["max_tokens", "max_completion_tokens"] as const) {
    if (body[name] !== undefined && !isPositive(body[name])) yield `${name}: must be a positive number`;
  }
  if (body.max_tokens !== undefined && body.max_completion_tokens !== undefined)
    yield "max_tokens: not together with max_completion_tokens";
  yield* wrongTemperature(body, 2);
  const effort = body.reasoning_effort;
  if (effort !== undefined && !/^(none|minimal|low|medium|high|xhigh|max)$/.test(String(effort)))
    yield "reasoning_effort: unknown value";
  yield* wrongFormat(body);
  yield* wrongTools(body);
}

function* wrongFormat(body: Fields): Generator<string> {
  if (body.response_format === undefined) return;
  const format = fieldsAt(body, "response_format") ?? {};
  const schema = fieldsAt(format, "json_schema") ?? {};
  if (format.type !== "json_schema" || !TOOL_NAME.test(textAt(schema, "name")) || !isFields(schema.schema))
    yield "response_format: is no named JSON schema";
}

function* wrongTools(body: Fields): Generator<string> {
  if (body.tools === undefined) return;
  const tools = listAt(body, "tools").map((tool) => (isFields(tool) ? tool : {}));
  if (tools.length === 0) yield "tools: must not be empty";
  const names = tools.map((tool) => textAt(fieldsAt(tool, "function") ?? {}, "name"));
  for (const [at, tool] of tools.entries()) {
    const name = names[at] ?? "";
    if (tool.type !== "function" || !TOOL_NAME.test(name)) yield `tools[${at}]: is no named function`;
    if (names.indexOf(name) !== at) yield `tools[${at}]: "${name}" is there twice`;
    if (fieldsAt(fieldsAt(tool, "function") ?? {}, "parameters")?.type !== "object")
      yield `tools[${at}]: the schema of its parameters is no object`;
  }
}

function* wrongMessages(body: Fields): Generator<string> {
  const messages = listAt(body, "messages");
  if (messages.length === 0) yield "messages: must not be empty";
  const open = openCalls({ idsOfEarlierTurns: "free" });
  for (const [at, message] of messages.entries()) {
    const where = `messages[${at}]`;
    if (isFields(message)) yield* wrongMessage(where, message, open);
    else yield `${where}: is not an object`;
  }
  yield* open.settle("messages");
}

function* wrongMessage(where: string, message: Fields, open: OpenCalls): Generator<string> {
  if (message.role !== "tool") yield* open.settle(where);
  switch (message.role) {
    case "system":
    case "developer":
      yield* unknownFields(where, message, "role content");
      return yield* wrongContent(where, message.content, "text only");
    case "user":
      yield* unknownFields(where, message, "role content");
      return yield* wrongContent(where, message.content, "text and images");
    case "assistant":
      return yield* wrongAssistant(where, message, open);
    case "tool":
      yield* unknownFields(where, message, "role content tool_call_id");
      yield* open.answer(where, textAt(message, "tool_call_id"));
      return yield* wrongContent(where, message.content, "text only");
    default:
      yield `${where}.role: "${message.role}" is unknown`;
  }
}

/** The last three are what servers other than OpenAI's send and take back. */
const ASSISTANT = "role content tool_calls refusal reasoning_content reasoning reasoning_details";

function* wrongAssistant(where: string, message: Fields, open: OpenCalls): Generator<string> {
  yield* unknownFields(where, message, ASSISTANT);
  const calls = listAt(message, "tool_calls");
  if (message.tool_calls !== undefined && calls.length === 0) yield `${where}.tool_calls: must not be empty`;
  if (message.content === null || message.content === undefined) {
    if (calls.length === 0) yield `${where}.content: null only beside calls`;
  } else yield* wrongContent(where, message.content, "text only");
  for (const [at, call] of calls.entries()) {
    const place = `${where}.tool_calls[${at}]`;
    const { id, type, function: called } = isFields(call) ? call : {};
    yield* open.call(place, typeof id === "string" ? id : "");
    if (type !== "function" || !isFields(called)) {
      yield `${place}: is no call of a function`;
      continue;
    }
    if (!TOOL_NAME.test(textAt(called, "name"))) yield `${place}.function.name: does not match ${TOOL_NAME}`;
    yield* wrongArguments(`${place}.function`, called.arguments);
  }
}

function* wrongContent(
  where: string,
  content: unknown,
  allowed: "text only" | "text and images",
): Generator<string> {
  if (typeof content === "string") return;
  if (!Array.isArray(content) || content.length === 0)
    return yield `${where}.content: must be a text or a list of parts`;
  for (const [at, part] of content.entries()) {
    const place = `${where}.content[${at}]`;
    const fields = isFields(part) ? part : {};
    if (fields.type === "text" && typeof fields.text === "string") continue;
    if (fields.type !== "image_url" || allowed === "text only") yield `${place}: must be ${allowed}`;
    else if (!IMAGE_URL.test(textAt(fieldsAt(fields, "image_url") ?? {}, "url")))
      yield `${place}: is no image`;
  }
}
