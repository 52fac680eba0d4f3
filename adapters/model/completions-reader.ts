import { type Json, jsonOf } from "../../core/json.ts";
import { countAt, type Fields, fieldsAt, isFields, listAt, textAt } from "../../core/lenient.ts";
import type { AssistantMessage, Usage } from "../../core/message.ts";
import type { FinishReason, Reply } from "../../core/ports/model.ts";
import { err, ok, type Result } from "../../core/result.ts";
import { type CallFragment, callAssembler } from "./call-assembler.ts";
import { callExtras } from "./call-extras.ts";
import {
  type Broken,
  deltaBuffer,
  invalid,
  parseJson,
  type ReplyReader,
  reportedError,
  TAKEN,
} from "./protocol.ts";

/**
 * Reads a response of chat completions. Streams bring thousands of tiny deltas: what most of them do not have is
 * looked at only when it is there, and names are written out, because a read through a variable name is slow.
 */
export function completionsReader(origin: string): ReplyReader {
  const calls = callAssembler();
  const extras = callExtras();
  const fresh = deltaBuffer();
  const extra: Record<string, Json> = {};
  let finish: FinishReason | undefined;
  let sawEnd = false;
  let isWhole = false;
  let usage: Usage | undefined;

  const readPiece = (piece: Fields): void => {
    const { content } = piece;
    if (typeof content === "string") fresh.addText(content);
    else if (content) fresh.addText(partsText(piece));
    if (piece.reasoning_content || piece.reasoning || piece.reasoning_details) readReasoning(piece);
    if (piece.tool_calls) readCalls(piece, isWhole ? calls.addWhole : calls.add);
  };

  const readReasoning = (piece: Fields): void => {
    const name = REASONING_FIELDS.find((field) => textAt(piece, field) !== "");
    if (name) {
      fresh.addReasoning(textAt(piece, name));
      extra[name] = String(extra[name] ?? "") + textAt(piece, name);
    }
    const details = listAt(piece, "reasoning_details");
    if (details.length > 0) extra.reasoning_details = joinDetails(extra.reasoning_details, details);
  };

  const readCalls = (piece: Fields, add: (fragment: CallFragment) => void): void => {
    for (const call of listAt(piece, "tool_calls")) {
      const fragment = isFields(call) ? fragmentOf(call) : undefined;
      if (fragment) add(fragment);
    }
  };

  const read = (body: unknown): Result<void, Broken> => {
    if (!isFields(body)) return err(invalid("it is not a JSON object"));
    if (body.error) return err(reportedError(body.error));
    if (body.usage) usage = usageOf(fieldsAt(body, "usage")) ?? usage;
    const choice = Array.isArray(body.choices) ? body.choices[0] : undefined;
    if (!isFields(choice)) return TAKEN;
    if (choice.finish_reason) finish = finishOf(textAt(choice, "finish_reason")) ?? finish;
    const piece = choice.delta ?? choice.message;
    if (!isFields(piece)) return TAKEN;
    readPiece(piece);
    if (piece.tool_calls) extras.read(piece);
    return TAKEN;
  };

  const end: ReplyReader["end"] = () => {
    const ended = sawEnd || finish !== undefined;
    if (!ended && calls.count() > 0) {
      return err({ detail: "the stream broke off inside a tool call", retryable: true });
    }
    const { text, reasoning } = fresh.all();
    const fields = { ...extra, ...extras.fields(calls.calls()) };
    const message: AssistantMessage = {
      role: "assistant",
      content: text,
      ...(reasoning === "" ? {} : { reasoning }),
      tool_calls: calls.calls(),
      ...(Object.keys(fields).length === 0 ? {} : { extra: { origin, fields } }),
    };
    const implied = message.tool_calls.length > 0 ? "tool_calls" : "stop";
    const reply: Reply = { message, finish: finish ?? implied, ...(usage ? { usage } : {}) };
    if (ended || text === "") return ok({ reply });
    return ok({ reply, notice: "The stream ended without an end mark: the answer may be incomplete" });
  };

  return {
    event: (data) => {
      if (data === "") return TAKEN;
      if (data !== "[DONE]") {
        const body = parseJson(data);
        return body.ok ? read(body.value) : body;
      }
      sawEnd = true;
      return TAKEN;
    },
    whole: (body) => {
      sawEnd = true;
      isWhole = true;
      return read(body);
    },
    takeDeltas: fresh.take,
    end,
  };
}

/** Names under which servers send what the model thought; it goes back under the same name. */
const REASONING_FIELDS = ["reasoning_content", "reasoning"] as const;

/** Structured reasoning comes in pieces too: those of one index are one entry, their texts joined. */
function joinDetails(before: Json | undefined, added: readonly unknown[]): Json {
  const entries = Array.isArray(before) ? before.filter(isFields) : [];
  const joined: Fields[] = [...entries];
  for (const piece of added.filter(isFields)) {
    const at = joined.findIndex((entry) => typeof piece.index === "number" && entry.index === piece.index);
    const known = joined[at];
    if (known) joined[at] = joinTexts(known, piece);
    else joined.push(piece);
  }
  return jsonOf(joined);
}

const JOINED_TEXTS = ["text", "summary", "data", "signature"];

function joinTexts(known: Fields, piece: Fields): Fields {
  const texts = JOINED_TEXTS.filter((name) => textAt(piece, name) !== "").map((name) => [
    name,
    textAt(known, name) + textAt(piece, name),
  ]);
  return { ...known, ...piece, ...Object.fromEntries(texts) };
}

/** A list of parts of which some are text. */
function partsText(piece: Fields): string {
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
