import { createServer, type Socket } from "node:net";

/** What is sent byte for byte in answer to one request. */
export type RawReply = {
  readonly head?: Readonly<Record<string, string>>;
  /** Sent one by one, each when the one before has left. */
  readonly chunks: Iterable<string | Uint8Array> | AsyncIterable<string | Uint8Array>;
  /** In good order, closed too early, by a reset, not at all, or never but with comments that keep it alive. */
  readonly end: "close" | "cut" | "reset" | "stall" | "pings";
};

export type RawEndpoint = AsyncDisposable & {
  readonly url: string;
  readonly requests: () => number;
  /** Closes every open response in the middle. */
  readonly cut: () => void;
};

const PING_MS = 20;

/** An endpoint on bare TCP: it can do what a decent HTTP server cannot. The last reply is given again and again. */
export async function startRawEndpoint(replies: readonly RawReply[]): Promise<RawEndpoint> {
  const open = new Set<Socket>();
  let requests = 0;
  const server = createServer((socket) => {
    open.add(socket);
    socket.on("close", () => open.delete(socket));
    socket.on("error", () => {}); // the other side went away: nothing is left to say
    let received = "";
    socket.on("data", (bytes) => {
      received += bytes.toString("latin1");
      if (!isWhole(received)) return;
      received = "";
      const reply = replies[Math.min(requests, replies.length - 1)];
      requests += 1;
      if (reply) void respond(socket, reply);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  const cut = () => {
    for (const socket of open) socket.destroy();
  };
  return {
    url: `http://127.0.0.1:${port}/v1`,
    requests: () => requests,
    cut,
    [Symbol.asyncDispose]: async () => {
      cut();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function isWhole(request: string): boolean {
  const [head, body] = request.split("\r\n\r\n");
  const length = Number(/^content-length: *(\d+)/im.exec(head ?? "")?.[1] ?? 0);
  return body !== undefined && body.length >= length;
}

async function respond(socket: Socket, { head, chunks, end }: RawReply): Promise<void> {
  const headers = {
    "content-type": "text/event-stream",
    ...head,
    "transfer-encoding": "chunked",
    connection: "close",
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  await send(socket, `HTTP/1.1 200 OK\r\n${lines.join("")}\r\n`);
  for await (const chunk of chunks) {
    if (socket.destroyed) return;
    // An empty chunk would be the end of the body.
    if (chunk.length > 0) await send(socket, framed(chunk));
  }
  if (end === "close") socket.end("0\r\n\r\n");
  if (end === "cut") socket.end();
  if (end === "reset") socket.resetAndDestroy();
  if (end !== "pings") return;
  const timer = setInterval(() => socket.write(framed(": ping\n\n")), PING_MS);
  socket.on("close", () => clearInterval(timer));
}

function framed(chunk: string | Uint8Array): Uint8Array {
  const bytes = Buffer.from(chunk);
  return Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, Buffer.from("\r\n")]);
}

/** Each piece leaves on its own: the next is written only when the system has taken it, or nobody reads any more. */
const send = (socket: Socket, bytes: string | Uint8Array): Promise<void> =>
  new Promise((resolve) => {
    if (socket.destroyed) return resolve();
    const done = () => {
      socket.off("close", done);
      resolve();
    };
    socket.once("close", done);
    socket.write(bytes, done);
  });
