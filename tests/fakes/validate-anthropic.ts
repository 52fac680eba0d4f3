import { type Fields, fieldsAt, isFields, listAt, textAt } from "../../core/lenient.ts";
import {
  halfCharacters,
  IMAGE_TYPES,
  isPositive,
  type OpenCalls,
  openCalls,
  TOOL_NAME,
  unknownFields,
  wrongTemperature,
} from "./wire-rules.ts";

/** Why a strict server would refuse this body of `/v1/messages`; empty when it would not. */
export function problems(body: unknown): readonly string[] {
  if (!isFields(body)) return ["body: is not an object"];
  return [...wrongHead(body), ...wrongThinking(body), ...wrongTools(body), ...wrongMessages(body)];
}

const HEAD =
  "model max_tokens messages stream system cache_control tools tool_choice thinking output_config temperature top_p";

function* wrongHead(body: Fields): Generator<string> {
  yield* unknownFields("body", body, HEAD);
  yield* halfCharacters(body);
  if (textAt(body, "model") === "") yield "model: is required";
  if (!isPositive(body.max_tokens)) yield "max_tokens: is required";
  if (body.stream !== undefined && typeof body.stream !== "boolean") yield "stream: must be true or false";
  if (body.system !== undefined && typeof body.system !== "string") {
    for (const block of listAt(body, "system")) yield* wrongText("system", isFields(block) ? block : {});
  }
  if (JSON.stringify(body).split('"cache_control":').length - 1 > 4)
    yield "cache_control: at most four breakpoints";
  yield* wrongTemperature(body, 1);
}

function* wrongThinking(body: Fields): Generator<string> {
  if (body.thinking === undefined) return;
  const { type, budget_tokens: budget } = fieldsAt(body, "thinking") ?? {};
  if (type !== "enabled" && type !== "adaptive" && type !== "disabled") yield "thinking.type: unknown value";
  if (type === "enabled") {
    if (!Number.isInteger(budget) || Number(budget) < 1024)
      yield "thinking.budget_tokens: must be 1024 or more";
    if (Number(budget) >= Number(body.max_tokens))
      yield "thinking.budget_tokens: must be less than max_tokens";
  }
  if (type !== "disabled" && (body.temperature !== undefined || body.top_p !== undefined))
    yield "temperature: cannot be set while thinking";
}

function* wrongTools(body: Fields): Generator<string> {
  if (body.tools === undefined) return;
  const tools = listAt(body, "tools").map((tool) => (isFields(tool) ? tool : {}));
  const names = tools.map((tool) => textAt(tool, "name"));
  for (const [at, tool] of tools.entries()) {
    const name = names[at] ?? "";
    yield* unknownFields(`tools[${at}]`, tool, "name description input_schema cache_control");
    if (!TOOL_NAME.test(name)) yield `tools[${at}].name: does not match ${TOOL_NAME}`;
    if (names.indexOf(name) !== at) yield `tools[${at}]: "${name}" is there twice`;
    if (fieldsAt(tool, "input_schema")?.type !== "object") yield `tools[${at}].input_schema: is no object`;
  }
}

function* wrongMessages(body: Fields): Generator<string> {
  const messages = listAt(body, "messages").map((message) => (isFields(message) ? message : {}));
  if (messages.length === 0) yield "messages: must not be empty";
  const open = openCalls({ idsOfEarlierTurns: "taken" });
  for (const [at, message] of messages.entries()) {
    const where = `messages[${at}]`;
    yield* unknownFields(where, message, "role content");
    const expected = at % 2 === 0 ? "user" : "assistant";
    if (message.role !== expected) yield `${where}.role: must be ${expected}`;
    yield* wrongBlocks(where, message, open);
  }
  if (messages.at(-1)?.role !== "user") yield "messages: must end with the user";
  yield* open.settle("messages");
}

function* wrongBlocks(where: string, message: Fields, open: OpenCalls): Generator<string> {
  const content =
    typeof message.content === "string"
      ? [{ type: "text", text: message.content }]
      : listAt(message, "content").map((block) => (isFields(block) ? block : {}));
  if (content.length === 0) yield `${where}.content: must not be empty`;
  const firstOther = content.findIndex((block) => block.type !== "tool_result");
  for (const [at, block] of content.entries()) {
    const place = `${where}.content[${at}]`;
    if (block.type === "tool_result" && firstOther !== -1 && at > firstOther)
      yield `${place}: results must come first in their message`;
    if (message.role === "user") yield* wrongUserBlock(place, block, open);
    else yield* wrongAssistantBlock(place, block, open);
  }
  if (message.role === "user") yield* open.settle(where);
}

function* wrongUserBlock(where: string, block: Fields, open: OpenCalls): Generator<string> {
  if (block.type !== "tool_result") return yield* wrongPart(where, block);
  yield* unknownFields(where, block, "type tool_use_id content is_error cache_control");
  yield* open.answer(where, textAt(block, "tool_use_id"));
  for (const part of listAt(block, "content"))
    yield* wrongPart(`${where}.content`, isFields(part) ? part : {});
}

function* wrongAssistantBlock(where: string, block: Fields, open: OpenCalls): Generator<string> {
  switch (block.type) {
    case "thinking":
      yield* unknownFields(where, block, "type thinking signature");
      if (typeof block.thinking !== "string") yield `${where}.thinking: is required`;
      if (textAt(block, "signature") === "") yield `${where}.signature: is required`;
      return;
    case "redacted_thinking":
      yield* unknownFields(where, block, "type data");
      return;
    case "tool_use":
      yield* unknownFields(where, block, "type id name input caller cache_control");
      yield* open.call(where, textAt(block, "id"));
      if (!/^[a-zA-Z0-9_-]+$/.test(textAt(block, "id"))) yield `${where}.id: does not match ^[a-zA-Z0-9_-]+$`;
      if (!TOOL_NAME.test(textAt(block, "name"))) yield `${where}.name: does not match ${TOOL_NAME}`;
      if (!isFields(block.input)) yield `${where}.input: must be an object`;
      return;
    default:
      return yield* wrongText(where, block);
  }
}

function* wrongPart(where: string, block: Fields): Generator<string> {
  if (block.type !== "image") return yield* wrongText(where, block);
  const source = fieldsAt(block, "source") ?? {};
  yield* unknownFields(where, block, "type source cache_control");
  if (source.type !== "base64" || !IMAGE_TYPES.test(textAt(source, "media_type")))
    yield `${where}: is no image`;
  if (!/^[A-Za-z0-9+/]+=*$/.test(textAt(source, "data"))) yield `${where}.source.data: is not base64`;
}

function* wrongText(where: string, block: Fields): Generator<string> {
  yield* unknownFields(where, block, "type text citations cache_control");
  if (block.type !== "text") yield `${where}.type: "${block.type}" has no place here`;
  else if (textAt(block, "text").trim() === "") yield `${where}.text: must contain more than blanks`;
}
