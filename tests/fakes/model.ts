import type { Failure } from "../../core/failure.ts";
import type { AssistantMessage, ToolCall, Usage } from "../../core/message.ts";
import type { FinishReason, Model, ModelEvent, ModelRequest } from "../../core/ports/model.ts";

/** One model turn: what it streams, or a stream made on the spot. */
export type ScriptedTurn =
  | readonly ModelEvent[]
  | ((request: ModelRequest, signal: AbortSignal) => AsyncIterable<ModelEvent>);

export type ScriptedModel = {
  readonly model: Model;
  /** What was asked, as it was when it was asked. */
  readonly requests: readonly ModelRequest[];
};

/** Answers turn by turn; a request past the end of the script is a bug in the test or the loop, and throws. */
export function scriptedModel(...script: readonly ScriptedTurn[]): ScriptedModel {
  const requests: ModelRequest[] = [];
  async function* ask(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelEvent> {
    signal.throwIfAborted();
    requests.push({ ...request, messages: [...request.messages] });
    const turn = script[requests.length - 1];
    if (turn === undefined) throw new Error(`The model script has no turn ${requests.length}`);
    if (typeof turn === "function") return yield* turn(request, signal);
    for (const event of turn) {
      signal.throwIfAborted();
      yield event;
    }
  }
  return { model: { profile: "test", model: "scripted-1", ask }, requests };
}

export const USAGE: Usage = {
  input_tokens: 100,
  output_tokens: 20,
  cached_tokens: 10,
  reasoning_tokens: 5,
  total_tokens: 120,
};

type ReplyMore = {
  readonly content?: string;
  readonly reasoning?: string;
  readonly calls?: readonly ToolCall[];
  readonly finish?: FinishReason;
  readonly usage?: Usage;
};

/** A whole reply without deltas. */
export function replies({ content = "", reasoning, calls = [], finish, usage }: ReplyMore): ScriptedTurn {
  const message = assistant(content, calls, reasoning);
  const reason = finish ?? (calls.length > 0 ? "tool_calls" : "stop");
  return [{ type: "replied", reply: { message, finish: reason, ...(usage ? { usage } : {}) } }];
}

/** A text answer that arrives in two pieces. */
export function says(content: string): ScriptedTurn {
  const half = Math.ceil(content.length / 2);
  const deltas = [content.slice(0, half), content.slice(half)].filter((piece) => piece !== "");
  return [
    ...deltas.map((piece): ModelEvent => ({ type: "text_delta", text: piece })),
    { type: "replied", reply: { message: assistant(content), finish: "stop", usage: USAGE } },
  ];
}

/** One call with id `c1`. */
export const asksFor = (name: string, args: object | string): ScriptedTurn =>
  asksForAll(call("c1", name, args));

export const asksForAll = (...calls: readonly ToolCall[]): ScriptedTurn => replies({ calls });

export const fails = (failure: Failure): ScriptedTurn => [{ type: "failed", failure }];

/** Streams what is given, then says nothing until it is aborted. `reached` runs when there is no more to say. */
export function hangs(reached: () => void, ...before: readonly ModelEvent[]): ScriptedTurn {
  return async function* (_request, signal) {
    yield* before;
    signal.throwIfAborted();
    await new Promise<never>((_resolve, reject) => {
      signal.addEventListener("abort", () => reject(signal.reason), { once: true });
      reached();
    });
  };
}

export const call = (id: string, name: string, args: object | string = {}): ToolCall => ({
  id,
  name,
  arguments: typeof args === "string" ? args : JSON.stringify(args),
});

export const assistant = (
  content: string,
  calls: readonly ToolCall[] = [],
  reasoning?: string,
): AssistantMessage => ({
  role: "assistant",
  content,
  ...(reasoning === undefined ? {} : { reasoning }),
  tool_calls: calls,
});
