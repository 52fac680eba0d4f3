import * as v from "valibot";
import type { ReceivedRequest } from "../fakes/endpoint.ts";

const body = v.object({ messages: v.array(v.looseObject({ role: v.string(), content: v.unknown() })) });

/** What the model was told of its calls, in order, as the text it got. */
export function resultsSent(requests: readonly ReceivedRequest[]): readonly string[] {
  const last = v.parse(body, requests.at(-1)?.body);
  return last.messages
    .filter(({ role }) => role === "tool")
    .map(({ content }) => (typeof content === "string" ? content : JSON.stringify(content)));
}
