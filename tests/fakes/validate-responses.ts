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

/** Why a strict server would refuse this body of `/responses`; empty when it would not. */
export function problems(body: unknown): readonly string[] {
  return isFields(body) ? [...wrongHead(body), ...wrongItems(body)] : ["body: is not an object"];
}

const HEAD =
  "model input stream store instructions include reasoning max_output_tokens temperature top_p text tools " +
  "tool_choice parallel_tool_calls prompt_cache_key";

function* wrongHead(body: Fields): Generator<string> {
  yield* unknownFields("body", body, HEAD);
  yield* halfCharacters(body);
  if (textAt(body, "model") === "") yield "model: is required";
  if (body.store !== false) yield "store: must be false, nothing is kept here";
  if (body.stream !== undefined && typeof body.stream !== "boolean") yield "stream: must be true or false";
  if (body.instructions !== undefined && typeof body.instructions !== "string")
    yield "instructions: must be a text";
  if (body.max_output_tokens !== undefined && !isPositive(body.max_output_tokens))
    yield "max_output_tokens: must be a positive number";
  yield* wrongTemperature(body, 2);
  const { effort, summary } = fieldsAt(body, "reasoning") ?? {};
  if (effort !== undefined && !/^(none|minimal|low|medium|high|xhigh|max)$/.test(String(effort)))
    yield "reasoning.effort: unknown value";
  if (summary !== undefined && !/^(auto|concise|detailed)$/.test(String(summary)))
    yield "reasoning.summary: unknown value";
  yield* wrongFormat(body);
  yield* wrongTools(body);
}

function* wrongFormat(body: Fields): Generator<string> {
  if (body.text === undefined) return;
  const format = fieldsAt(fieldsAt(body, "text") ?? {}, "format") ?? {};
  if (format.type !== "json_schema" || !TOOL_NAME.test(textAt(format, "name")) || !isFields(format.schema))
    yield "text.format: is no named JSON schema";
}

function* wrongTools(body: Fields): Generator<string> {
  if (body.tools === undefined) return;
  const tools = listAt(body, "tools").map((tool) => (isFields(tool) ? tool : {}));
  if (tools.length === 0) yield "tools: must not be empty";
  const names = tools.map((tool) => textAt(tool, "name"));
  for (const [at, tool] of tools.entries()) {
    const name = names[at] ?? "";
    yield* unknownFields(`tools[${at}]`, tool, "type name description parameters strict");
    if (tool.type !== "function" || !TOOL_NAME.test(name)) yield `tools[${at}]: is no named function`;
    if (names.indexOf(name) !== at) yield `tools[${at}]: "${name}" is there twice`;
    if (fieldsAt(tool, "parameters")?.type !== "object")
      yield `tools[${at}]: the schema of its parameters is no object`;
  }
}

function* wrongItems(body: Fields): Generator<string> {
  const items = listAt(body, "input");
  if (items.length === 0) yield "input: must be a list of items";
  const open = openCalls({ idsOfEarlierTurns: "free" });
  let previous: unknown;
  for (const [at, item] of items.entries()) {
    const where = `input[${at}]`;
    if (!isFields(item)) {
      yield `${where}: is not an object`;
      continue;
    }
    if (previous === "reasoning" && !isOutput(item)) yield `${where}: follows reasoning that nothing came of`;
    if (beginsTurn(item, previous)) yield* open.settle(where);
    yield* wrongItem(where, item, open);
    previous = item.type;
  }
  if (previous === "reasoning") yield "input: ends with reasoning that nothing came of";
  yield* open.settle("input");
}

const isOutput = (item: Fields): boolean =>
  item.type === "reasoning" || item.type === "function_call" || item.role === "assistant";

/** The calls of a turn may have thoughts and words between them; their results come before anything else does. */
const beginsTurn = (item: Fields, previous: unknown): boolean =>
  isOutput(item) ? previous === "function_call_output" : item.type !== "function_call_output";

function* wrongItem(where: string, item: Fields, open: OpenCalls): Generator<string> {
  switch (item.type) {
    case "message":
      return yield* wrongMessage(where, item);
    case "reasoning":
      yield* unknownFields(where, item, "type id summary content encrypted_content");
      if (!/^rs_/.test(textAt(item, "id"))) yield `${where}.id: must begin with rs_`;
      if (!Array.isArray(item.summary)) yield `${where}.summary: is required`;
      if (textAt(item, "encrypted_content") === "")
        yield `${where}: "${item.id}" was not found: without store, reasoning comes back encrypted or not at all`;
      return;
    case "function_call":
      yield* unknownFields(where, item, "type id call_id name arguments status");
      yield* open.call(where, textAt(item, "call_id"));
      if (item.id !== undefined && !/^fc_/.test(textAt(item, "id"))) yield `${where}.id: must begin with fc_`;
      yield* wrongCallId(where, item);
      if (!TOOL_NAME.test(textAt(item, "name"))) yield `${where}.name: does not match ${TOOL_NAME}`;
      return yield* wrongArguments(where, item.arguments);
    case "function_call_output":
      yield* unknownFields(where, item, "type call_id output");
      yield* open.answer(where, textAt(item, "call_id"));
      yield* wrongCallId(where, item);
      return yield* wrongParts(`${where}.output`, item.output);
    default:
      yield `${where}.type: "${item.type}" is unknown`;
  }
}

function* wrongCallId(where: string, item: Fields): Generator<string> {
  if (textAt(item, "call_id").length > 64) yield `${where}.call_id: is longer than 64 characters`;
}

function* wrongMessage(where: string, item: Fields): Generator<string> {
  if (item.role !== "assistant") {
    yield* unknownFields(where, item, "type role content");
    if (!/^(user|system|developer)$/.test(textAt(item, "role")))
      yield `${where}.role: "${item.role}" is unknown`;
    return yield* wrongParts(`${where}.content`, item.content);
  }
  yield* unknownFields(where, item, "type role content id status phase");
  if (item.id !== undefined && !/^msg_/.test(textAt(item, "id"))) yield `${where}.id: must begin with msg_`;
  if (typeof item.content === "string") return;
  for (const part of listAt(item, "content")) {
    const { type } = isFields(part) ? part : {};
    if (type !== "output_text" && type !== "refusal") yield `${where}.content: "${type}" is no output`;
  }
}

function* wrongParts(where: string, content: unknown): Generator<string> {
  if (typeof content === "string") return;
  if (!Array.isArray(content) || content.length === 0)
    return yield `${where}: must be a text or a list of parts`;
  for (const [at, part] of content.entries()) {
    const fields = isFields(part) ? part : {};
    if (fields.type === "input_text" && typeof fields.text === "string") continue;
    if (fields.type !== "input_image" || !IMAGE_URL.test(textAt(fields, "image_url")))
      yield `${where}[${at}]: is neither text nor image`;
  }
}
