// What an endpoint answers, in words that belong to no protocol.

/** `paceMs`: the pause before each streamed piece, for a reply that should look alive. */
export type Reply = { readonly paceMs?: number } & (
  | SpokenBody
  | { readonly type: "refusal"; readonly status: number; readonly message: string }
  | {
      readonly type: "status";
      readonly status: number;
      readonly body: string;
      readonly headers?: Record<string, string>;
    }
  | {
      readonly type: "raw";
      readonly contentType: string;
      readonly chunks: readonly (string | Uint8Array)[];
      readonly end?: RawEnd;
    }
);

/** A reply in which the model says or does something. */
export type Spoken = { readonly paceMs?: number } & SpokenBody;

type SpokenBody = {
  readonly reasoning?: Reasoning;
  /** What the request is said to have taken; 100 unless told. */
  readonly inputTokens?: number;
} & (
  | { readonly type: "text"; readonly text: string; readonly pieces?: number }
  | { readonly type: "calls"; readonly calls: readonly ScriptedCall[]; readonly text?: string }
);

/** `token` is what only the provider can read: encrypted content, a signature. */
export type Reasoning = { readonly text: string; readonly token: string };

/** How a raw response ends: in good order, by a reset, or never. */
export type RawEnd = "close" | "reset" | "stall";

export type ScriptedCall = {
  readonly id?: string;
  readonly name: string;
  readonly arguments: string | object;
};

export const says = (text: string, pieces = 3): Spoken => ({ type: "text", text, pieces });

export const calls = (...list: readonly ScriptedCall[]): Spoken => ({ type: "calls", calls: list });

export const saysAndCalls = (text: string, ...list: readonly ScriptedCall[]): Spoken => ({
  type: "calls",
  calls: list,
  text,
});

/** Thinks before it replies. Paragraphs are the parts of a summary where the protocol has such. */
export const thinks = (text: string, token: string, reply: Spoken): Spoken => ({
  ...reply,
  reasoning: { text, token },
});

/** An error in the form of the protocol that was asked in. */
export const refuses = (status: number, message: string): Reply => ({ type: "refusal", status, message });

export const status = (code: number, body = "", headers: Record<string, string> = {}): Reply => ({
  type: "status",
  status: code,
  body,
  headers,
});

export const raw = (chunks: readonly (string | Uint8Array)[], end: RawEnd = "close"): Reply => ({
  type: "raw",
  contentType: "text/event-stream",
  chunks,
  end,
});

export const shell = (command: string, more: object = {}): ScriptedCall => ({
  name: "run_shell",
  arguments: { command, risk: "low", mutation: false, privesc: false, why: "test", ...more },
});

/** A spoken reply with everything decided that a wire form needs. */
export type Turn = {
  /** The first request is 1. */
  readonly number: number;
  readonly model: string;
  readonly text: string;
  readonly textPieces: readonly string[];
  readonly reasoning: Reasoning | undefined;
  readonly calls: readonly { readonly id: string; readonly name: string; readonly arguments: string }[];
  readonly usage: TurnUsage;
};

type TurnUsage = {
  readonly input: number;
  readonly output: number;
  readonly cached: number;
  readonly reasoning: number;
};

export function turnOf(reply: Spoken, number: number, model: string): Turn {
  const { text = "", reasoning } = reply;
  const scripted = reply.type === "calls" ? reply.calls : [];
  return {
    number,
    model,
    text,
    textPieces: piecesOf(text, reply.type === "text" ? (reply.pieces ?? 1) : 1),
    reasoning,
    calls: scripted.map((call, at) => ({
      id: call.id ?? `call_${number}_${at}`,
      name: call.name,
      arguments: typeof call.arguments === "string" ? call.arguments : JSON.stringify(call.arguments),
    })),
    usage: {
      input: reply.inputTokens ?? 100,
      output: 20,
      cached: reasoning ? 40 : 0,
      reasoning: reasoning ? 5 : 0,
    },
  };
}

/** At most `count` pieces of about the same length; no character is cut in two. */
export function piecesOf(text: string, count: number): readonly string[] {
  const characters = Array.from(text);
  const size = Math.max(1, Math.ceil(characters.length / count));
  return Array.from({ length: Math.ceil(characters.length / size) }, (_, at) =>
    characters.slice(at * size, (at + 1) * size).join(""),
  );
}

/** One server-sent event; chat completions have no names for theirs. */
export const sse = (data: object | string, name?: string): string =>
  `${name === undefined ? "" : `event: ${name}\n`}data: ${typeof data === "string" ? data : JSON.stringify(data)}\n\n`;
