import type { ModelFacts } from "../../core/catalogue.ts";
import type { Profile } from "../../core/config/schema.ts";
import { type JsonObject, jsonOf } from "../../core/json.ts";
import { type Fields, isFields, textAt } from "../../core/lenient.ts";
import type { Extra } from "../../core/message.ts";
import type { ModelRequest, Reply } from "../../core/ports/model.ts";
import { err, ok, type Result } from "../../core/result.ts";
import { oneLine } from "../../core/sanitize.ts";
import { isRetriedStatus } from "./retry.ts";

/** A wire protocol: translation only. It knows no address, no key and no clock. */
export type Protocol = {
  readonly name: ProtocolName;
  /** Behind the profile's base address. */
  readonly path: string;
  readonly headers: (credential: Credential) => Readonly<Record<string, string>>;
  /** Valid until the next body is asked for. */
  readonly body: (request: ModelRequest, options: RequestOptions) => Uint8Array<ArrayBuffer>;
  /** `origin` marks the provider-private fields of the reply, so that they go back only to where they came from. */
  readonly newReader: (origin: string) => ReplyReader;
};

export type ProtocolName = Profile["api"];

/** Who asks. */
export type Credential =
  | { readonly type: "none" }
  | { readonly type: "key"; readonly key: string }
  | { readonly type: "login"; readonly token: string; readonly accountId: string };

export type RequestOptions = {
  readonly model: string;
  readonly origin: string;
  readonly stream: boolean;
  /** Ask for usage at the end of a stream; some servers reject the question. */
  readonly streamUsage: boolean;
  /** 0: the provider's default, where it has one. */
  readonly maxOutputTokens: number;
  readonly temperature: number | undefined;
  readonly topP: number | undefined;
  readonly thinking: Profile["thinking"];
  readonly facts: ModelFacts;
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

/** Every delta that is taken returns this one value. */
export const TAKEN = ok(undefined);

export const bearerHeaders = (credential: Credential): Readonly<Record<string, string>> => {
  switch (credential.type) {
    case "none":
      return {};
    case "key":
      return { authorization: `Bearer ${credential.key}` };
    case "login":
      return { authorization: `Bearer ${credential.token}`, "chatgpt-account-id": credential.accountId };
  }
};

export const invalid = (why: string): Broken => ({ detail: `invalid response: ${why}`, retryable: false });

export function parseJson(text: string): Result<unknown, Broken> {
  try {
    return ok(JSON.parse(text));
  } catch {
    return err({ detail: `invalid response: not JSON: ${oneLine(text, 80)}`, retryable: true });
  }
}

/** Fields that came out of JSON.parse, as what they are. */
export const jsonFields = (fields: Fields): JsonObject =>
  Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, jsonOf(value)]));

/** An error that the provider reports inside a response. */
export function reportedError(error: unknown): Broken {
  const fields = isFields(error) ? error : {};
  const kind = `${textAt(fields, "type")} ${textAt(fields, "code")}`.trim();
  const message = textAt(fields, "message") || (typeof error === "string" ? error : kind) || "unknown error";
  return {
    detail: oneLine(message, 300),
    retryable: PASSING.test(kind) || (typeof fields.code === "number" && isRetriedStatus(fields.code)),
  };
}

/** What goes by, in the words of the vendors. `api_error` is what Anthropic says of itself with status 500. */
const PASSING = /overload|rate_limit|server_error|api_error|timeout|unavailable/i;

/** Where calls are not wanted, tools are best not mentioned: many servers know no other way to forbid them. */
export const offersTools = ({ tools, toolUse }: ModelRequest): boolean =>
  tools.length > 0 && toolUse !== "none";

/** The private fields of a message, if they came from where the request goes. */
export const privateFields = (extra: Extra | undefined, origin: string): JsonObject | undefined =>
  extra?.origin === origin ? extra.fields : undefined;

/** The text and the reasoning of a response, as they stream in. Pieces are joined once per look, not one by one. */
export function deltaBuffer() {
  let text: string[] = [];
  let reasoning: string[] = [];
  const seen = { text: [""], reasoning: [""] };
  const take = () => {
    const taken = { text: text.join(""), reasoning: reasoning.join("") };
    if (taken.text !== "") seen.text.push(taken.text);
    if (taken.reasoning !== "") seen.reasoning.push(taken.reasoning);
    if (text.length > 0) text = [];
    if (reasoning.length > 0) reasoning = [];
    return taken;
  };
  return {
    addText: (piece: string): void => {
      text.push(piece);
    },
    addReasoning: (piece: string): void => {
      if (piece !== "") reasoning.push(piece);
    },
    /** Whether there was any reasoning so far. */
    hasReasoning: () => reasoning.length > 0 || seen.reasoning.length > 1,
    /** What came since the last look. */
    take,
    /** Everything, once no more comes. */
    all: () => {
      take();
      return { text: seen.text.join(""), reasoning: seen.reasoning.join("") };
    },
  };
}
