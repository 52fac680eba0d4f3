import { type Json, jsonOf } from "./json.ts";
import type { Message, Part } from "./message.ts";
import type { Model } from "./ports/model.ts";
import type { Redact } from "./redact.ts";
import type { Vault } from "./secret-vault.ts";
import type { Tool, Toolset } from "./tool.ts";

/** A model that is sent placeholders instead of secrets. What it answers is left alone. */
export function hidingModel(model: Model, { hide }: Vault): Model {
  // The same message stays the same object, so that what was worked out for it is not worked out again.
  const hidden = new WeakMap<Message, Message>();
  const hiddenMessage = (message: Message): Message => {
    const known = hidden.get(message);
    if (known) return known;
    const made = messageWithout(message, hide);
    hidden.set(message, made);
    return made;
  };
  return {
    ...model,
    ask: (request, signal) =>
      model.ask(
        { ...request, system: hide(request.system), messages: request.messages.map(hiddenMessage) },
        signal,
      ),
  };
}

function messageWithout(message: Message, hide: Redact): Message {
  switch (message.role) {
    case "user":
      return { ...message, content: message.content.map((part) => partWithout(part, hide)) };
    case "tool":
      return {
        ...message,
        content: message.content.map((part) => partWithout(part, (text) => json(text, hide))),
      };
    case "assistant": {
      const tool_calls = message.tool_calls.map((call) => ({
        ...call,
        arguments: json(call.arguments, hide),
      }));
      return { ...message, content: hide(message.content), tool_calls };
    }
  }
}

const partWithout = (part: Part, hide: Redact): Part =>
  part.type === "text" ? { ...part, text: hide(part.text) } : part;

/** Inside JSON the texts are looked at as they are, not as they are escaped: what is put back must be the secret. */
function json(text: string, hide: Redact): string {
  try {
    const value = jsonOf(JSON.parse(text));
    const [before, after] = [JSON.stringify(value), JSON.stringify(withTexts(value, hide))];
    return before === after ? text : after;
  } catch {
    return hide(text); // no JSON: text like any other
  }
}

function withTexts(value: Json, change: (text: string) => string): Json {
  if (typeof value === "string") return change(value);
  if (typeof value !== "object" || value === null) return value;
  if (isList(value)) return value.map((inner) => withTexts(inner, change));
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, withTexts(inner, change)]));
}

/** Array.isArray does not narrow a list that is only for reading. */
const isList = (value: Json): value is readonly Json[] => Array.isArray(value);

/** Tools that get the secrets back, in those of their arguments that are commands or files of the target. */
export function restoringTools(tools: Toolset, { restore }: Vault): Toolset {
  const restoring = (tool: Tool): Tool => {
    const names = tool.restores ?? [];
    const restored = (args: unknown) =>
      Object.entries(Object(args)).map(([name, value]) => [
        name,
        names.includes(name) ? withTexts(jsonOf(value), restore) : value,
      ]);
    return { ...tool, prepare: (args) => tool.prepare(Object.fromEntries(restored(args))) };
  };
  return {
    ...tools,
    get: async (name) => {
      const tool = await tools.get(name);
      return tool?.restores ? restoring(tool) : tool;
    },
  };
}
