import { createServer } from "node:http";
import { type AddressInfo, createServer as createTcpServer, type Socket } from "node:net";
import { directHop } from "../../adapters/web/direct-hop.ts";
import type { Hop } from "../../adapters/web/hop.ts";
import type { Resolver } from "../../adapters/web/resolve.ts";
import { type Transport, type TransportSettings, transport } from "../../adapters/web/transport.ts";
import type { UrlRules } from "../../core/policy/urls.ts";

// A small internet on loopback. The public address below is at 127.0.0.2, what must not be reached at 127.0.0.1: two
// machines with the same ports, told apart by address alone, and real connections to both.

export const PUBLIC_ADDRESS = "93.184.216.34";
const STANDS_FOR_PUBLIC = "127.0.0.2";

export type Answer = {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  /** Closes the connection after the body, however much more was announced. */
  readonly breaksOff?: boolean;
  /** Sends this often, with a pause before each. */
  readonly drip?: { readonly everyMs: number; readonly times: number };
};

export type SeenRequest = {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
};

export type Site = {
  readonly port: number;
  readonly requests: readonly SeenRequest[];
  /** Connections to the same port of the machine itself. */
  readonly strayConnections: () => number;
  readonly [Symbol.asyncDispose]: () => Promise<void>;
};

/** The public server, and a listener on the same port that must stay alone. */
export async function startSite(answer: (path: string, request: SeenRequest) => Answer): Promise<Site> {
  const requests: SeenRequest[] = [];
  const site = createServer((request, response) => {
    const seen = { method: request.method ?? "", path: request.url ?? "", headers: request.headers };
    requests.push(seen);
    const {
      status = 200,
      headers = { "content-type": "text/plain" },
      body = "",
      drip,
      breaksOff,
    } = answer(seen.path, seen);
    response.writeHead(status, { ...headers });
    if (breaksOff) return void response.write(body, () => response.destroy());
    if (!drip) return void response.end(body);
    let left = drip.times;
    const timer = setInterval(() => {
      response.write(body);
      left -= 1;
      if (left > 0) return;
      clearInterval(timer);
      response.end();
    }, drip.everyMs);
    response.on("close", () => clearInterval(timer));
  });
  let strays = 0;
  const stray = createTcpServer((socket) => {
    strays += 1;
    socket.on("error", () => {});
    socket.end("HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\nconnection: close\r\n\r\nsecret");
  });
  const port = await listen(stray, 0, "127.0.0.1");
  await listen(site, port, STANDS_FOR_PUBLIC);
  return {
    port,
    requests,
    strayConnections: () => strays,
    [Symbol.asyncDispose]: async () => {
      site.closeAllConnections();
      site.close();
      stray.close();
    },
  };
}

/** Answers with these very letters, the second part again and again, at the public address. */
export async function startRawServer(start: string, again: string) {
  const sockets = new Set<Socket>();
  const server = createTcpServer((socket) => {
    sockets.add(socket);
    const pour = () => {
      while (!socket.destroyed && socket.write(again));
    };
    socket.on("error", () => {}); // the other side has had enough, as it should
    socket.on("drain", pour);
    socket.once("data", () => {
      socket.write(start, "latin1");
      pour();
    });
  });
  const port = await listen(server, 0, STANDS_FOR_PUBLIC);
  return {
    port,
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}

function listen(server: ReturnType<typeof createTcpServer>, port: number, host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, () => {
      const address: AddressInfo | string | null = server.address();
      resolve(typeof address === "object" && address !== null ? address.port : 0);
    });
  });
}

/** Real connections, the public address taken to where it is on this machine. */
export const loopbackHop: Hop = (request, signal) =>
  directHop({ ca: undefined })(
    { ...request, address: request.address === PUBLIC_ADDRESS ? STANDS_FOR_PUBLIC : request.address },
    signal,
  );

export const OPEN_RULES: UrlRules = { allowedDomains: undefined, blockedDomains: [] };

export const toPublic: Resolver = async () => [PUBLIC_ADDRESS];

export const loopbackTransport = (settings: Partial<TransportSettings> = {}): Transport =>
  transport({
    rules: OPEN_RULES,
    resolve: toPublic,
    hopTo: () => loopbackHop,
    userAgent: "buddy-test",
    timeoutMs: 5000,
    maxBytes: 1024 * 1024,
    ...settings,
  });

/** Whether this machine has more than one loopback address: Linux has, macOS has not. */
export function hasSecondLoopback(): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createTcpServer();
    probe.once("error", () => resolve(false));
    probe.listen(0, STANDS_FOR_PUBLIC, () => probe.close(() => resolve(true)));
  });
}
