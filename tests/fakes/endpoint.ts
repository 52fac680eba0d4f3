// A model endpoint on loopback that speaks chat completions by script. Written from the public protocol documentation.

/** `paceMs`: the pause before each streamed piece, for a reply that should look alive. */
export type Reply = { readonly paceMs?: number } & ReplyBody;

type ReplyBody =
  | { readonly type: "text"; readonly text: string; readonly pieces?: number }
  | { readonly type: "calls"; readonly calls: readonly ScriptedCall[]; readonly text?: string }
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
    };

/** How a raw response ends: in good order, by a reset, or never. */
export type RawEnd = "close" | "reset" | "stall";

export type ScriptedCall = {
  readonly id?: string;
  readonly name: string;
  readonly arguments: string | object;
};

export type ReceivedRequest = {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
};

export type Endpoint = {
  readonly url: string;
  readonly requests: readonly ReceivedRequest[];
  readonly stop: () => Promise<void>;
};

export const says = (text: string, pieces = 3): Reply => ({ type: "text", text, pieces });
export const calls = (...list: readonly ScriptedCall[]): Reply => ({ type: "calls", calls: list });
export const saysAndCalls = (text: string, ...list: readonly ScriptedCall[]): Reply => ({
  type: "calls",
  calls: list,
  text,
});
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

/** Replies in order; a request past the end of the script is answered by an error that says so. */
export function startEndpoint(
  script: readonly Reply[] | ((request: ReceivedRequest, index: number) => Reply),
): Endpoint {
  const requests: ReceivedRequest[] = [];
  const replyTo =
    typeof script === "function" ? script : (_: ReceivedRequest, index: number) => script[index];
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    idleTimeout: 60,
    fetch: async (request) => {
      const text = await request.text();
      const received = {
        path: new URL(request.url).pathname,
        headers: Object.fromEntries(request.headers),
        body: text === "" ? undefined : JSON.parse(text),
      };
      requests.push(received);
      const reply = replyTo(received, requests.length - 1);
      if (!reply) return new Response(`the script has no reply ${requests.length}`, { status: 418 });
      return respond(reply, requests.length, received);
    },
  });
  return { url: `http://127.0.0.1:${server.port}/v1`, requests, stop: () => server.stop(true) };
}

function respond(reply: Reply, index: number, request: ReceivedRequest): Response {
  if (reply.type === "status")
    return new Response(reply.body, { status: reply.status, headers: reply.headers ?? {} });
  if (reply.type === "raw") return rawResponse(reply);
  const streamed =
    typeof request.body === "object" &&
    request.body !== null &&
    "stream" in request.body &&
    request.body.stream;
  if (!streamed) return Response.json(wholeBody(reply, index));
  const body = streamBody(reply, index);
  return new Response(reply.paceMs ? paced(body, reply.paceMs) : body, {
    headers: { "content-type": "text/event-stream" },
  });
}

function paced(body: string, paceMs: number): ReadableStream<Uint8Array> {
  return new ReadableStream({
    async start(controller) {
      for (const event of body.split(/(?<=\n\n)/)) {
        await Bun.sleep(paceMs);
        controller.enqueue(new TextEncoder().encode(event));
      }
      controller.close();
    },
  });
}

function rawResponse(reply: Reply & { type: "raw" }): Response {
  const encoder = new TextEncoder();
  const body = new ReadableStream<Uint8Array>({
    async start(controller) {
      for (const chunk of reply.chunks) {
        controller.enqueue(typeof chunk === "string" ? encoder.encode(chunk) : chunk);
        await Bun.sleep(0);
      }
      if (reply.end === "stall") return;
      if (reply.end === "reset") controller.error(new Error("reset"));
      else controller.close();
    },
  });
  return new Response(body, { headers: { "content-type": reply.contentType } });
}

const USAGE = { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120 };

function wireCalls(reply: Reply & { type: "calls" }, index: number) {
  return reply.calls.map((call, at) => ({
    id: call.id ?? `call_${index}_${at}`,
    type: "function",
    function: {
      name: call.name,
      arguments: typeof call.arguments === "string" ? call.arguments : JSON.stringify(call.arguments),
    },
  }));
}

function wholeBody(reply: Reply & { type: "text" | "calls" }, index: number): object {
  const message =
    reply.type === "text"
      ? { role: "assistant", content: reply.text }
      : { role: "assistant", content: reply.text ?? null, tool_calls: wireCalls(reply, index) };
  const finish_reason = reply.type === "text" ? "stop" : "tool_calls";
  return {
    id: `chatcmpl-${index}`,
    object: "chat.completion",
    created: 1_700_000_000,
    model: "mock",
    choices: [{ index: 0, message, finish_reason, logprobs: null }],
    usage: USAGE,
  };
}

function streamBody(reply: Reply & { type: "text" | "calls" }, index: number): string {
  const chunk = (delta: object, finish_reason: string | null = null) =>
    `data: ${JSON.stringify({
      id: `chatcmpl-${index}`,
      object: "chat.completion.chunk",
      created: 1_700_000_000,
      model: "mock",
      choices: [{ index: 0, delta, finish_reason }],
    })}\n\n`;
  const deltas =
    reply.type === "text"
      ? pieces(reply.text, reply.pieces ?? 1).map((content) => chunk({ content }))
      : [
          ...(reply.text ? [chunk({ content: reply.text })] : []),
          ...wireCalls(reply, index).map((call, at) => chunk({ tool_calls: [{ index: at, ...call }] })),
        ];
  const usage = {
    id: `chatcmpl-${index}`,
    object: "chat.completion.chunk",
    created: 1_700_000_000,
    model: "mock",
    choices: [],
    usage: USAGE,
  };
  return [
    chunk({ role: "assistant", content: "" }),
    ...deltas,
    chunk({}, reply.type === "text" ? "stop" : "tool_calls"),
    `data: ${JSON.stringify(usage)}\n\n`,
    "data: [DONE]\n\n",
  ].join("");
}

function pieces(text: string, count: number): readonly string[] {
  const size = Math.max(1, Math.ceil(text.length / count));
  return Array.from({ length: Math.ceil(text.length / size) }, (_, at) =>
    text.slice(at * size, (at + 1) * size),
  );
}
