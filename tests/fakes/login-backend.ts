// The backend that logins are for, on loopback: the responses protocol, streamed. Written from its public documentation.

export type BackendRequest = {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
};

export type Backend = AsyncDisposable & {
  readonly url: string;
  readonly requests: readonly BackendRequest[];
};

export type BackendReply = Response | readonly object[];

/** What the response has in its list: the last item of `says` is the answer. */
export const says = (text: string): readonly object[] => [
  { type: "message", role: "assistant", content: [{ type: "output_text", text }] },
];

/** A call with the encrypted thoughts that led to it. */
export const calls = (call_id: string, name: string, args: object): readonly object[] => [
  { type: "reasoning", id: "rs_1", summary: [], encrypted_content: "gAAAA-sealed" },
  { type: "function_call", id: "fc_1", call_id, name, arguments: JSON.stringify(args), status: "completed" },
];

/** Replies in order; a request past the end of the script is answered by an error that says so. */
export function startBackend(
  script: readonly BackendReply[] | ((request: BackendRequest, index: number) => BackendReply),
): Backend {
  const requests: BackendRequest[] = [];
  const replyTo = typeof script === "function" ? script : (_: BackendRequest, index: number) => script[index];
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: async (request) => {
      const received = {
        path: new URL(request.url).pathname,
        headers: Object.fromEntries(request.headers),
        body: await request.json(),
      };
      requests.push(received);
      const reply = replyTo(received, requests.length - 1);
      if (reply === undefined) return new Response(`no reply ${requests.length}`, { status: 418 });
      return reply instanceof Response ? reply : streamOf(reply);
    },
  });
  return {
    url: `http://127.0.0.1:${server.port}/backend`,
    requests,
    [Symbol.asyncDispose]: () => server.stop(true),
  };
}

function streamOf(output: readonly object[]): Response {
  const usage = { input_tokens: 100, output_tokens: 20, total_tokens: 120 };
  const events = [
    ...output.map((item) => ({ type: "response.output_item.done", item })),
    { type: "response.completed", response: { status: "completed", output, usage } },
  ];
  const body = events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join("");
  return new Response(body, { headers: { "content-type": "text/event-stream" } });
}
