import { describe, expect, test } from "bun:test";
import type { Resolver } from "../../adapters/web/resolve.ts";
import {
  hasSecondLoopback,
  loopbackHop,
  loopbackTransport,
  PUBLIC_ADDRESS,
  startSite,
} from "../fakes/loopback-web.ts";

const never = new AbortController().signal;

/** Answers that come round again and again, whatever is asked. */
function takingTurns(...answers: readonly (readonly string[])[]): {
  readonly resolve: Resolver;
  readonly asked: () => number;
} {
  let asked = 0;
  return { resolve: async () => answers[asked++ % answers.length] ?? [], asked: () => asked };
}

describe.skipIf(!(await hasSecondLoopback()))("transport() against names that change their answer", () => {
  test.each([
    ["public, then loopback", [[PUBLIC_ADDRESS], ["127.0.0.1"]]],
    ["loopback, then public", [["127.0.0.1"], [PUBLIC_ADDRESS]]],
    [
      "both at once",
      [
        [PUBLIC_ADDRESS, "127.0.0.1"],
        ["127.0.0.1", PUBLIC_ADDRESS],
      ],
    ],
    [
      "loopback in other families and forms",
      [["::1"], ["::ffff:127.0.0.1"], ["0.0.0.0"], ["64:ff9b::7f00:1"], [PUBLIC_ADDRESS]],
    ],
    ["no addresses", [["localhost"], ["127.1"], [""], [PUBLIC_ADDRESS]]],
  ])("200 fetches never reach the machine itself: %s", async (_name, answers) => {
    await using site = await startSite(() => ({ body: "public" }));
    const { resolve, asked } = takingTurns(...answers);
    const get = loopbackTransport({ resolve });
    const ends = { public: 0, denied: 0, other: 0 };
    for (let round = 0; round < 200; round++) {
      const page = await get(`http://rebind.test:${site.port}/`, never);
      if (page.ok) ends[new TextDecoder().decode(page.value.bytes) === "public" ? "public" : "other"] += 1;
      else ends[page.error.kind === "denied" ? "denied" : "other"] += 1;
    }
    const good = answers.filter((answer) => answer.length === 1 && answer[0] === PUBLIC_ADDRESS).length;
    expect(ends).toEqual({
      public: (200 * good) / answers.length,
      denied: 200 - (200 * good) / answers.length,
      other: 0,
    });
    expect({ asked: asked(), strays: site.strayConnections() }).toEqual({ asked: 200, strays: 0 });
  });

  test("200 redirects to a name that turns to loopback never get there", async () => {
    await using site = await startSite((path, { headers }) =>
      path === "/start"
        ? { status: 302, headers: { location: `http://second.test:${site.port}/` } }
        : { body: `at ${headers.host}` },
    );
    const { resolve } = takingTurns([PUBLIC_ADDRESS], ["127.0.0.1"], [PUBLIC_ADDRESS], [PUBLIC_ADDRESS]);
    const get = loopbackTransport({ resolve });
    const ends: string[] = [];
    for (let round = 0; round < 200; round++) {
      const page = await get(`http://first.test:${site.port}/start`, never);
      ends.push(page.ok ? "ok" : page.error.kind);
    }
    expect({
      ok: ends.filter((end) => end === "ok").length,
      denied: ends.filter((end) => end === "denied").length,
    }).toEqual({
      ok: 100,
      denied: 100,
    });
    expect(site.strayConnections()).toBe(0);
  });

  test("no trick in a redirect gets to the machine itself", async () => {
    const tricks = (port: number): readonly string[] => [
      `http://127.0.0.1:${port}/`,
      `//127.0.0.1:${port}/`,
      `http://localhost:${port}/`,
      `http://2130706433:${port}/`,
      `http://0x7f.1:${port}/`,
      `http://0177.0.0.1:${port}/`,
      `http://127.1:${port}/`,
      `http://0:${port}/`,
      `http://[::1]:${port}/`,
      `http://[::ffff:127.0.0.1]:${port}/`,
      `http://[::ffff:7f00:1]:${port}/`,
      `http://%31%32%37.0.0.1:${port}/`,
      `http://127.0.0.1.:${port}/`,
      `http://site.test@127.0.0.1:${port}/`,
      `http://127.0.0.1:${port}\\@site.test/`,
      `\\\\127.0.0.1:${port}\\`,
      `\thttp://127.0.0.1:${port}/`,
      `http:127.0.0.1:${port}/`,
      `/\\127.0.0.1:${port}/`,
      `http://foo.localhost:${port}/`,
      `HTTP://LOCALHOST:${port}/`,
      "file:///etc/passwd",
      "data:text/plain,x",
      "gopher://127.0.0.1:6379/_INFO",
    ];
    let tried = "";
    await using site = await startSite((path) =>
      path === "/start" ? { status: 307, headers: { location: tried } } : { body: "public" },
    );
    for (tried of tricks(site.port)) {
      const page = await loopbackTransport()(`http://site.test:${site.port}/start`, never);
      // One of them is a path on the same host to this parser, and harmless.
      expect([tried, page.ok ? new TextDecoder().decode(page.value.bytes) : page.error.kind]).toEqual([
        tried,
        tried.startsWith("http:127") ? "public" : "denied",
      ]);
    }
    expect(site.strayConnections()).toBe(0);
  });

  test("the listener that must stay alone would be reached without the checks", async () => {
    await using site = await startSite(() => ({ body: "public" }));
    const reached = await loopbackHop(
      { url: `http://site.test:${site.port}/`, address: "127.0.0.1", headers: {} },
      never,
    );
    reached.close();
    expect(site.strayConnections()).toBe(1);
  });
});
