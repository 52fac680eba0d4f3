import { isFields, textAt } from "../../core/lenient.ts";
import type { Message } from "../../core/message.ts";
import type { ModelRequest, Reply } from "../../core/ports/model.ts";
import { err, ok, type Result } from "../../core/result.ts";
import { oneLine } from "../../core/sanitize.ts";

/** A wire protocol: translation only. It knows no address, no key and no clock. */
export type Protocol = {
  readonly name: string;
  /** Behind the profile's base address. */
  readonly path: string;
  readonly authHeaders: (key: string) => Readonly<Record<string, string>>;
  readonly body: (request: ModelRequest, options: RequestOptions) => string;
  readonly newReader: () => ReplyReader;
};

export type RequestOptions = {
  readonly model: string;
  readonly stream: boolean;
  /** Ask for usage at the end of a stream; some servers reject the question. */
  readonly streamUsage: boolean;
  readonly maxOutputTokens: number;
  readonly temperature: number | undefined;
  readonly topP: number | undefined;
};

/** Reads one response, streamed or whole, piece by piece. */
export type ReplyReader = {
  /** One server-sent event. */
  readonly event: (data: string) => Result<void, Broken>;
  /** A response that came as one JSON document. */
  readonly whole: (body: unknown) => Result<void, Broken>;
  /** What the stream added since the last call. */
  readonly takeDeltas: () => { readonly text: string; readonly reasoning: string };
  /** The response is over: what it amounts to. `notice` is for the user. */
  readonly end: () => Result<{ readonly reply: Reply; readonly notice?: string }, Broken>;
};

/** Why a response cannot be used. */
export type Broken = { readonly detail: string; readonly retryable: boolean };

/** Each message is turned into JSON once: turns must not get slower as the conversation grows. */
export function cachedJson(wireMessage: (message: Message) => unknown): (message: Message) => string {
  const cache = new WeakMap<Message, string>();
  return (message) => {
    const known = cache.get(message);
    if (known !== undefined) return known;
    const json = JSON.stringify(wireMessage(message));
    cache.set(message, json);
    return json;
  };
}

export const invalid = (why: string): Broken => ({ detail: `invalid response: ${why}`, retryable: false });

export function parseJson(text: string): Result<unknown, Broken> {
  try {
    return ok(JSON.parse(text));
  } catch {
    return err({ detail: `invalid response: not JSON: ${oneLine(text, 80)}`, retryable: true });
  }
}

/** An error that the provider reports inside a response. */
export function reportedError(error: unknown): Broken {
  const fields = isFields(error) ? error : {};
  const kind = textAt(fields, "type") || textAt(fields, "code");
  const message = textAt(fields, "message") || (typeof error === "string" ? error : kind) || "unknown error";
  return {
    detail: oneLine(message, 300),
    retryable: /overload|rate_limit|server_error|timeout|unavailable/i.test(kind),
  };
}
