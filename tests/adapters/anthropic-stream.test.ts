import { describe, expect, test } from "bun:test";
import { originOf, readStream } from "./read-stream.ts";

const event = (data: object): string => `data: ${JSON.stringify(data)}\n\n`;
const read = (...events: readonly object[]) => readStream("anthropic", events.map(event));

const start = { type: "message_start", message: { usage: { input_tokens: 10, output_tokens: 1 } } };
const block = (index: number, content_block: object) => ({
  type: "content_block_start",
  index,
  content_block,
});
const delta = (index: number, more: object) => ({ type: "content_block_delta", index, delta: more });
const call = (id: string) => ({ type: "tool_use", id, name: "time", input: {} });
const json = (index: number, partial_json: string) =>
  delta(index, { type: "input_json_delta", partial_json });
const ended = (stop_reason: string) => ({
  type: "message_delta",
  delta: { stop_reason },
  usage: { output_tokens: 7, cache_read_input_tokens: 5 },
});
const stop = { type: "message_stop" };

describe("anthropic().newReader()", () => {
  test("end() puts interleaved calls together and adds the cache to the input", () => {
    const { reply } = read(
      start,
      block(0, call("a")),
      block(1, call("b")),
      json(1, '{"x":'),
      json(0, "{}"),
      json(1, "1}"),
      ended("tool_use"),
      stop,
    );
    expect(reply).toEqual({
      message: {
        role: "assistant",
        content: "",
        tool_calls: [
          { id: "a", name: "time", arguments: "{}" },
          { id: "b", name: "time", arguments: '{"x":1}' },
        ],
      },
      finish: "tool_calls",
      usage: { input_tokens: 15, output_tokens: 7, cached_tokens: 5, reasoning_tokens: 0, total_tokens: 22 },
    });
  });

  test("end() keeps thoughts that nobody may read", () => {
    const hidden = { type: "redacted_thinking", data: "c2VhbGVk" };
    const { reply } = read(
      start,
      block(0, hidden),
      block(1, { type: "text", text: "Hi" }),
      ended("end_turn"),
    );
    expect(reply?.message).toEqual({
      role: "assistant",
      content: "Hi",
      tool_calls: [],
      extra: { origin: originOf("anthropic"), fields: { content: [hidden, { type: "text", chars: 2 }] } },
    });
  });

  const thought = { type: "thinking", thinking: "hm", signature: "s" };

  test.each(["{}", "", '{"path":', "[1]", '{"a":1,"a":2}', `${"[".repeat(100_000)}`])(
    "end() keeps arguments as they were written: %.20s",
    (written) => {
      const { reply } = read(
        start,
        block(0, thought),
        block(1, call("a")),
        json(1, written),
        ended("tool_use"),
      );
      expect(reply?.message.tool_calls).toEqual([{ id: "a", name: "time", arguments: written || "{}" }]);
    },
  );

  test("end() keeps the order of thoughts, words and calls, but words and calls only once", () => {
    const { reply } = read(
      start,
      block(0, thought),
      block(1, { type: "text", text: "", citations: null }),
      delta(1, { type: "text_delta", text: "I look" }),
      block(2, { ...thought, thinking: "aha" }),
      block(3, { type: "text", text: " twice", citations: null }),
      block(4, { ...call("a"), caller: { type: "direct" } }),
      ended("tool_use"),
    );
    expect(reply?.message).toEqual({
      role: "assistant",
      content: "I look twice",
      reasoning: "hm\n\naha",
      tool_calls: [{ id: "a", name: "time", arguments: "{}" }],
      extra: {
        origin: originOf("anthropic"),
        fields: {
          content: [
            thought,
            { type: "text", citations: null, chars: 6 },
            { ...thought, thinking: "aha" },
            { type: "text", citations: null, chars: 6 },
            { type: "tool_use", caller: { type: "direct" } },
          ],
        },
      },
    });
  });

  test.each([
    ["end_turn", "stop"],
    ["stop_sequence", "stop"],
    ["tool_use", "tool_calls"],
    ["max_tokens", "length"],
    ["model_context_window_exceeded", "length"],
    ["refusal", "content_filter"],
  ] as const)("end() reads the stop reason %s as %s", (reason, finish) => {
    expect(read(start, block(0, { type: "text", text: "x" }), ended(reason), stop).reply?.finish).toBe(
      finish,
    );
  });

  test.each([
    ["overloaded_error", true],
    ["rate_limit_error", true],
    ["api_error", true],
    ["timeout_error", true],
    ["invalid_request_error", false],
  ])("event() of an %s", (type, retryable) => {
    const error = { type: "error", error: { type, message: "because" } };
    expect(read(start, error)).toEqual({ text: "", reasoning: "", error: "because", retryable });
  });

  test("end() runs no call of a stream that broke off", () => {
    expect(read(start, block(0, call("a")), json(0, "{}"))).toMatchObject({
      error: "the stream broke off inside a tool call",
      retryable: true,
    });
  });

  test("end() keeps a text that broke off, and says so", () => {
    const { reply, notice } = read(start, block(0, { type: "text", text: "cut sh" }));
    expect([reply?.message.content, notice]).toEqual([
      "cut sh",
      "The stream ended without its last event: the answer may be incomplete",
    ]);
  });
});
