import type { Json, JsonObject } from "../../core/json.ts";
import { countAt, type Fields, fieldsAt, isFields, listAt, textAt } from "../../core/lenient.ts";
import type { AssistantMessage, Usage } from "../../core/message.ts";
import type { FinishReason } from "../../core/ports/model.ts";
import { err, ok, type Result } from "../../core/result.ts";
import {
  type Broken,
  deltaBuffer,
  invalid,
  jsonFields,
  parseJson,
  type ReplyReader,
  reportedError,
} from "./protocol.ts";

/** A content block while it streams. `input` is the JSON text of a tool call's arguments. */
type Block = { readonly fields: Record<string, Json>; input: string };

/** Reads a response of Anthropic's messages protocol. */
export function anthropicReader(origin: string): ReplyReader {
  const fresh = deltaBuffer();
  const blocks = new Map<number, Block>();
  let usage: Fields = {};
  let stopReason = "";
  let ended = false;

  const startBlock = (index: number, content: Fields): void => {
    blocks.set(index, { fields: { ...jsonFields(content) }, input: "" });
    fresh.addText(content.type === "text" ? textAt(content, "text") : "");
    if (content.type !== "thinking") return;
    if (fresh.hasReasoning()) fresh.addReasoning("\n\n");
    fresh.addReasoning(textAt(content, "thinking"));
  };

  const addDelta = (index: number, delta: Fields): void => {
    const block = blocks.get(index);
    if (!block) return;
    switch (textAt(delta, "type")) {
      case "text_delta":
        append(block, "text", textAt(delta, "text"));
        fresh.addText(textAt(delta, "text"));
        break;
      case "thinking_delta":
        append(block, "thinking", textAt(delta, "thinking"));
        fresh.addReasoning(textAt(delta, "thinking"));
        break;
      case "signature_delta":
        append(block, "signature", textAt(delta, "signature"));
        break;
      case "input_json_delta":
        block.input += textAt(delta, "partial_json");
        break;
    }
  };

  const onEvent = (event: Fields): Result<void, Broken> => {
    const index = countAt(event, "index") ?? 0;
    switch (textAt(event, "type")) {
      case "message_start":
        usage = { ...usage, ...fieldsAt(fieldsAt(event, "message") ?? {}, "usage") };
        break;
      case "content_block_start":
        startBlock(index, fieldsAt(event, "content_block") ?? {});
        break;
      case "content_block_delta":
        addDelta(index, fieldsAt(event, "delta") ?? {});
        break;
      case "message_delta":
        stopReason = textAt(fieldsAt(event, "delta") ?? {}, "stop_reason") || stopReason;
        usage = { ...usage, ...fieldsAt(event, "usage") };
        break;
      case "message_stop":
        ended = true;
        break;
      case "error":
        return err(reportedError(fieldsAt(event, "error") ?? event));
    }
    return ok(undefined);
  };

  return {
    event: (data) => {
      if (data === "" || data === "[DONE]" || ended) return ok(undefined);
      const body = parseJson(data);
      if (!body.ok) return body;
      return isFields(body.value) ? onEvent(body.value) : err(invalid("an event is not a JSON object"));
    },
    whole: (body) => {
      if (!isFields(body)) return err(invalid("it is not a JSON object"));
      if (body.error) return err(reportedError(body.error));
      ended = true;
      stopReason = textAt(body, "stop_reason");
      usage = fieldsAt(body, "usage") ?? {};
      for (const [index, block] of listAt(body, "content").filter(isFields).entries())
        startBlock(index, block);
      return ok(undefined);
    },
    takeDeltas: fresh.take,
    end: () => {
      const done = ended || stopReason !== "";
      const message = messageOf([...blocks.values()], origin);
      if (!done && message.tool_calls.length > 0) {
        return err({ detail: "the stream broke off inside a tool call", retryable: true });
      }
      const counted = usageOf(usage);
      const finish = finishOf(stopReason, message.tool_calls.length);
      const reply = { message, finish, ...(counted ? { usage: counted } : {}) };
      if (done || message.content === "") return ok({ reply });
      return ok({ reply, notice: "The stream ended without its last event: the answer may be incomplete" });
    },
  };
}

function append(block: Block, name: string, text: string): void {
  block.fields[name] = String(block.fields[name] ?? "") + text;
}

function messageOf(blocks: readonly Block[], origin: string): AssistantMessage {
  const texts = (type: string, name: string) =>
    blocks
      .map(({ fields }) => (fields.type === type ? textAt(fields, name) : ""))
      .filter((text) => text !== "");
  const reasoning = texts("thinking", "thinking").join("\n\n");
  const calls = blocks
    .filter(({ fields }) => fields.type === "tool_use")
    .map(({ fields, input }) => ({
      id: textAt(fields, "id"),
      name: textAt(fields, "name"),
      arguments: input === "" ? JSON.stringify(fields.input ?? {}) : input,
    }));
  // Only thinking is private; a message without it is written anew from what everyone knows.
  const isPrivate = blocks.some(({ fields }) => fields.type !== "text" && fields.type !== "tool_use");
  return {
    role: "assistant",
    content: texts("text", "text").join(""),
    ...(reasoning === "" ? {} : { reasoning }),
    tool_calls: calls,
    ...(isPrivate ? { extra: { origin, fields: { content: blocks.map(withoutWords) } } } : {}),
  };
}

/** A block as it is kept beside its message, which has its words and calls. */
function withoutWords({ fields }: Block): JsonObject {
  if (fields.type === "text") {
    const { text, ...rest } = fields;
    return { ...rest, chars: String(text ?? "").length };
  }
  if (fields.type !== "tool_use") return fields;
  const { id, name, input, ...rest } = fields;
  return rest;
}

function finishOf(reason: string, calls: number): FinishReason {
  switch (reason) {
    case "max_tokens":
    case "model_context_window_exceeded":
      return "length";
    case "refusal":
      return "content_filter";
    case "tool_use":
      return "tool_calls";
    default:
      return calls > 0 ? "tool_calls" : "stop";
  }
}

/** Here the input without the cached part is reported apart; everywhere else in buddy input is all of it. */
function usageOf(usage: Fields): Usage | undefined {
  const uncached = countAt(usage, "input_tokens");
  const output = countAt(usage, "output_tokens");
  if (uncached === undefined || output === undefined) return undefined;
  const cached = countAt(usage, "cache_read_input_tokens") ?? 0;
  const input = uncached + cached + (countAt(usage, "cache_creation_input_tokens") ?? 0);
  return {
    input_tokens: input,
    output_tokens: output,
    cached_tokens: cached,
    reasoning_tokens: countAt(fieldsAt(usage, "output_tokens_details") ?? {}, "thinking_tokens") ?? 0,
    total_tokens: input + output,
  };
}
