// A model endpoint on loopback that answers by script, in the protocol it is asked in. Written from the public
// documentation of chat completions, responses and Anthropic's messages.
import { isFields, textAt } from "../../core/lenient.ts";
import { modelList } from "./model-list.ts";
import { type Reply, type Spoken, type Turn, turnOf } from "./script.ts";
import { privateProblems } from "./strict-private.ts";
import { WIRES, type Wire, wireAt } from "./wire.ts";

export {
  calls,
  type RawEnd,
  type Reply,
  raw,
  refuses,
  type ScriptedCall,
  type Spoken,
  says,
  saysAndCalls,
  shell,
  status,
  thinks,
} from "./script.ts";

export type ReceivedRequest = {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
};

export type Endpoint = {
  /** The base address of chat completions and responses. */
  readonly url: string;
  /** The base address of Anthropic's messages. */
  readonly root: string;
  readonly requests: readonly ReceivedRequest[];
  readonly stop: () => Promise<void>;
};

export type EndpointOptions = {
  /** The endpoint is one conversation: what it thought must come back to it, and nothing that others thought. */
  readonly strictPrivate?: boolean;
  /** What it offers when asked for its models. */
  readonly models?: readonly string[];
};

/**
 * Replies in order; a request past the end of the script is answered by an error that says so, and one that a strict
 * server would refuse by 400 with everything that is wrong with it. Lists of models are no part of
 * the script unless it has a status or raw bytes in their place.
 */
export function startEndpoint(
  script: readonly Reply[] | ((request: ReceivedRequest, index: number) => Reply),
  { strictPrivate = false, models = ["mock", "mock-large"] }: EndpointOptions = {},
): Endpoint {
  const requests: ReceivedRequest[] = [];
  const turns: Turn[] = [];
  let asked = 0;
  const replyTo =
    typeof script === "function" ? script : (_: ReceivedRequest, index: number) => script[index];

  const answer = (received: ReceivedRequest): Response => {
    const number = ++asked;
    const reply = replyTo(received, number - 1);
    const known = wireAt(received.path);
    const wire = known ?? WIRES.completions;
    const wrong = known ? problemsOf(known, received, strictPrivate ? turns : undefined) : [];
    if (wrong.length > 0) return refusal(wire, 400, wrong.join("; "));
    if (!reply) return new Response(`the script has no reply ${number}`, { status: 418 });
    switch (reply.type) {
      case "status":
        return new Response(reply.body, { status: reply.status, headers: reply.headers ?? {} });
      case "raw":
        return rawResponse(reply);
      case "refusal":
        return refusal(wire, reply.status, reply.message);
      default: {
        const body = isFields(received.body) ? received.body : {};
        const turn = turnOf(reply, number, textAt(body, "model") || "mock");
        turns.push(turn);
        return spoken(wire, turn, reply, body.stream === true);
      }
    }
  };

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
      const listed = request.method === "GET" && received.path.endsWith("/models");
      return listed && !isScripted(script, asked)
        ? Response.json(modelList(models, received.headers))
        : answer(received);
    },
  });
  const root = `http://127.0.0.1:${server.port}`;
  return { url: `${root}/v1`, root, requests, stop: () => server.stop(true) };
}

/** A list of models is part of the script only where the script says what to answer in full. */
function isScripted(script: readonly Reply[] | ((...args: never[]) => Reply), index: number): boolean {
  return typeof script !== "function" && ["status", "raw"].includes(script[index]?.type ?? "");
}

function problemsOf(
  wire: Wire,
  { headers, body }: ReceivedRequest,
  turns: readonly Turn[] | undefined,
): readonly string[] {
  return [
    ...wire.problems(body),
    ...(turns ? privateProblems(wire.private, turns, body) : []),
    ...(wire.path === WIRES.anthropic.path && !headers["anthropic-version"]
      ? ["anthropic-version: header is required"]
      : []),
  ];
}

function refusal(wire: Wire, status: number, message: string): Response {
  const headers = { [wire.requestIdHeader]: "req_mock" };
  return Response.json(wire.error(message, ERROR_TYPES[status] ?? "invalid_request_error"), {
    status,
    headers,
  });
}

const ERROR_TYPES: Readonly<Record<number, string>> = {
  401: "authentication_error",
  403: "permission_error",
  404: "not_found_error",
  429: "rate_limit_error",
  500: "api_error",
  529: "overloaded_error",
};

function spoken(wire: Wire, turn: Turn, reply: Spoken, streamed: boolean): Response {
  const headers = { [wire.requestIdHeader]: `req_${turn.number}` };
  if (!streamed) return Response.json(wire.whole(turn), { headers });
  const events = wire.events(turn);
  return new Response(reply.paceMs ? paced(events, reply.paceMs) : events.join(""), {
    headers: { ...headers, "content-type": "text/event-stream" },
  });
}

function paced(events: readonly string[], paceMs: number): ReadableStream<Uint8Array> {
  return new ReadableStream({
    async start(controller) {
      for (const event of events) {
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
