// The mock endpoint, a process of its own so that its work is not counted as anyone else's. Raw TCP, because a
// server that hands over whole requests cannot tell when the first byte came. Prints its port; ends with its stdin.
import type { Socket } from "bun";
import { clockMs } from "./clock.ts";
import { KINDS, replyTo, type Scenario } from "./replies.ts";

/** What the endpoint saw of one run, by turn. */
type Run = {
  readonly firstByteAtMs: number[];
  readonly sentAtMs: number[];
  /** Of the first request only: later ones repeat it and grow. */
  readonly body: string;
};

type Request = { readonly path: string; readonly firstByteAtMs: number; readonly firstBody: Buffer[] };

type Connection =
  | { readonly type: "idle" }
  | { readonly type: "head"; readonly bytes: Buffer; readonly firstByteAtMs: number }
  | { readonly type: "body"; readonly request: Request; readonly missingBytes: number }
  | { readonly type: "replying"; readonly unsent: Uint8Array; readonly run: Run | undefined };

type Peer = Socket<{ now: Connection }>;

const runs = new Map<string, Run>();

const server = Bun.listen<{ now: Connection }>({
  hostname: "127.0.0.1",
  port: 0,
  socket: {
    open: (socket) => {
      socket.data = { now: { type: "idle" } };
    },
    data: (socket, bytes) => receive(socket, bytes, clockMs()),
    drain: (socket) => send(socket),
    error: () => {}, // a client that goes away shows in the client's exit code
  },
});
console.log(server.port);

for await (const _ of Bun.stdin.stream()) {
  // nothing is said there; its end means that the run is over
}
server.stop(true);

function receive(socket: Peer, bytes: Buffer, atMs: number): void {
  const { now } = socket.data;
  switch (now.type) {
    case "idle":
      receiveHead(socket, bytes, atMs);
      break;
    case "head":
      receiveHead(socket, Buffer.concat([now.bytes, bytes]), now.firstByteAtMs);
      break;
    case "body":
      receiveBody(socket, now.request, bytes, now.missingBytes - bytes.length);
      break;
    case "replying":
      socket.terminate(); // a request before the answer: nobody here pipelines
  }
}

function receiveHead(socket: Peer, bytes: Buffer, firstByteAtMs: number): void {
  const end = bytes.indexOf("\r\n\r\n");
  if (end === -1) {
    // A copy: the bytes are the platform's and are used again.
    socket.data.now = { type: "head", bytes: Buffer.from(bytes), firstByteAtMs };
    return;
  }
  const head = bytes.toString("latin1", 0, end);
  const path = head.split(" ", 2)[1] ?? "";
  const length = Number(/^content-length: *(\d+)/im.exec(head)?.[1] ?? 0);
  const body = bytes.subarray(end + 4);
  receiveBody(socket, { path, firstByteAtMs, firstBody: [] }, body, length - body.length);
}

/** Bodies grow with each turn, so they are counted, never parsed. */
function receiveBody(socket: Peer, request: Request, bytes: Buffer, missingBytes: number): void {
  if (!runs.has(runOf(request.path))) request.firstBody.push(Buffer.from(bytes));
  if (missingBytes > 0) {
    socket.data.now = { type: "body", request, missingBytes };
    return;
  }
  reply(socket, request);
}

function reply(socket: Peer, { path, firstByteAtMs, firstBody }: Request): void {
  const [, name = "", kind = "", count = ""] = path.split("/");
  const scenario = scenarioOf(kind, Number(count));
  if (scenario === undefined) {
    socket.data.now = { type: "replying", unsent: report(name, kind), run: undefined };
  } else {
    const run = runs.get(name) ?? newRun(Buffer.concat(firstBody).toString());
    runs.set(name, run);
    run.firstByteAtMs.push(firstByteAtMs);
    socket.data.now = { type: "replying", unsent: replyTo(scenario, run.firstByteAtMs.length), run };
  }
  send(socket);
}

/** Sends what the socket takes. The last piece is stamped before it leaves: in doubt against the client. */
function send(socket: Peer): void {
  const { now } = socket.data;
  if (now.type !== "replying") return;
  const atMs = clockMs();
  const written = socket.write(now.unsent);
  if (written < 0) return;
  if (written < now.unsent.length) {
    socket.data.now = { ...now, unsent: now.unsent.subarray(written) };
    return;
  }
  now.run?.sentAtMs.push(atMs);
  socket.data.now = { type: "idle" };
}

/** `/report/<run>`: what was seen of a run, told once. */
function report(word: string, name: string): Uint8Array {
  const run = word === "report" ? runs.get(name) : undefined;
  runs.delete(name);
  const body = run ? JSON.stringify(run) : "";
  const status = run ? "200 OK" : "404 Not Found";
  return Buffer.from(`HTTP/1.1 ${status}\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
}

function scenarioOf(kind: string, count: number): Scenario | undefined {
  const known = KINDS.find((one) => one === kind);
  return known === undefined ? undefined : { kind: known, count };
}

function newRun(body: string): Run {
  return { firstByteAtMs: [], sentAtMs: [], body };
}

function runOf(path: string): string {
  return path.split("/", 2)[1] ?? "";
}
