import { describe, expect, test } from "bun:test";
import type { Failure } from "../../core/failure.ts";
import type { Model } from "../../core/ports/model.ts";
import {
  calls,
  type Endpoint,
  raw,
  type Reply as Scripted,
  says,
  startEndpoint,
  status,
} from "../fakes/endpoint.ts";
import { fakeHost } from "../fakes/host.ts";
import {
  type Asked,
  callDelta,
  collect,
  delta,
  failureOf,
  type ModelPlace,
  NOTHING,
  type OnRawEvent,
  patientHost,
  REQUEST,
  repeatLast,
  replyOf,
  type Setup,
  STOP,
  STOPPED,
  thrownBy,
  whole,
} from "./model-turns.ts";
import { type RawReply, startRawEndpoint } from "./raw-endpoint.ts";

/** What every model behind HTTP keeps: one closing event whatever the endpoint does, bounded retries, aborts. */
export function modelContract(name: string, open: (place: ModelPlace) => Model): void {
  const ask = async (script: readonly Scripted[], setup: Setup = {}): Promise<Asked> => {
    const endpoint = startEndpoint(repeatLast(script));
    const { host, waits } = patientHost();
    try {
      const place = { url: endpoint.url, host, retries: 2, idleTimeoutMs: 10_000, stream: true, ...setup };
      const said = await collect(open(place).ask(REQUEST, new AbortController().signal));
      return { ...said, waits, requests: endpoint.requests.length, url: endpoint.url };
    } finally {
      await endpoint.stop();
    }
  };

  const askRaw = async (replies: readonly RawReply[], onEvent: OnRawEvent = () => {}): Promise<Asked> => {
    await using endpoint = await startRawEndpoint(replies);
    const { host, waits } = patientHost();
    const model = open({ url: endpoint.url, host, retries: 2, idleTimeoutMs: 10_000, stream: true });
    const events = model.ask(REQUEST, new AbortController().signal);
    const said = await collect(events, (event) => onEvent(event, endpoint));
    return { ...said, waits, requests: endpoint.requests(), url: endpoint.url };
  };

  describe.concurrent(`${name}: replies`, () => {
    test.each([true, false])("ask() brings a text (stream: %p)", async (stream) => {
      const asked = await ask([says("Hello, wörld 😀", 5)], { stream });
      expect(asked).toEqual({
        ...NOTHING,
        url: asked.url,
        requests: 1,
        text: "Hello, wörld 😀",
        end: { type: "replied", reply: replyOf("Hello, wörld 😀") },
      });
    });

    test.each([true, false])("ask() brings calls (stream: %p)", async (stream) => {
      const asked = await ask(
        [
          calls(
            { id: "a", name: "time", arguments: {} },
            { id: "b", name: "read_file", arguments: '{"path":' },
          ),
        ],
        { stream },
      );
      expect(asked.end).toEqual({
        type: "replied",
        reply: {
          ...replyOf(""),
          message: {
            role: "assistant",
            content: "",
            tool_calls: [
              { id: "a", name: "time", arguments: "{}" },
              { id: "b", name: "read_file", arguments: '{"path":' },
            ],
          },
          finish: "tool_calls",
        },
      });
    });

    test("ask() says when a text came without its end mark", async () => {
      const { text, notices, end } = await ask([raw([delta("cut sh")])]);
      expect({ text, notices: notices.length, end: end.type }).toEqual({
        text: "cut sh",
        notices: 1,
        end: "replied",
      });
    });
  });

  describe.concurrent(`${name}: refusals`, () => {
    const table: readonly (readonly [number, Failure["class"], "once" | "retried"])[] = [
      [400, "model", "once"],
      [401, "auth", "once"],
      [402, "model", "once"],
      [403, "auth", "once"],
      [404, "model", "once"],
      [408, "model", "retried"],
      [409, "model", "retried"],
      [413, "context", "once"],
      [422, "model", "once"],
      [425, "model", "retried"],
      [429, "model", "retried"],
      [500, "model", "retried"],
      [502, "model", "retried"],
      [503, "model", "retried"],
      [529, "model", "retried"],
    ];
    test.each(table)("ask() ends a storm of %d as %s, asked %s", async (code, kind, how) => {
      const body = JSON.stringify({ error: { message: "the provider's words" } });
      const asked = await ask([status(code, body, { "x-request-id": "req-7" })]);
      const times = how === "once" ? 1 : 3;
      expect(asked.requests).toBe(times);
      expect(asked.waits.length).toBe(times - 1);
      expect(asked.waits.every((ms) => ms >= 0 && ms <= 1000)).toBe(true);
      expect(failureOf(asked)).toMatchObject({
        class: kind,
        http_status: code,
        request_id: "req-7",
        message: `${asked.url} answered ${code}: the provider's words (request req-7)${how === "once" ? "" : " (tried 3 times)"}`,
      });
    });

    test.each([301, 302, 307, 308])("ask() does not follow a %d", async (code) => {
      const asked = await ask([status(code, "", { location: "/v1/elsewhere" }), says("followed")]);
      expect([asked.requests, failureOf(asked).class]).toEqual([1, "model"]);
    });

    test.each([
      ["retry-after", "7", 7000],
      ["retry-after", "0", 0],
      ["retry-after-ms", "1500", 1500],
    ])("ask() waits as %s: %s asks", async (header, value, ms) => {
      const asked = await ask([status(429, "", { [header]: value }), says("at last")]);
      expect([asked.text, asked.requests, asked.waits.length]).toEqual(["at last", 2, 1]);
      expect(asked.waits[0]).toBeGreaterThanOrEqual(ms);
      expect(asked.waits[0]).toBeLessThanOrEqual(ms + 1000);
    });

    test("ask() does not wait an hour, and says so", async () => {
      const asked = await ask([status(429, "", { "retry-after": "3600" })]);
      const { message, retry_after_ms } = failureOf(asked);
      expect([asked.requests, asked.waits, retry_after_ms]).toEqual([1, [], 3_600_000]);
      expect(message).toEndWith("it asks to try again in 1h");
    });

    test("ask() tells each wait before it waits", async () => {
      const asked = await ask([status(503, "busy"), status(503, "busy"), says("up")]);
      expect(asked.retries).toEqual(
        asked.waits.map((ms, index) => ({
          type: "retrying",
          attempt: index + 1,
          of: 2,
          wait_ms: ms,
          reason: `${asked.url} answered 503: busy`,
        })),
      );
      expect([asked.text, asked.requests]).toEqual(["up", 3]);
    });
  });

  describe.concurrent(`${name}: broken responses`, () => {
    test.each([
      ["words that are no events", raw(["what is this\n\n"])],
      ["an event that is no JSON", raw(["data: {not json}\n\n"])],
      ["an event that is a list", raw(["data: [1,2]\n\n"])],
      ["an event that is a number", raw(["data: 7\n\n"])],
      ["bytes that are no text", raw([new Uint8Array([0xff, 0xfe, 0x00, 0x80])])],
      ["a page", whole("text/html", "<html>log in</html>")],
      ["a page that claims to be JSON", whole("application/json", "<html>log in</html>")],
      ["a list", whole("application/json", "[]")],
      ["null", whole("application/json", "null")],
      ["an error in a 200", whole("application/json", '{"error":{"message":"no credit","code":"billing"}}')],
      ["an empty body", whole("application/json", "")],
      ["an empty stream", raw([])],
      ["only comments", raw([": ping\n\n", ": ping\n\n"])],
      ["only an end mark", raw(["data: [DONE]\n\n"])],
      ["half a call", raw([callDelta('{"path":"/e')])],
    ])("ask() ends with one closing event on %s, and no call of it can run", async (_what, reply) => {
      const { end, requests } = await ask([reply]);
      expect(requests).toBeLessThanOrEqual(3);
      if (end.type === "failed") expect(end.failure.class).toBe("model");
      else expect(end.reply.message.tool_calls).toEqual([]);
    });

    test.each([
      ["a cut before the first byte", [], "cut"],
      ["a cut inside a text", [delta("Hel"), 'data: {"choi'], "cut"],
      ["a cut inside a call", [callDelta('{"path":"/e')], "cut"],
      ["a reset before the first byte", [], "reset"],
      ["a reset inside a text", [delta("Hel"), 'data: {"choi'], "reset"],
      ["a reset inside a call", [callDelta('{"path":"/e')], "reset"],
    ] as const)("ask() ends as a failure after retries on %s", async (_what, chunks, end) => {
      const asked = await askRaw([{ chunks, end }]);
      expect([failureOf(asked).class, asked.requests, asked.waits.length]).toEqual(["model", 3, 2]);
    });

    test("ask() withdraws what it streamed before it starts the turn again", async () => {
      const replies = [
        { chunks: [delta("Hel")], end: "stall" } as const,
        { chunks: STOPPED, end: "close" } as const,
      ];
      const asked = await askRaw(replies, (event, endpoint) => {
        if (event.type === "text_delta" && event.text === "Hel") endpoint.cut();
      });
      expect([asked.text, asked.withdrawn, asked.requests]).toEqual(["late", ["Hel"], 2]);
      expect(asked.end).toMatchObject({ type: "replied", reply: { message: { content: "late" } } });
    });

    test("ask() retries an overload that is reported inside a stream", async () => {
      const overloaded = 'data: {"error":{"message":"overloaded","type":"overloaded_error"}}\n\n';
      const asked = await ask([raw([delta("Hel"), overloaded]), says("Hello")]);
      expect([asked.text, asked.withdrawn, asked.requests]).toEqual(["Hello", ["Hel"], 2]);
    });

    test("ask() ends when the endpoint is silent", async () => {
      const startedMs = performance.now();
      const asked = await ask([raw([delta("Hel")], "stall")], { retries: 0, idleTimeoutMs: 200 });
      expect(failureOf(asked).message).toBe(`${asked.url} was silent for 200ms`);
      expect(performance.now() - startedMs).toBeLessThan(2200);
    });

    test("ask() refuses a stream without end", async () => {
      const megabyte = delta("x".repeat(1024 * 1024));
      const asked = await ask([raw(Array.from({ length: 40 }, () => megabyte))], { retries: 0 });
      expect(failureOf(asked).message).toContain("too large");
    });

    test("ask() refuses an event without end", async () => {
      const piece = "x".repeat(1024 * 1024);
      const asked = await ask([raw(['data: "', ...Array.from({ length: 12 }, () => piece)])], { retries: 0 });
      expect(failureOf(asked).message).toContain("event too large");
    });

    test("ask() ends when nobody listens", async () => {
      const endpoint = startEndpoint([]);
      await endpoint.stop();
      const { host, waits } = patientHost();
      const model = open({ url: endpoint.url, host, retries: 2, idleTimeoutMs: 5000, stream: true });
      const asked = await collect(model.ask(REQUEST, new AbortController().signal));
      expect([failureOf(asked).class, waits.length]).toEqual(["model", 2]);
      expect(failureOf(asked).message).toStartWith(`Cannot reach ${endpoint.url}: `);
    });
  });

  describe.concurrent(`${name}: aborts`, () => {
    const aborted = async (
      script: readonly Scripted[],
      body: (model: Model, endpoint: Endpoint) => Promise<unknown>,
    ) => {
      const endpoint = startEndpoint(script);
      const host = fakeHost();
      try {
        const place = { url: endpoint.url, host, retries: 2, idleTimeoutMs: 10_000, stream: true };
        return await body(open(place), endpoint);
      } finally {
        await endpoint.stop();
      }
    };

    test("ask() sends nothing when it is aborted already", async () => {
      const seen = await aborted([says("no")], async (model, endpoint) => {
        const thrown = await thrownBy(model.ask(REQUEST, AbortSignal.abort(STOP)));
        return [thrown, endpoint.requests.length];
      });
      expect(seen).toEqual([STOP, 0]);
    });

    test("ask() throws the reason at once while a response stalls", async () => {
      const seen = await aborted([raw([delta("Hel")], "stall")], async (model) => {
        const controller = new AbortController();
        return thrownBy(model.ask(REQUEST, controller.signal), () => controller.abort(STOP));
      });
      expect(seen).toBe(STOP);
    });

    test("ask() takes comments for life, and throws the reason at once among them", async () => {
      await using endpoint = await startRawEndpoint([{ chunks: [], end: "pings" }]);
      const place = { url: endpoint.url, host: fakeHost(), retries: 0, idleTimeoutMs: 150, stream: true };
      const controller = new AbortController();
      setTimeout(() => controller.abort(STOP), 400);
      expect(await thrownBy(open(place).ask(REQUEST, controller.signal))).toBe(STOP);
    });

    test("ask() throws the reason at once while it waits for another try", async () => {
      const seen = await aborted([status(500)], async (model, endpoint) => {
        const controller = new AbortController();
        const thrown = await thrownBy(model.ask(REQUEST, controller.signal), (event) => {
          if (event.type === "retrying") queueMicrotask(() => controller.abort(STOP));
        });
        return [thrown, endpoint.requests.length];
      });
      expect(seen).toEqual([STOP, 1]);
    });
  });
}
