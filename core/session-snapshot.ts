import { type EntryId, entryId } from "./id.ts";
import { type Fields, fieldsAt, isFields, listAt, textAt } from "./lenient.ts";
import { type Message, type Part, type ToolCall, text } from "./message.ts";
import { err, ok, type Result } from "./result.ts";
import type { Entry } from "./session.ts";
import type { UnreadableSession } from "./session-tree.ts";

/** What a session file of earlier versions held: the whole conversation as one object. */
export type Snapshot = {
  /** The id it says it has. */
  readonly id: string | undefined;
  readonly updatedMs: number;
  readonly messages: readonly Message[];
  readonly warnings: readonly string[];
};

const NEWEST_SNAPSHOT = 1;

/** Read leniently, because there were several writers of these. */
export function readSnapshot(raw: string): Result<Snapshot, UnreadableSession> {
  const value = parsed(raw.replace(/^\ufeff/, ""));
  if (!isFields(value)) return unreadable("it is not a snapshot of a session");
  const version = value.version ?? value.schema;
  if (typeof version === "number" && version > NEWEST_SNAPSHOT) {
    return err({ kind: "newer", detail: `it was made by a newer buddy (format ${version})` });
  }
  const found = fieldsAt(value, "state")?.messages ?? value.messages;
  if (!Array.isArray(found)) return unreadable("it holds no list of messages");
  const messages: Message[] = [];
  const warnings: string[] = [];
  const names = new Map<string, string>();
  found.forEach((each: unknown, index) => {
    if (isFields(each) && (each.role === "system" || each.role === "developer")) return;
    const message = isFields(each) ? messageOf(each, names) : undefined;
    if (message) messages.push(message);
    else warnings.push(`Message ${index + 1} of the snapshot is damaged and is left out`);
  });
  const id = value.id;
  return ok({
    id: typeof id === "string" ? id : undefined,
    updatedMs: numberOf(value.updated_at_millis) ?? numberOf(value.updated_ms) ?? 0,
    messages,
    warnings,
  });
}

/** Its messages as the entries of a new session. */
export function snapshotEntries({ messages, updatedMs }: Snapshot): readonly Entry[] {
  return messages.map((message, index) => ({
    id: entryId(index),
    parentId: before(index),
    ts: updatedMs,
    type: "message",
    ...message,
  }));
}

const before = (index: number): EntryId | null => (index === 0 ? null : entryId(index - 1));

const unreadable = (detail: string) => err({ kind: "corrupt", detail } as const);

const numberOf = (value: unknown): number | undefined =>
  typeof value === "number" && Number.isSafeInteger(value) ? value : undefined;

function messageOf(fields: Fields, names: Map<string, string>): Message | undefined {
  switch (fields.role) {
    case "user":
      return { role: "user", content: partsOf(fields.content) };
    case "assistant": {
      const calls = listAt(fields, "tool_calls").flatMap(callOf);
      for (const { id, name } of calls) names.set(id, name);
      const content = partsOf(fields.content)
        .map((part) => (part.type === "text" ? part.text : ""))
        .join("");
      return { role: "assistant", content, tool_calls: calls };
    }
    case "tool": {
      const callId = textAt(fields, "tool_call_id");
      const name = textAt(fields, "name") || (names.get(callId) ?? "");
      const content = partsOf(fields.content);
      return { role: "tool", tool_call_id: callId, name, content, is_error: fields.is_error === true };
    }
    default:
      return undefined;
  }
}

function callOf(value: unknown): readonly ToolCall[] {
  if (!isFields(value)) return [];
  const inner = fieldsAt(value, "function") ?? value;
  const { arguments: given } = inner;
  const id = textAt(value, "id");
  const name = textAt(inner, "name");
  if (id === "" || name === "") return [];
  return [{ id, name, arguments: typeof given === "string" ? given : JSON.stringify(given ?? {}) }];
}

function partsOf(content: unknown): readonly Part[] {
  if (typeof content === "string") return content === "" ? [] : [text(content)];
  if (!Array.isArray(content)) return [];
  return content.flatMap((part: unknown) => (isFields(part) ? partOf(part) : []));
}

function partOf(part: Fields): readonly Part[] {
  const said = textAt(part, "text");
  if (said !== "") return [text(said)];
  const [media, data] = [textAt(part, "media_type"), textAt(part, "data")];
  if (media !== "" && data !== "") return [{ type: "image", media_type: media, data }];
  const url = /^data:(image\/[a-z+.-]+);base64,(.+)$/.exec(textAt(fieldsAt(part, "image_url") ?? {}, "url"));
  return url?.[1] && url[2] ? [{ type: "image", media_type: url[1], data: url[2] }] : [];
}

function parsed(raw: string): unknown {
  try {
    return JSON.parse(raw);
  } catch {
    return undefined; // damaged; the caller says so
  }
}
