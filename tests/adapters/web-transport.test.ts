import { describe, expect, test } from "bun:test";
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from "node:zlib";
import type { Hop } from "../../adapters/web/hop.ts";
import {
  type Answer,
  hasSecondLoopback,
  loopbackHop,
  loopbackTransport,
  PUBLIC_ADDRESS,
  startRawServer,
  startSite,
} from "../fakes/loopback-web.ts";

const never = new AbortController().signal;

const slowly: Hop = async (request, signal) => {
  await Bun.sleep(100);
  return loopbackHop(request, signal);
};

/** A network in which the other addresses are dead. */
const onlyPublic: Hop = (request, signal) =>
  request.address === PUBLIC_ADDRESS ? loopbackHop(request, signal) : Promise.reject(new Error("no route"));

const MUCH = "0".repeat(20_000);

const bodyOf = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);

describe.skipIf(!(await hasSecondLoopback()))("transport()", () => {
  test("sends one GET with a fixed set of headers to the address that was checked", async () => {
    await using site = await startSite(() => ({ body: "hello" }));
    const asked: string[] = [];
    const get = loopbackTransport({
      resolve: async (name) => {
        asked.push(name);
        return [PUBLIC_ADDRESS];
      },
    });
    expect(await get(`http://Docs.Example.com.:${site.port}/a?b=1#c`, never)).toEqual({
      ok: true,
      value: {
        url: `http://docs.example.com:${site.port}/a?b=1`,
        status: 200,
        contentType: "text/plain",
        bytes: expect.anything(),
        cut: false,
      },
    });
    expect(asked).toEqual(["docs.example.com"]);
    expect(site.requests).toEqual([
      {
        method: "GET",
        path: "/a?b=1",
        headers: {
          host: `docs.example.com:${site.port}`,
          "user-agent": "buddy-test",
          accept: "text/html,application/xhtml+xml,text/*;q=0.9,application/json;q=0.9,*/*;q=0.5",
          "accept-encoding": "gzip, deflate, br",
          connection: "close",
        },
      },
    ]);
    expect(site.strayConnections()).toBe(0);
  });

  test("follows five redirects and no sixth, without cookies or a referer", async () => {
    await using site = await startSite((path) => {
      const left = Number(path.slice(1));
      if (left === 0) return { body: "arrived" };
      return { status: 302, headers: { location: `/${left - 1}`, "set-cookie": "a=b" }, body: "moved" };
    });
    const get = loopbackTransport();
    const five = await get(`http://site.test:${site.port}/5`, never);
    expect(five.ok && [five.value.url, bodyOf(five.value.bytes)]).toEqual([
      `http://site.test:${site.port}/0`,
      "arrived",
    ]);
    expect(site.requests.flatMap(({ headers }) => [headers.cookie, headers.referer])).toEqual(
      Array(12).fill(undefined),
    );
    expect(await get(`http://site.test:${site.port}/6`, never)).toMatchObject({
      ok: false,
      error: { kind: "redirects" },
    });
    expect(site.requests.length).toBe(12);
  });

  test.each([
    ["gzip", gzipSync],
    ["br", brotliCompressSync],
    ["deflate", deflateSync],
    ["deflate", deflateRawSync],
  ] as const)("unpacks %s, and nothing that grows beyond the limit", async (encoding, pack) => {
    const answers: Readonly<Record<string, Answer>> = {
      "/page": { headers: { "content-encoding": encoding }, body: pack("hello ".repeat(100)) },
      "/bomb": { headers: { "content-encoding": encoding }, body: pack(new Uint8Array(64 * 1024 * 1024)) },
      "/broken": { headers: { "content-encoding": encoding }, body: "this is not packed" },
    };
    await using site = await startSite((path) => answers[path] ?? {});
    const get = loopbackTransport();
    const page = await get(`http://site.test:${site.port}/page`, never);
    expect(page.ok && bodyOf(page.value.bytes)).toBe("hello ".repeat(100));
    const bomb = await get(`http://site.test:${site.port}/bomb`, never);
    expect(bomb).toEqual({
      ok: false,
      error: { kind: "too_large", detail: "The page unpacks to more than 1 MiB" },
    });
    const broken = await get(`http://site.test:${site.port}/broken`, never);
    expect(broken).toMatchObject({ ok: false, error: { kind: "unreadable" } });
  });

  test("says which encoding it cannot read", async () => {
    await using site = await startSite(() => ({ headers: { "content-encoding": "gzip, gzip" }, body: "x" }));
    expect(await loopbackTransport()(`http://site.test:${site.port}/`, never)).toEqual({
      ok: false,
      error: { kind: "unreadable", detail: 'The page is encoded as "gzip, gzip"' },
    });
  });

  test("cuts a page that is longer than may be read", async () => {
    await using site = await startSite(() => ({ body: "x".repeat(5 * 1024 * 1024) }));
    const page = await loopbackTransport()(`http://site.test:${site.port}/`, never);
    expect(page.ok && [page.value.bytes.length, page.value.cut]).toEqual([1024 * 1024, true]);
  });

  test.each([
    ["a drip", { body: "x", drip: { everyMs: 50, times: 1000 } }, loopbackHop],
    ["slow redirects in a circle", { status: 302, headers: { location: "/" } }, slowly],
  ] as const)("gives up on %s when the time for everything is over", async (_name, answer, hop) => {
    await using site = await startSite(() => answer);
    const get = loopbackTransport({ timeoutMs: 300, hopTo: () => hop });
    expect(await get(`http://site.test:${site.port}/`, never)).toEqual({
      ok: false,
      error: { kind: "timed_out", detail: "No answer in time: it took more than 0.3 s" },
    });
  });

  test.each([
    ["endless headers", "HTTP/1.1 200 OK\r\n", "X-A: yyyyyyyyyyyyyyyy\r\n".repeat(1000)],
    ["a header without an end", "HTTP/1.1 200 OK\r\nX-A: ", MUCH],
    ["announcements without an end", "", "HTTP/1.1 100 Continue\r\n\r\n".repeat(100)],
    ["another protocol", "HTTP/1.1 101 Switching\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n", MUCH],
    ["two lengths", "HTTP/1.1 200 OK\r\nContent-Length: 3\r\nContent-Length: 5\r\n\r\n", MUCH],
    ["chunks that are none", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nZZ\r\n", MUCH],
    ["endless words about a chunk", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1;", MUCH],
    [
      "endless trailers",
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n",
      "A: b\r\n".repeat(5000),
    ],
    ["no HTTP", "hello", MUCH],
  ])("does not wait for the end of time on %s", async (_name, start, again) => {
    await using server = await startRawServer(start, again);
    const page = await loopbackTransport({ timeoutMs: 20_000 })(`http://site.test:${server.port}/`, never);
    expect(page).toMatchObject({ ok: false, error: { kind: "unreachable" } });
  });

  test("reads a redirect to an address with other letters as UTF-8", async () => {
    await using site = await startSite((path) =>
      path === "/" ? { status: 302, headers: { location: Buffer.from("/café").toString("latin1") } } : {},
    );
    await loopbackTransport()(`http://site.test:${site.port}/`, never);
    expect(site.requests.map(({ path }) => path)).toEqual(["/", "/caf%C3%A9"]);
  });

  test("goes to no address that the user has blocked, by whatever name", async () => {
    await using site = await startSite(() => ({ body: "hello" }));
    const rules = { allowedDomains: undefined, blockedDomains: [PUBLIC_ADDRESS] };
    expect(await loopbackTransport({ rules })(`http://site.test:${site.port}/`, never)).toMatchObject({
      ok: false,
      error: { kind: "denied", detail: expect.stringContaining("which is in tools.fetch_blocked_domains") },
    });
    expect(site.requests).toEqual([]);
  });

  test("gives up on a resolver that does not answer", async () => {
    const get = loopbackTransport({ timeoutMs: 100, resolve: () => new Promise(() => {}) });
    expect(await get("http://site.test/", never)).toMatchObject({ ok: false, error: { kind: "timed_out" } });
  });

  test("throws when it is aborted: before, while resolving, while reading", async () => {
    const reading = new AbortController();
    await using site = await startSite(() => {
      setTimeout(() => reading.abort(new Error("stop reading")), 50);
      return { body: "x", drip: { everyMs: 20, times: 1000 } };
    });
    const url = `http://site.test:${site.port}/`;
    await expect(loopbackTransport()(url, AbortSignal.abort(new Error("stop first")))).rejects.toThrow(
      "stop first",
    );
    const waiting = new AbortController();
    const resolve = () => {
      waiting.abort(new Error("stop waiting"));
      return new Promise<never>(() => {});
    };
    await expect(loopbackTransport({ resolve })(url, waiting.signal)).rejects.toThrow("stop waiting");
    expect(site.requests).toEqual([]);
    await expect(loopbackTransport()(url, reading.signal)).rejects.toThrow("stop reading");
  });

  test("tries the other checked addresses when the first does not answer", async () => {
    await using site = await startSite(() => ({ body: "hello" }));
    const get = loopbackTransport({
      resolve: async () => ["2606:4700::1", "11.0.0.1", PUBLIC_ADDRESS],
      hopTo: () => onlyPublic,
    });
    const page = await get(`http://site.test:${site.port}/`, never);
    expect(page.ok && bodyOf(page.value.bytes)).toBe("hello");
  });

  test("names the host that a redirect led to when nobody answers there, and an answer that breaks off", async () => {
    await using site = await startSite((path) =>
      path === "/"
        ? { status: 302, headers: { location: "http://gone.test/" } }
        : {
            headers: { "content-length": "100" },
            body: "short",
            breaksOff: true,
          },
    );
    const hop: Hop = (request, signal) =>
      request.url.includes("gone.test")
        ? Promise.reject(new Error("no route"))
        : loopbackHop(request, signal);
    const detailAt = async (path: string) => {
      const page = await loopbackTransport({ hopTo: () => hop })(
        `http://site.test:${site.port}${path}`,
        never,
      );
      return page.ok ? page.value.status : page.error.detail;
    };
    expect(await detailAt("/")).toBe(
      `Cannot reach "gone.test": no route ("http://site.test:${site.port}/" redirects there)`,
    );
    expect(await detailAt("/short")).toBe(`The answer of "site.test:${site.port}" broke off before its end`);
  });

  test("says that nobody answers, and names the host", async () => {
    const get = loopbackTransport({
      hopTo: () => async () => Promise.reject(new Error("connection refused")),
    });
    expect(await get("http://site.test/", never)).toEqual({
      ok: false,
      error: { kind: "unreachable", detail: 'Cannot reach "site.test": connection refused' },
    });
  });
});
