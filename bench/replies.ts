/** `text`: one line. `time`, `shell` and `read`: that tool for `count` turns. `stream`: `count` deltas. */
export const KINDS = ["text", "time", "shell", "read", "stream"] as const;

/** What a run asks of the endpoint, as its address says it: `/<run>/<kind>/<count>/chat/completions`. */
export type Scenario = {
  readonly kind: (typeof KINDS)[number];
  readonly count: number;
};

/** The length of the stream that is measured. */
export const DELTAS = 20_000;

export const ANSWER = "Hello from the mock.";

/** A whole HTTP response, ready to be sent. `turn` counts from 1. */
export function replyTo({ kind, count }: Scenario, turn: number): Uint8Array {
  switch (kind) {
    case "text":
      return textReply();
    case "stream":
      return streamReply(count);
    case "time":
      return turn > count ? textReply() : callReply(turn, "time", "{}");
    case "shell":
      return turn > count ? textReply() : callReply(turn, "run_shell", SHELL_ARGUMENTS);
    case "read":
      return turn > count ? textReply() : callReply(turn, "read_file", JSON.stringify({ path: READ_FILE }));
  }
}

/** What `read` reads, in the directory of the run. */
export const READ_FILE = "read-me.txt";

const SHELL_ARGUMENTS = JSON.stringify({
  command: "true",
  risk: "low",
  mutation: false,
  privesc: false,
  why: "to measure",
});

function textReply(): Uint8Array {
  const deltas = ["Hello ", "from ", "the mock."].map((content) => event({ content }));
  return response([event({ role: "assistant", content: "" }), ...deltas, ...closing("stop")]);
}

function callReply(turn: number, name: string, args: string): Uint8Array {
  const call = { index: 0, id: `call_${turn}`, type: "function", function: { name, arguments: args } };
  return response([
    event({ role: "assistant", content: null, tool_calls: [call] }),
    ...closing("tool_calls"),
  ]);
}

const streams = new Map<number, Uint8Array>();

/** Kept once made: making it takes longer than sending it. */
function streamReply(count: number): Uint8Array {
  const known = streams.get(count);
  if (known) return known;
  const deltas = Array.from({ length: count }, (_, at) => event({ content: `word${at} ` }));
  const made = response([event({ role: "assistant", content: "" }), ...deltas, ...closing("stop")]);
  streams.set(count, made);
  return made;
}

const HEAD = { id: "chatcmpl-1", object: "chat.completion.chunk", created: 1_700_000_000, model: "mock" };

const event = (delta: object, finish_reason: string | null = null): string =>
  sse({ ...HEAD, choices: [{ index: 0, delta, finish_reason }] });

const closing = (finish_reason: string): readonly string[] => [
  event({}, finish_reason),
  sse({ ...HEAD, choices: [], usage: { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120 } }),
  "data: [DONE]\n\n",
];

const sse = (data: object): string => `data: ${JSON.stringify(data)}\n\n`;

/** One HTTP chunk for each event, as servers that stream do. */
function response(events: readonly string[]): Uint8Array {
  const chunks = events.map((text) => `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`);
  const head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n";
  return Buffer.from(`${head}${chunks.join("")}0\r\n\r\n`);
}
