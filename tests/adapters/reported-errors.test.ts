import { describe, expect, test } from "bun:test";
import type { ProtocolName } from "../../adapters/model/protocol.ts";
import { historyOf } from "../../core/history.ts";
import { text, userMessage } from "../../core/message.ts";
import type { ModelEvent } from "../../core/ports/model.ts";
import { type Reply, raw, refuses, says, startEndpoint, status } from "../fakes/endpoint.ts";
import { modelAt, prompt } from "./converse.ts";

/** How one question to an endpoint ends that answers like this. */
async function endOf(protocol: ProtocolName, ...script: readonly Reply[]): Promise<ModelEvent | undefined> {
  const endpoint = startEndpoint(script);
  try {
    const request = { system: "be good", tools: [], messages: [userMessage("hi")] };
    const events = modelAt(endpoint, protocol).ask(request, new AbortController().signal);
    return (await Array.fromAsync(events)).at(-1);
  } finally {
    await endpoint.stop();
  }
}

const event = (data: object): Reply => raw([`data: ${JSON.stringify(data)}\n\n`]);
const failed = (code: string, message: string): Reply =>
  event({ type: "response.failed", response: { status: "failed", error: { code, message } } });

describe.concurrent("ask() tells apart what is wrong", () => {
  const TOO_LONG =
    "Your input exceeds the context window of this model. Please adjust your input and try again.";

  test("a conversation that is too long, said inside a stream", async () => {
    expect(await endOf("responses", failed("context_length_exceeded", TOO_LONG))).toMatchObject({
      type: "failed",
      failure: { class: "context", retryable: false },
    });
  });

  test.each([
    ["completions", "This model's maximum context length is 8192 tokens."],
    ["responses", TOO_LONG],
    ["anthropic", "prompt is too long: 210000 tokens > 200000 maximum"],
    ["anthropic", "input length and `max_tokens` exceed context limit: 190000 + 21333 > 200000"],
  ] as const)("a conversation that is too long, refused by %s: %s", async (protocol, message) => {
    expect(await endOf(protocol, refuses(400, message))).toMatchObject({
      type: "failed",
      failure: { class: "context", http_status: 400, request_id: "req_mock" },
    });
  });

  test.each([
    ["completions", event({ error: { code: 502, message: "upstream" } }), true],
    ["completions", event({ error: { code: 400, message: "bad" } }), false],
    ["completions", event({ error: { type: "server_error", message: "oops" } }), true],
    ["responses", failed("server_error", "oops"), true],
    ["responses", event({ type: "error", code: "rate_limit_exceeded", message: "slow" }), true],
    ["anthropic", event({ type: "error", error: { type: "overloaded_error", message: "Overloaded" } }), true],
    ["anthropic", event({ type: "error", error: { type: "api_error", message: "oops" } }), true],
    ["anthropic", refuses(529, "Overloaded"), true],
  ] as const)("what passes, with %s: %j", async (protocol, reply, retryable) => {
    expect(await endOf(protocol, reply)).toMatchObject({
      type: "failed",
      failure: { class: "model", retryable },
    });
  });

  test("Google's errors, which come in a list", async () => {
    const body = JSON.stringify([
      { error: { code: 400, message: "no such model", status: "INVALID_ARGUMENT" } },
    ]);
    expect(await endOf("completions", status(400, body))).toMatchObject({
      failure: { message: expect.stringMatching(/answered 400: no such model$/) },
    });
  });

  test("a call that no server could read is not the end of the conversation", async () => {
    const deep = `{"text":${"[".repeat(5000)}${"]".repeat(5000)}}`;
    const calls = { id: "c1", type: "function", function: { name: "echo", arguments: deep } };
    const chunk = {
      choices: [{ delta: { tool_calls: [{ index: 0, ...calls }] }, finish_reason: "tool_calls" }],
    };
    const endpoint = startEndpoint([event(chunk), says("Sorry")]);
    try {
      expect(await prompt(modelAt(endpoint, "completions"), historyOf(), text("go"))).toBe("Sorry");
    } finally {
      await endpoint.stop();
    }
  });

  test("a whole message with arguments nested too deep is refused, and nothing breaks", async () => {
    const input = `${'{"a":'.repeat(20_000)}1${"}".repeat(20_000)}`;
    const body = `{"type":"message","role":"assistant","stop_reason":"tool_use","content":[{"type":"tool_use","id":"c1","name":"echo","input":${input}}]}`;
    const reply = status(200, body, { "content-type": "application/json" });
    expect(await endOf("anthropic", reply)).toMatchObject({
      type: "failed",
      failure: {
        message: expect.stringMatching(/invalid response: it is nested too deep$/),
        retryable: false,
      },
    });
  });
});
