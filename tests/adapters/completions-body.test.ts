import { describe, expect, test } from "bun:test";
import { completions } from "../../adapters/model/completions.ts";
import type { RequestOptions } from "../../adapters/model/protocol.ts";
import { modelFacts } from "../../core/catalogue.ts";
import { type Message, userMessage } from "../../core/message.ts";
import type { ModelRequest, ToolSpec } from "../../core/ports/model.ts";

const ORIGIN = "completions@models.example.com";

const OPTIONS: RequestOptions = {
  model: "m-1",
  origin: ORIGIN,
  stream: true,
  streamUsage: true,
  maxOutputTokens: 0,
  temperature: undefined,
  topP: undefined,
  thinking: "medium",
  facts: modelFacts([], "m-1"),
};

const textOf = (body: Uint8Array): string => new TextDecoder().decode(body);

const TIME: ToolSpec = {
  name: "time",
  description: "The time",
  parameters: { type: "object", properties: {}, required: [] },
};

const bodyOf = (request: Partial<ModelRequest>, options: Partial<RequestOptions> = {}): unknown =>
  JSON.parse(
    textOf(
      completions().body(
        { system: "be good", tools: [], messages: [], ...request },
        { ...OPTIONS, ...options },
      ),
    ),
  );

const sentAs = (...messages: readonly Message[]): unknown => {
  const body = bodyOf({ messages });
  return typeof body === "object" && body !== null && "messages" in body ? body.messages : body;
};

/** A server that parses the arguments of earlier calls must not choke on those that are no JSON. */
const MALFORMED = JSON.stringify({ malformed_arguments: '{"path": "a"' });

const SYSTEM = { role: "system", content: "be good" };

describe("completions().body()", () => {
  test("body() of a streamed request without tools", () => {
    expect(bodyOf({ messages: [userMessage("hi")] })).toEqual({
      model: "m-1",
      stream: true,
      stream_options: { include_usage: true },
      messages: [SYSTEM, { role: "user", content: "hi" }],
    });
  });

  test("body() of a whole request with every option and a tool", () => {
    const options = { stream: false, maxOutputTokens: 512, temperature: 0, topP: 0.5 };
    expect(bodyOf({ tools: [TIME], messages: [userMessage("hi")] }, options)).toEqual({
      model: "m-1",
      stream: false,
      max_tokens: 512,
      temperature: 0,
      top_p: 0.5,
      tools: [{ type: "function", function: TIME }],
      messages: [SYSTEM, { role: "user", content: "hi" }],
    });
  });

  test("body() leaves stream_options out for a server that rejects them", () => {
    expect(bodyOf({}, { streamUsage: false })).toEqual({ model: "m-1", stream: true, messages: [SYSTEM] });
  });

  test("body() sends a turn of calls and their results", () => {
    const messages: readonly Message[] = [
      userMessage("look"),
      {
        role: "assistant",
        content: "",
        tool_calls: [
          { id: "c1", name: "time", arguments: "{}" },
          { id: "c2", name: "read_file", arguments: '{"path": "a"' },
        ],
      },
      {
        role: "tool",
        tool_call_id: "c1",
        name: "time",
        content: [{ type: "text", text: "12:00" }],
        is_error: false,
      },
      {
        role: "tool",
        tool_call_id: "c2",
        name: "read_file",
        content: [{ type: "text", text: "bad" }],
        is_error: true,
      },
      { role: "assistant", content: "noon", tool_calls: [] },
    ];
    expect(sentAs(...messages)).toEqual([
      SYSTEM,
      { role: "user", content: "look" },
      {
        role: "assistant",
        content: null,
        tool_calls: [
          { id: "c1", type: "function", function: { name: "time", arguments: "{}" } },
          { id: "c2", type: "function", function: { name: "read_file", arguments: MALFORMED } },
        ],
      },
      { role: "tool", tool_call_id: "c1", content: "12:00" },
      { role: "tool", tool_call_id: "c2", content: "bad" },
      { role: "assistant", content: "noon" },
    ]);
  });

  test("body() keeps the text of a message that also calls", () => {
    const message: Message = {
      role: "assistant",
      content: "I look",
      tool_calls: [{ id: "c1", name: "time", arguments: "{}" }],
    };
    expect(sentAs(message)).toEqual([
      SYSTEM,
      {
        role: "assistant",
        content: "I look",
        tool_calls: [{ id: "c1", type: "function", function: { name: "time", arguments: "{}" } }],
      },
    ]);
  });

  test("body() sends images as data URLs beside the text", () => {
    const message: Message = {
      role: "user",
      content: [
        { type: "text", text: "what is this" },
        { type: "image", media_type: "image/png", data: "aGk=" },
      ],
    };
    expect(sentAs(message)).toEqual([
      SYSTEM,
      {
        role: "user",
        content: [
          { type: "text", text: "what is this" },
          { type: "image_url", image_url: { url: "data:image/png;base64,aGk=" } },
        ],
      },
    ]);
  });

  test("body() gives provider-private fields back only to where they came from", () => {
    const message = (origin: string): Message => ({
      role: "assistant",
      content: "hi",
      reasoning: "hm",
      tool_calls: [],
      extra: { origin, fields: { reasoning_content: "hm" } },
    });
    const others = ["completions@other.example.com", "anthropic@models.example.com", ""];
    expect(sentAs(message(ORIGIN), ...others.map(message))).toEqual([
      SYSTEM,
      { role: "assistant", content: "hi", reasoning_content: "hm" },
      ...others.map(() => ({ role: "assistant", content: "hi" })),
    ]);
  });

  test("body() survives quotes, control characters and emoji", () => {
    const text = '"\\\u0000\u001b\n\u2028😀';
    expect(sentAs(userMessage(text))).toEqual([SYSTEM, { role: "user", content: text }]);
  });

  test("body() begins with the body before, so that a provider can cache it", () => {
    const protocol = completions();
    const messages: Message[] = [userMessage("one")];
    const request = { system: "be good", tools: [TIME], messages };
    const first = textOf(protocol.body(request, OPTIONS));
    messages.push({ role: "assistant", content: "two", tool_calls: [] }, userMessage("three"));
    expect(textOf(protocol.body(request, OPTIONS))).toStartWith(first.slice(0, -"]}".length));
  });
});
