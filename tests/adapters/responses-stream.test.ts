import { describe, expect, test } from "bun:test";
import { originOf, readStream } from "./read-stream.ts";
import { chunksOf, streamsOf } from "./sse-corpus.ts";

const named = streamsOf("responses").map((row) => [`${row.id} ${row.name}`, row] as const);
const event = (data: object): string => `data: ${JSON.stringify(data)}\n\n`;
const read = (...events: readonly object[]) => readStream("responses", events.map(event));

const CALL = { type: "function_call", id: "fc_1", call_id: "c1", name: "time", arguments: "{}" };
const CALLED = { id: "c1", name: "time", arguments: "{}" };
const item = (type: "added" | "done") => ({
  type: `response.output_item.${type}`,
  output_index: 0,
  item: CALL,
});
const text = (delta: string) => ({ type: "response.output_text.delta", delta });
const completed = (response: object) => ({ type: "response.completed", response });

describe("responses().newReader()", () => {
  test.each(named)("%s", (_name, row) => {
    const { expected } = row;
    const { reply, error, notice } = readStream("responses", chunksOf(row));
    expect([error, reply?.message.content, reply?.usage?.total_tokens ?? expected.usage_total]).toEqual([
      undefined,
      expected.text,
      expected.usage_total ?? reply?.usage?.total_tokens,
    ]);
    expect(notice !== undefined).toBe(expected.outcome === "partial");
  });

  test("end() takes the items of the stream when the last event lists none", () => {
    const { reply } = read(item("added"), item("done"), completed({ status: "completed", output: [] }));
    expect(reply).toEqual({
      message: {
        role: "assistant",
        content: "",
        tool_calls: [CALLED],
        extra: {
          origin: originOf("responses"),
          fields: { output: [{ type: "function_call", id: "fc_1" }] },
        },
      },
      finish: "tool_calls",
    });
  });

  test.each([
    ["begun", [item("added")]],
    ["announced and done", [item("added"), item("done")]],
    ["done without having been announced", [item("done")]],
    ["done behind a text", [text("I look"), item("done")]],
  ])("end() runs no call of a stream that broke off: %s", (_name, events) => {
    expect(read(...events)).toMatchObject({ error: "the stream broke off before its end", retryable: true });
  });

  test.each([
    ["max_output_tokens", "length"],
    ["content_filter", "content_filter"],
  ])("end() of a response that is incomplete because of %s", (reason, finish) => {
    const response = { status: "incomplete", incomplete_details: { reason }, output: [CALL] };
    expect(read({ type: "response.incomplete", response }).reply).toMatchObject({
      finish,
      message: { tool_calls: [CALLED] },
    });
  });

  const failed = (code: string, message: string) => ({
    type: "response.failed",
    response: { status: "failed", error: { code, message } },
  });
  test.each([
    [failed("server_error", "try later"), "try later", true],
    [failed("rate_limit_exceeded", "slow down"), "slow down", true],
    [failed("invalid_prompt", "no"), "no", false],
    [{ type: "error", code: "server_error", message: "oops", param: null }, "oops", true],
    [{ type: "error", error: { type: "invalid_request_error", message: "bad" } }, "bad", false],
    [{ type: "response.failed", response: {} }, "the response failed", false],
  ])("event() of %j", (sent, error, retryable) => {
    expect(read(text("Hel"), sent)).toEqual({ text: "Hel", reasoning: "", error, retryable });
  });

  test("end() of nothing at all is an empty reply", () => {
    expect(read().reply).toEqual({
      message: { role: "assistant", content: "", tool_calls: [] },
      finish: "stop",
    });
  });

  test("end() takes a refusal for what was said", () => {
    const output = [
      { type: "message", role: "assistant", content: [{ type: "refusal", refusal: "I will not" }] },
    ];
    const { reply, text: seen } = read(
      { type: "response.refusal.delta", delta: "I will not" },
      completed({ status: "completed", output }),
    );
    expect([reply?.message.content, seen]).toEqual(["I will not", "I will not"]);
  });
});
