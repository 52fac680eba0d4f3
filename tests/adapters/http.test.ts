import { describe, expect, test } from "bun:test";
import { completions } from "../../adapters/model/completions.ts";
import { type HttpModelSettings, httpModel } from "../../adapters/model/http.ts";
import { userMessage } from "../../core/message.ts";
import type { Model, ModelEvent } from "../../core/ports/model.ts";
import { redactor } from "../../core/redact.ts";
import {
  type Endpoint,
  type ReceivedRequest,
  type Reply,
  says,
  startEndpoint,
  status,
} from "../fakes/endpoint.ts";
import { fakeHost } from "../fakes/host.ts";
import { httpSettings, withKey, withoutKey } from "../fakes/http-settings.ts";

describe("httpModel()", () => {
  test("ask() sends the key as a bearer token, the user agent and the headers of the profile", () =>
    withEndpoint([says("hi")], async (endpoint) => {
      const model = modelAt(endpoint.url, { headers: { "x-title": "a test" } });
      await lastOf(model);
      const { path, headers } = onlyRequest(endpoint);
      const names = ["authorization", "user-agent", "content-type", "accept", "x-title"];
      expect([path, ...names.map((name) => headers[name])]).toEqual([
        "/v1/chat/completions",
        "Bearer sk-test-key",
        "buddy/test",
        "application/json",
        "text/event-stream",
        "a test",
      ]);
    }));

  test("ask() sends no authorization without a key", () =>
    withEndpoint([says("hi")], async (endpoint) => {
      await lastOf(modelAt(endpoint.url, { credentials: withoutKey }));
      expect(onlyRequest(endpoint).headers.authorization).toBeUndefined();
    }));

  test("ask() goes on without stream_options where they are rejected, and remembers", () => {
    const strict = ({ body }: ReceivedRequest): Reply =>
      wantsUsage(body)
        ? status(400, '{"error":{"message":"Unrecognized request argument supplied: stream_options"}}')
        : says("hi");
    return withEndpoint(strict, async (endpoint) => {
      const model = modelAt(endpoint.url, { retries: 0 });
      const ends = [await lastOf(model), await lastOf(model)];
      expect(ends.map((end) => end?.type)).toEqual(["replied", "replied"]);
      expect(endpoint.requests.map(({ body }) => wantsUsage(body))).toEqual([true, false, false]);
    });
  });

  test("ask() does not ask again for any other 400", () =>
    withEndpoint([status(400, '{"error":{"message":"bad temperature"}}')], async (endpoint) => {
      expect((await lastOf(modelAt(endpoint.url)))?.type).toBe("failed");
      expect(endpoint.requests.length).toBe(1);
    }));

  test.each([
    [401, '{"error":{"message":"no such key: sk-secret-1234"}}'],
    [500, "sk-secret-1234 broke it"],
    [200, 'data: {"error":{"message":"sk-secret-1234 is over its limit"}}\n\n'],
    [200, '{"error":"sk-secret-1234"}'],
    [200, "sk-secret-1234"],
  ])("ask() never shows the key that a %d echoes", (code, body) =>
    withEndpoint(
      () => status(code, body),
      async (endpoint) => {
        const key = "sk-secret-1234";
        const model = modelAt(endpoint.url, {
          credentials: withKey(key),
          redact: redactor([key]),
          retries: 1,
        });
        const events = await eventsOf(model);
        expect(events.at(-1)?.type).toBe("failed");
        expect(JSON.stringify(events)).not.toContain(key);
        expect(JSON.stringify(events)).toContain("***");
      },
    ),
  );

  test.each([
    ["a nested message", '{"error":{"message":"the words"}}'],
    ["a message", '{"message":"the words"}'],
    ["an error text", '{"error":"the words"}'],
    ["a detail", '{"detail":"the words"}'],
    ["plain text", "the words"],
    ["a page", "<html><body><h1>the</h1> words</body></html>"],
  ])("ask() shows what the provider says in %s", (_what, body) =>
    withEndpoint([status(422, body)], async (endpoint) => {
      const end = await lastOf(modelAt(endpoint.url));
      expect(end).toMatchObject({
        type: "failed",
        failure: { message: `${endpoint.url} answered 422: the words` },
      });
    }),
  );

  test.each(["application/json", "text/event-stream"])(
    "ask() refuses 64 MiB of %s, in plain words",
    (contentType) => {
      const chunk = new Uint8Array(1024 * 1024).fill(0x20);
      const reply: Reply = { type: "raw", contentType, chunks: Array.from({ length: 64 }, () => chunk) };
      return withEndpoint([reply], async (endpoint) => {
        const end = await lastOf(modelAt(endpoint.url, { retries: 0 }));
        const message = end?.type === "failed" ? end.failure.message : "";
        expect(message).toMatch(/^http:\S+: (invalid response: response|event) too large: over \d+ MiB$/);
        expect(endpoint.requests.length).toBe(1);
      });
    },
  );

  test("ask() lets no control character of an error through, and no flood", () =>
    withEndpoint(
      [status(422, `\u001b]0;title\u0007\u001b[31mred\u0000${"x".repeat(10_000)}`)],
      async (endpoint) => {
        const end = await lastOf(modelAt(endpoint.url));
        const message = end?.type === "failed" ? end.failure.message : "";
        expect(message).toMatch(/^[\x20-\x7e…]*$/);
        expect(message.length).toBeLessThan(400);
      },
    ));
});

const wantsUsage = (body: unknown): boolean =>
  typeof body === "object" && body !== null && "stream_options" in body;

async function withEndpoint(
  script: readonly Reply[] | ((request: ReceivedRequest, index: number) => Reply),
  body: (endpoint: Endpoint) => Promise<void>,
): Promise<void> {
  const endpoint = startEndpoint(script);
  try {
    await body(endpoint);
  } finally {
    await endpoint.stop();
  }
}

const modelAt = (url: string, more: Partial<HttpModelSettings> = {}): Model =>
  httpModel({ ...fakeHost(), wait: async () => {} }, completions(), httpSettings(url, more));

async function eventsOf(model: Model): Promise<readonly ModelEvent[]> {
  const request = { system: "be good", tools: [], messages: [userMessage("hello")] };
  return Array.fromAsync(model.ask(request, new AbortController().signal));
}

const lastOf = async (model: Model): Promise<ModelEvent | undefined> => (await eventsOf(model)).at(-1);

function onlyRequest({ requests }: Endpoint): ReceivedRequest {
  const [first, ...others] = requests;
  if (first === undefined || others.length > 0)
    throw new Error(`There were ${requests.length} requests, not one`);
  return first;
}
