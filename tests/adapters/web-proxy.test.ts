import { describe, expect, test } from "bun:test";
import { gzipSync } from "node:zlib";
import { proxyFor } from "../../adapters/web/proxy.ts";
import { httpWeb } from "../../adapters/web/web.ts";
import { OPEN_RULES, PUBLIC_ADDRESS, toPublic } from "../fakes/loopback-web.ts";

const never = new AbortController().signal;

describe("proxyFor()", () => {
  const env = {
    HTTPS_PROXY: "http://s:1",
    http_proxy: "http://p:1",
    NO_PROXY: "a.test, .b.test,*.c.test,d.test:8080",
  };

  test.each([
    ["https://x.test/", "http://s:1"],
    ["http://x.test/", "http://p:1"],
    ["https://a.test/", undefined],
    ["https://www.a.test/", undefined],
    ["https://nota.test/", "http://s:1"],
    ["https://x.b.test/", undefined],
    ["https://x.c.test/", undefined],
    ["https://d.test/", "http://s:1"],
    ["https://d.test:8080/", undefined],
    ["http://127.0.0.1:8080/", undefined],
    ["http://localhost/", undefined],
    ["http://[::1]/", undefined],
  ])("%s goes through %p", (url, proxy) => {
    expect(proxyFor(url, { proxy: "", env })).toBe(proxy);
  });

  test("prefers network.proxy, and NO_PROXY=* to everything", () => {
    expect(proxyFor("https://x.test/", { proxy: "http://own:1", env })).toBe("http://own:1");
    expect(proxyFor("https://a.test/", { proxy: "http://own:1", env })).toBeUndefined();
    expect(proxyFor("https://x.test/", { proxy: "http://own:1", env: { no_proxy: "*" } })).toBeUndefined();
    expect(proxyFor("https://x.test/", { proxy: "", env: {} })).toBeUndefined();
  });
});

describe("httpWeb() behind a proxy", () => {
  /** Answers like a proxy that reached the page. */
  function startProxy() {
    const asked: string[] = [];
    const server = Bun.serve({
      port: 0,
      hostname: "127.0.0.1",
      fetch: (request) => {
        asked.push(request.url);
        if (request.url.endsWith("/moved")) {
          return new Response(null, { status: 302, headers: { location: "http://127.0.0.1/" } });
        }
        return new Response(gzipSync("through the proxy"), {
          headers: { "content-type": "text/plain", "content-encoding": "gzip" },
        });
      },
    });
    return {
      proxy: `http://127.0.0.1:${server.port}`,
      asked,
      [Symbol.dispose]: () => void server.stop(true),
    };
  }

  const webThrough = (proxy: string, resolve = toPublic) =>
    httpWeb(
      { rules: OPEN_RULES, userAgent: "t", proxy: { proxy: "", env: { HTTP_PROXY: proxy } }, ca: undefined },
      resolve,
    );

  test("asks the proxy for a page whose name was checked", async () => {
    using server = startProxy();
    const page = await webThrough(server.proxy).fetch({ url: "http://site.test/x", format: "text" }, never);
    expect(page).toMatchObject({ ok: true, value: { body: { type: "text", text: "through the proxy" } } });
    expect(server.asked).toEqual(["http://site.test/x"]);
  });

  test("asks the proxy for nothing that is not public, by its form, its name or a redirect", async () => {
    using server = startProxy();
    const end = async (url: string, ...addresses: readonly string[]) => {
      const resolve = async () => (addresses.length > 0 ? addresses : [PUBLIC_ADDRESS]);
      const page = await webThrough(server.proxy, resolve).fetch({ url, format: "text" }, never);
      return page.ok ? "ok" : page.error.kind;
    };
    expect(await end("http://10.0.0.1/")).toBe("denied");
    expect(await end("http://169.254.169.254/latest")).toBe("denied");
    expect(await end("http://inner.test/", "10.0.0.1")).toBe("denied");
    expect(server.asked).toEqual([]);
    expect(await end("http://site.test/moved")).toBe("denied");
    expect(server.asked).toEqual(["http://site.test/moved"]);
  });
});
