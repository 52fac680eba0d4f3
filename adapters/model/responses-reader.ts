import type { JsonObject } from "../../core/json.ts";
import { countAt, type Fields, fieldsAt, isFields, listAt, textAt } from "../../core/lenient.ts";
import type { AssistantMessage, Usage } from "../../core/message.ts";
import type { FinishReason, Reply } from "../../core/ports/model.ts";
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

/** Reads a response of the responses protocol. Its last event carries all of it and wins over what streamed before. */
export function responsesReader(origin: string): ReplyReader {
  const fresh = deltaBuffer();
  const items: Fields[] = [];
  let streamed = "";
  let sawCall = false;
  let final: Fields | undefined;

  const onEvent = (event: Fields): Result<void, Broken> => {
    switch (textAt(event, "type")) {
      case "response.output_text.delta":
      case "response.refusal.delta":
        streamed += textAt(event, "delta");
        fresh.addText(textAt(event, "delta"));
        return ok(undefined);
      case "response.reasoning_summary_text.delta":
      case "response.reasoning_text.delta":
        fresh.addReasoning(textAt(event, "delta"));
        return ok(undefined);
      case "response.reasoning_summary_part.added":
        if (fresh.hasReasoning()) fresh.addReasoning("\n\n");
        return ok(undefined);
      case "response.output_item.added":
        sawCall ||= textAt(fieldsAt(event, "item") ?? {}, "type") === "function_call";
        return ok(undefined);
      case "response.output_item.done": {
        const item = fieldsAt(event, "item");
        if (item) items.push(item);
        sawCall ||= item?.type === "function_call";
        return ok(undefined);
      }
      case "response.completed":
      case "response.done":
      case "response.incomplete":
        final ??= fieldsAt(event, "response") ?? {};
        return ok(undefined);
      case "response.failed":
        return err(
          reportedError(fieldsAt(fieldsAt(event, "response") ?? {}, "error") ?? "the response failed"),
        );
      case "error":
        return err(reportedError(fieldsAt(event, "error") ?? event));
      default:
        return ok(undefined);
    }
  };

  return {
    event: (data) => {
      if (data === "" || data === "[DONE]" || final) return ok(undefined);
      const body = parseJson(data);
      if (!body.ok) return body;
      return isFields(body.value) ? onEvent(body.value) : err(invalid("an event is not a JSON object"));
    },
    whole: (body) => {
      if (!isFields(body)) return err(invalid("it is not a JSON object"));
      if (body.error) return err(reportedError(body.error));
      final = body;
      const { content, reasoning } = readItems(listAt(body, "output").filter(isFields));
      fresh.addReasoning(reasoning);
      fresh.addText(content);
      return ok(undefined);
    },
    takeDeltas: fresh.take,
    end: () => {
      if (final) return ok({ reply: replyOf(final, items, streamed, origin) });
      if (sawCall) return err({ detail: "the stream broke off before its end", retryable: true });
      const reply = replyOf({}, items, streamed, origin);
      if (streamed === "") return ok({ reply });
      return ok({ reply, notice: "The stream ended without its last event: the answer may be incomplete" });
    },
  };
}

/** Some backends leave the list out of the last event; then the items that streamed before count. */
function replyOf(
  final: Fields,
  streamedItems: readonly Fields[],
  streamedText: string,
  origin: string,
): Reply {
  const listed = listAt(final, "output").filter(isFields);
  const items = listed.length > 0 ? listed : streamedItems;
  const { content, reasoning, tool_calls } = readItems(items);
  const keep = items.length > 0 ? { extra: { origin, fields: { output: items.map(withoutWords) } } } : {};
  const message: AssistantMessage = {
    role: "assistant",
    content: content || (listed.length > 0 ? "" : streamedText),
    ...(reasoning === "" ? {} : { reasoning }),
    tool_calls,
    ...keep,
  };
  const usage = usageOf(fieldsAt(final, "usage"));
  return { message, finish: finishOf(final, tool_calls.length), ...(usage ? { usage } : {}) };
}

/** An item as it is kept beside its message, which has its words and calls; reasoning is refused with a status. */
function withoutWords(item: Fields): JsonObject {
  const { status, ...fields } = item;
  switch (item.type) {
    case "message": {
      const content = listAt(item, "content").filter(isFields).map(withoutText);
      return { ...jsonFields(item), content };
    }
    case "function_call": {
      const { call_id, name, arguments: written, ...rest } = fields;
      return jsonFields(rest);
    }
    default:
      return jsonFields(fields);
  }
}

function withoutText({ text, refusal, ...part }: Fields): JsonObject {
  const chars = [text, refusal].map((words) => (typeof words === "string" ? words.length : 0));
  return { ...jsonFields(part), chars: Math.max(...chars) };
}

function readItems(items: readonly Fields[]) {
  const texts = (item: Fields, list: string, names: readonly string[]) =>
    listAt(item, list).map((part) =>
      isFields(part) ? names.map((name) => textAt(part, name)).join("") : "",
    );
  const content = items.flatMap((item) =>
    item.type === "message" ? texts(item, "content", ["text", "refusal"]) : [],
  );
  const reasoning = items.flatMap((item) =>
    item.type === "reasoning"
      ? [...texts(item, "summary", ["text"]), ...texts(item, "content", ["text"])]
      : [],
  );
  const tool_calls = items
    .filter((item) => item.type === "function_call")
    .map((item) => ({
      id: textAt(item, "call_id") || textAt(item, "id"),
      name: textAt(item, "name"),
      arguments: isFields(item.arguments) ? JSON.stringify(item.arguments) : textAt(item, "arguments"),
    }));
  return {
    content: content.join(""),
    reasoning: reasoning.filter((text) => text !== "").join("\n\n"),
    tool_calls,
  };
}

function finishOf(final: Fields, calls: number): FinishReason {
  const reason = textAt(fieldsAt(final, "incomplete_details") ?? {}, "reason");
  if (reason === "max_output_tokens") return "length";
  if (reason === "content_filter") return "content_filter";
  if (textAt(final, "status") === "incomplete") return "error";
  return calls > 0 ? "tool_calls" : "stop";
}

function usageOf(usage: Fields | undefined): Usage | undefined {
  const input = usage && countAt(usage, "input_tokens");
  const output = usage && countAt(usage, "output_tokens");
  if (usage === undefined || input === undefined || output === undefined) return undefined;
  return {
    input_tokens: input,
    output_tokens: output,
    cached_tokens: countAt(fieldsAt(usage, "input_tokens_details") ?? {}, "cached_tokens") ?? 0,
    reasoning_tokens: countAt(fieldsAt(usage, "output_tokens_details") ?? {}, "reasoning_tokens") ?? 0,
    total_tokens: countAt(usage, "total_tokens") ?? input + output,
  };
}
