import { describe, expect, test } from "bun:test";
import { gzipSync } from "node:zlib";
import type { Hop, HopResponse } from "../../adapters/web/hop.ts";
import type { Resolver } from "../../adapters/web/resolve.ts";
import { judgeAddress } from "../../core/policy/addresses.ts";
import { loopbackTransport } from "../fakes/loopback-web.ts";
import { rulesOf, SSRF_ROWS, type SsrfRow } from "../fakes/ssrf-rows.ts";

// Every row through the whole transport: names resolve as the row says, and a hop that opens no connection notes where
// one would have gone.

const MAX_BYTES = 1024 * 1024;

function resolverOf({ context }: SsrfRow): Resolver {
  let asked = 0;
  return async (name) => {
    const answer = context.dns?.[name];
    if (answer === undefined || typeof answer === "string") throw new Error(answer ?? "NXDOMAIN");
    return "sequence" in answer ? (answer.sequence[asked++] ?? []) : answer;
  };
}

const response = (
  status: number,
  headers: Readonly<Record<string, string>>,
  body: AsyncIterable<Uint8Array>,
): HopResponse => ({
  status,
  header: (name) => headers[name],
  body,
  close: () => {},
});

async function* bytes(...chunks: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* chunks;
}

async function* slowBytes(signal: AbortSignal): AsyncGenerator<Uint8Array> {
  while (!signal.aborted) {
    yield new Uint8Array([120]);
    await Bun.sleep(50);
  }
}

/** What the row's server does, and where it was asked to. */
function serverOf({ context }: SsrfRow) {
  const reached: string[] = [];
  const hop: Hop = async ({ address }, signal) => {
    const redirect = context.redirects?.[reached.length];
    reached.push(address);
    if (redirect) return response(redirect.status, { location: redirect.location }, bytes());
    if (context.behaviour === "gzip-bomb") {
      return response(200, { "content-encoding": "gzip" }, bytes(gzipSync(new Uint8Array(2 * MAX_BYTES))));
    }
    if (context.behaviour === "slow-1-byte-per-s") return response(200, {}, slowBytes(signal));
    return response(200, { "content-type": "text/html" }, bytes(new Uint8Array(MAX_BYTES).fill(120)));
  };
  return { hop, reached };
}

describe.concurrent("transport() on the corpus", () => {
  test.each(SSRF_ROWS.map((row) => [`${row.id}: ${row.why}`, row] as const))("%s", async (_name, row) => {
    const { hop, reached } = serverOf(row);
    const get = loopbackTransport({
      rules: rulesOf(row),
      resolve: resolverOf(row),
      hopTo: () => hop,
      timeoutMs: 500,
      maxBytes: MAX_BYTES,
    });
    const fetched = await get(row.input, new AbortController().signal);
    expect(fetched.ok ? "allow" : "block").toBe(row.expected);
    const wrong = reached.filter((address) => judgeAddress(address).type !== "public");
    expect(wrong).toEqual(row.context.allow_private ? ["127.0.0.1"] : []);
  });
});
