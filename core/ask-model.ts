import type { Event } from "./event.ts";
import type { Failure } from "./failure.ts";
import type { AssistantMessage } from "./message.ts";
import type { Model, ModelRequest, Reply } from "./ports/model.ts";
import { unreachable } from "./result.ts";

/** Streams one reply as events. A failure is returned, never thrown. */
export async function* askModel(
  model: Model,
  request: ModelRequest,
  signal: AbortSignal,
): AsyncGenerator<Event, Reply | Failure> {
  for await (const event of model.ask(request, signal)) {
    switch (event.type) {
      case "text_delta":
      case "reasoning_delta":
        yield { family: "model", type: event.type, text: event.text };
        break;
      case "withdrawn":
        yield { family: "model", type: "delta_withdrawn" };
        break;
      case "notice":
        yield { family: "warning", type: "warning", code: "model_notice", message: event.text };
        break;
      case "retrying":
        yield { family: "model", ...event };
        break;
      case "replied":
        return event.reply;
      case "failed":
        return event.failure;
      default:
        unreachable(event);
    }
  }
  throw new Error("Model port ended without a closing event");
}

const LONGEST_ID = 256;

/** Ids tie results to calls: one that is empty, endless, unprintable or already used is replaced. */
export function withUsableIds(message: AssistantMessage, seen: Set<string>, turn: number): AssistantMessage {
  const usable = message.tool_calls.map(({ id }) => {
    const fits = /^[\x21-\x7e]+$/.test(id) && id.length <= LONGEST_ID && !seen.has(id);
    if (fits) seen.add(id);
    return fits;
  });
  if (usable.every((fits) => fits)) return message;
  const calls = message.tool_calls.map((call, index) =>
    usable[index] ? call : { ...call, id: freshId(`call_${turn}_${index}`, seen) },
  );
  return { ...message, tool_calls: calls };
}

function freshId(wanted: string, seen: Set<string>): string {
  let id = wanted;
  for (let copy = 2; seen.has(id); copy++) id = `${wanted}_${copy}`;
  seen.add(id);
  return id;
}
