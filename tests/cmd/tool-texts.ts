import { isFields } from "../../core/lenient.ts";
import type { ReceivedRequest } from "../fakes/endpoint.ts";

/** What the tools answered, in order, as the model was told in the last request. */
export function toolTexts(requests: readonly ReceivedRequest[]): readonly string[] {
  const { body } = requests.at(-1) ?? {};
  const messages: readonly unknown[] = isFields(body) && Array.isArray(body.messages) ? body.messages : [];
  return messages.flatMap((message) =>
    isFields(message) && message.role === "tool" ? [JSON.stringify(message.content)] : [],
  );
}
