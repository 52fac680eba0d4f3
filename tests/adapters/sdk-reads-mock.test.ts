import { describe, expect, test } from "bun:test";
import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";
import type { ProtocolName } from "../../adapters/model/protocol.ts";
import {
  calls,
  type Reply,
  refuses,
  type Spoken,
  says,
  saysAndCalls,
  startEndpoint,
  thinks,
} from "../fakes/endpoint.ts";
import { PROTOCOLS } from "./new-protocol.ts";
import { anthropicAt, type Heard, openaiAt, SDK_ASKS } from "./sdk-clients.ts";

const LOOK_A = { id: "call_a", name: "look", arguments: { path: "a ü" } };
const LOOK_B = { id: "call_b", name: "look", arguments: { path: "b", deep: [1, { two: null }] } };
const THOUGHTS = "First this.\n\nThen that: 😀";
const TOKEN = "c2VhbGVk+/äöü==";

/** What is scripted, and what must arrive of it. */
const CASES: readonly (readonly [string, Spoken, Partial<Heard>])[] = [
  ["a text", says("Hello, wörld 😀", 4), { text: "Hello, wörld 😀" }],
  [
    "a text that looks like the protocol",
    says("data: [DONE]\n\nevent: x"),
    { text: "data: [DONE]\n\nevent: x" },
  ],
  ["a call", calls(LOOK_A), { calls: [LOOK_A] }],
  ["parallel calls", calls(LOOK_A, LOOK_B), { calls: [LOOK_A, LOOK_B] }],
  ["text and calls", saysAndCalls("I look", LOOK_A, LOOK_B), { text: "I look", calls: [LOOK_A, LOOK_B] }],
  [
    "reasoning and a text",
    thinks(THOUGHTS, TOKEN, says("Done")),
    { text: "Done", reasoning: THOUGHTS, token: TOKEN },
  ],
  [
    "reasoning, text and calls",
    thinks(THOUGHTS, TOKEN, saysAndCalls("I look", LOOK_A, LOOK_B)),
    { text: "I look", reasoning: THOUGHTS, token: TOKEN, calls: [LOOK_A, LOOK_B] },
  ],
];

/** What each protocol calls the end of a turn with calls, and of one without. */
const FINISH = {
  completions: { calls: "tool_calls", text: "stop" },
  responses: { calls: "completed", text: "completed" },
  anthropic: { calls: "tool_use", text: "end_turn" },
} as const;

function expected(protocol: ProtocolName, said: Partial<Heard>): Heard {
  const thought = said.reasoning !== undefined;
  return {
    text: "",
    reasoning: "",
    calls: [],
    ...said,
    // Chat completions have no place for it.
    token: protocol === "completions" ? "" : (said.token ?? ""),
    finish: FINISH[protocol][said.calls ? "calls" : "text"],
    usage: { input: 100, output: 20, cached: thought ? 40 : 0, reasoning: thought ? 5 : 0 },
  };
}

async function withEndpoint<T>(
  script: readonly Reply[],
  use: (endpoint: ReturnType<typeof startEndpoint>) => Promise<T>,
): Promise<T> {
  const endpoint = startEndpoint(script, { strictPrivate: true });
  try {
    return await use(endpoint);
  } finally {
    await endpoint.stop();
  }
}

const MODES = ["stream", "whole"] as const;
const ROWS = PROTOCOLS.flatMap((protocol) =>
  MODES.flatMap((mode) => CASES.map(([name, reply, said]) => ({ protocol, mode, name, reply, said }))),
);

describe.concurrent("startEndpoint() as the vendors' SDKs read it", () => {
  test.each(ROWS)("$protocol, $mode: $name", async ({ protocol, mode, reply, said }) => {
    const heard = await withEndpoint([reply], (endpoint) => SDK_ASKS[protocol](endpoint, mode));
    expect(heard).toEqual(expected(protocol, said));
  });

  test("the events of a response are numbered, and its deltas add up", async () => {
    const [, reply] = CASES[6] ?? ["", says("")];
    await withEndpoint([reply], async (endpoint) => {
      const stream = await openaiAt(endpoint).responses.create({
        model: "mock",
        store: false,
        stream: true,
        input: [{ role: "user", type: "message", content: "hi" }],
      });
      const numbers: number[] = [];
      const deltas: Record<string, string> = {};
      for await (const event of stream) {
        numbers.push(event.sequence_number);
        if ("delta" in event && typeof event.delta === "string")
          deltas[event.type] = (deltas[event.type] ?? "") + event.delta;
      }
      expect(numbers).toEqual(numbers.map((_, at) => at));
      expect(deltas).toEqual({
        "response.reasoning_summary_text.delta": THOUGHTS.replace("\n\n", ""),
        "response.output_text.delta": "I look",
        "response.function_call_arguments.delta":
          JSON.stringify(LOOK_A.arguments) + JSON.stringify(LOOK_B.arguments),
      });
    });
  });

  test("the lists of models", async () => {
    await withEndpoint([], async (endpoint) => {
      const openai = await Array.fromAsync(openaiAt(endpoint).models.list(), ({ id }) => id);
      const anthropic = await Array.fromAsync(anthropicAt(endpoint).models.list(), ({ id }) => id);
      expect([openai, anthropic]).toEqual([
        ["mock", "mock-large"],
        ["mock", "mock-large"],
      ]);
    });
  });
});

describe.concurrent("startEndpoint() refuses in a form that the SDKs know", () => {
  const OPENAI = [
    [400, OpenAI.BadRequestError],
    [401, OpenAI.AuthenticationError],
    [403, OpenAI.PermissionDeniedError],
    [404, OpenAI.NotFoundError],
    [409, OpenAI.ConflictError],
    [422, OpenAI.UnprocessableEntityError],
    [429, OpenAI.RateLimitError],
    [500, OpenAI.InternalServerError],
  ] as const;
  test.each(OPENAI)("OpenAI's %d", async (status, kind) => {
    for (const protocol of ["completions", "responses"] as const) {
      const error = await thrownBy(protocol, refuses(status, "no, because"));
      expect(error).toBeInstanceOf(kind);
      expect(error).toMatchObject({ status, requestID: "req_mock", error: { message: "no, because" } });
    }
  });

  const ANTHROPIC = [
    [400, Anthropic.BadRequestError, "invalid_request_error"],
    [401, Anthropic.AuthenticationError, "authentication_error"],
    [403, Anthropic.PermissionDeniedError, "permission_error"],
    [404, Anthropic.NotFoundError, "not_found_error"],
    [429, Anthropic.RateLimitError, "rate_limit_error"],
    [500, Anthropic.InternalServerError, "api_error"],
    [529, Anthropic.APIError, "overloaded_error"],
  ] as const;
  test.each(ANTHROPIC)("Anthropic's %d", async (status, kind, type) => {
    const error = await thrownBy("anthropic", refuses(status, "no, because"));
    expect(error).toBeInstanceOf(kind);
    expect(error).toMatchObject({ status, type, apiMessage: "no, because", requestID: "req_mock" });
  });
});

describe.concurrent("startEndpoint() with strictPrivate, asked by an SDK that sends back what it got", () => {
  const SCRIPT = [thinks(THOUGHTS, TOKEN, calls(LOOK_A)), says("done"), says("done")];

  test("responses", async () => {
    await withEndpoint(SCRIPT, async (endpoint) => {
      const client = openaiAt(endpoint);
      const start = { role: "user", type: "message", content: "hi" } as const;
      const ask = (input: OpenAI.Responses.ResponseInput) =>
        client.responses.create({ model: "mock", store: false, input });
      const thought = (await ask([start])).output.filter((item) => item.type === "reasoning");
      const called = { type: "function_call", call_id: "call_a", name: "look", arguments: "{}" } as const;
      const result = { type: "function_call_output", call_id: "call_a", output: "ok" } as const;
      expect((await ask([start, ...thought, called, result])).output_text).toBe("done");
      expect(await failureOf(ask([start, called, result]))).toContain("turn 1 did not come back");
    });
  });

  test("anthropic", async () => {
    await withEndpoint(SCRIPT, async (endpoint) => {
      const client = anthropicAt(endpoint);
      const ask = (...rest: readonly Anthropic.MessageParam[]) =>
        client.messages.create({
          model: "mock",
          max_tokens: 2048,
          messages: [{ role: "user", content: "hi" }, ...rest],
        });
      const { content } = await ask();
      const result: Anthropic.MessageParam = {
        role: "user",
        content: [{ type: "tool_result", tool_use_id: "call_a", content: "ok" }],
      };
      const [text] = (await ask({ role: "assistant", content }, result)).content;
      expect(text).toEqual({ type: "text", text: "done", citations: null });
      const forgot = content.filter(({ type }) => type !== "thinking");
      expect(await failureOf(ask({ role: "assistant", content: forgot }, result))).toContain(
        "turn 1 did not come back",
      );
      const forged = content.map((block) =>
        block.type === "thinking" ? { ...block, signature: "x" } : block,
      );
      expect(await failureOf(ask({ role: "assistant", content: forged }, result))).toContain("not from here");
    });
  });
});

const failureOf = (asked: PromiseLike<unknown>): PromiseLike<string> =>
  asked.then(
    () => "",
    (error: unknown) => String(error),
  );

/** What the SDK throws, both of a stream and of a whole response. */
async function thrownBy(protocol: ProtocolName, reply: Reply): Promise<unknown> {
  return withEndpoint([reply, reply], async (endpoint) => {
    const thrown = await Promise.all(
      MODES.map((mode) => SDK_ASKS[protocol](endpoint, mode).catch((error: unknown) => error)),
    );
    expect(String(thrown[0])).toBe(String(thrown[1]));
    return thrown[0];
  });
}
