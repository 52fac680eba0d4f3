import type { Failure } from "../../core/failure.ts";
import { userMessage } from "../../core/message.ts";
import type { Host } from "../../core/ports/host.ts";
import type { ModelEvent, ModelRequest, Reply } from "../../core/ports/model.ts";
import { type Reply as Scripted, status } from "../fakes/endpoint.ts";
import { fakeHost } from "../fakes/host.ts";
import type { RawEndpoint } from "./raw-endpoint.ts";

// What the model contract does with a model: where it stands, what it is asked, what it said.

export type ModelPlace = {
  readonly url: string;
  readonly host: Host;
  readonly retries: number;
  readonly idleTimeoutMs: number;
  readonly stream: boolean;
};

export const STOP = new Error("the user said stop");

export type OnRawEvent = (event: ModelEvent, endpoint: RawEndpoint) => void;
export type Setup = Partial<Pick<ModelPlace, "retries" | "idleTimeoutMs" | "stream">>;
export type End = ModelEvent & { readonly type: "replied" | "failed" };

export type Said = {
  readonly text: string;
  readonly reasoning: string;
  /** Texts that were taken back. */
  readonly withdrawn: readonly string[];
  readonly notices: readonly string[];
  readonly retries: readonly (ModelEvent & { readonly type: "retrying" })[];
  readonly end: End;
};

export type Asked = Said & {
  readonly waits: readonly number[];
  readonly requests: number;
  readonly url: string;
};

export const NOTHING = { text: "", reasoning: "", withdrawn: [], notices: [], retries: [], waits: [] };

export const REQUEST: ModelRequest = {
  system: "be good",
  tools: [{ name: "time", description: "The time", parameters: { type: "object", properties: {} } }],
  messages: [userMessage("hello")],
};

export const replyOf = (content: string): Reply => ({
  message: { role: "assistant", content, tool_calls: [] },
  finish: "stop",
  usage: { input_tokens: 100, output_tokens: 20, cached_tokens: 0, reasoning_tokens: 0, total_tokens: 120 },
});

export const delta = (content: string): string =>
  `data: ${JSON.stringify({ choices: [{ delta: { content } }] })}\n\n`;

export const callDelta = (args: string): string => {
  const call = { index: 0, id: "c", function: { name: "read_file", arguments: args } };
  return `data: ${JSON.stringify({ choices: [{ delta: { tool_calls: [call] } }] })}\n\n`;
};

export const STOPPED = [
  delta("late"),
  'data: {"choices":[{"delta":{},"finish_reason":"stop"}]}\n\n',
  "data: [DONE]\n\n",
];

export const whole = (contentType: string, body: string): Scripted => ({
  type: "raw",
  contentType,
  chunks: [body],
});

/** The last reply of a script again and again: storms, and retries that do not help. */
export const repeatLast = (script: readonly Scripted[]) => (_: unknown, index: number) =>
  script[Math.min(index, script.length - 1)] ?? status(418, "the script is empty");

/** Time that passes at once, and the waits that were asked for. */
export function patientHost(): { readonly host: Host; readonly waits: readonly number[] } {
  const waits: number[] = [];
  const host: Host = {
    ...fakeHost(),
    wait: async (ms, signal) => {
      signal.throwIfAborted();
      waits.push(ms);
    },
  };
  return { host, waits };
}

/** Gathers a turn and checks on the way that exactly one closing event comes, and comes last. */
export async function collect(
  events: AsyncIterable<ModelEvent>,
  onEvent: (event: ModelEvent) => void = () => {},
): Promise<Said> {
  const withdrawn: string[] = [];
  const notices: string[] = [];
  const retries: (ModelEvent & { type: "retrying" })[] = [];
  let [text, reasoning] = ["", ""];
  let end: End | undefined;
  for await (const event of events) {
    if (end !== undefined) throw new Error(`${event.type} came after the closing event ${end.type}`);
    onEvent(event);
    switch (event.type) {
      case "text_delta":
        text += event.text;
        break;
      case "reasoning_delta":
        reasoning += event.text;
        break;
      case "withdrawn":
        withdrawn.push(text);
        text = "";
        break;
      case "notice":
        notices.push(event.text);
        break;
      case "retrying":
        retries.push(event);
        break;
      default:
        end = event;
    }
  }
  if (end === undefined) throw new Error("The turn ended without a closing event");
  return { text, reasoning, withdrawn, notices, retries, end };
}

export function failureOf({ end }: { readonly end: End }): Failure {
  if (end.type === "replied") throw new Error(`The turn did not fail: ${JSON.stringify(end.reply)}`);
  return end.failure;
}

export async function thrownBy(
  events: AsyncIterable<ModelEvent>,
  onEvent: (event: ModelEvent) => void = () => {},
): Promise<unknown> {
  try {
    for await (const event of events) onEvent(event);
    return "nothing was thrown";
  } catch (error) {
    return error;
  }
}
