import { type Json, type JsonObject, jsonOf } from "../../core/json.ts";
import { type Fields, isFields, listAt, textAt } from "../../core/lenient.ts";
import type { ToolCall } from "../../core/message.ts";

/** Collects what a server hangs on its calls and wants back with them: Google's signatures of thoughts. */
export function callExtras() {
  const byId = new Map<string, Json>();
  let id = "";
  return {
    /** A piece of a message, streamed or whole. */
    read: (piece: Fields): void => {
      for (const call of listAt(piece, "tool_calls").filter(isFields)) {
        id = textAt(call, "id") || id;
        if (isFields(call.extra_content)) byId.set(id, jsonOf(call.extra_content));
      }
    },
    /** For the private fields of the message: one entry for each of its calls, or nothing at all. */
    fields: (calls: readonly ToolCall[]): JsonObject => {
      if (byId.size === 0) return {};
      return { tool_calls: calls.map((call) => withContent(byId.get(call.id))) };
    },
  };
}

const withContent = (extra_content: Json | undefined): JsonObject =>
  extra_content === undefined ? {} : { extra_content };
