import type { Message, ToolMessage } from "./message.ts";
import { text } from "./message.ts";

/** The conversation as it is sent. It grows only at the tail; shortening it is an explicit act. */
export type History = {
  readonly messages: readonly Message[];
  readonly push: (message: Message) => void;
  /** Another conversation, or the same one compacted. */
  readonly replace: (messages: readonly Message[]) => void;
};

export function historyOf(messages: readonly Message[] = []): History {
  let all = repair(messages);
  return {
    get messages() {
      return all;
    },
    push: (message) => all.push(message),
    replace: (others) => {
      all = repair(others);
    },
  };
}

/** Makes any list of messages one that every provider accepts: each call answered once, right behind it. */
export function repair(messages: readonly Message[]): Message[] {
  const repaired: Message[] = [];
  messages.forEach((message, index) => {
    if (message.role === "tool" || isEmpty(message)) return;
    repaired.push(message);
    if (message.role !== "assistant") return;
    const results = resultsAfter(messages, index);
    for (const call of message.tool_calls) {
      repaired.push(results.get(call.id) ?? interrupted(call.id, call.name));
    }
  });
  return repaired;
}

/** The results between an assistant message and the next one; the first for each call counts. */
function resultsAfter(messages: readonly Message[], index: number): ReadonlyMap<string, ToolMessage> {
  const results = new Map<string, ToolMessage>();
  for (let at = index + 1; at < messages.length; at++) {
    const message = messages[at];
    if (message === undefined || message.role === "assistant") break;
    if (message.role === "tool" && !results.has(message.tool_call_id))
      results.set(message.tool_call_id, message);
  }
  return results;
}

const isEmpty = (message: Exclude<Message, ToolMessage>): boolean =>
  message.content.length === 0 && !(message.role === "assistant" && message.tool_calls.length > 0);

const interrupted = (callId: string, name: string): ToolMessage => ({
  role: "tool",
  tool_call_id: callId,
  name,
  content: [text('{"error":"Interrupted before a result was recorded; it may or may not have run"}')],
  is_error: true,
});
