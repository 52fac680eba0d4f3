import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { completions } from "../../adapters/model/completions.ts";
import type { Broken } from "../../adapters/model/protocol.ts";
import { sseReader } from "../../adapters/model/sse.ts";
import type { Reply } from "../../core/ports/model.ts";
import { chatStreams, chunksOf, type StreamRow } from "./sse-corpus.ts";

/** Streams that are given in full, as events, and that end in good order. */
const STREAMS: readonly StreamRow[] = chatStreams().filter(
  ({ input }) =>
    input.end === "close" && !input.generate && input.headers["content-type"] === "text/event-stream",
);

const ORIGIN = "completions@models.example.com";

const named = STREAMS.map((row) => [`${row.id} ${row.name}`, row] as const);

describe("sseReader() and completions().newReader()", () => {
  const complete = named.filter(([, { expected }]) => expected.outcome === "complete");

  test.each(complete)("%s", (_name, row) => {
    const { expected } = row;
    const { reply } = readStream(chunksOf(row));
    expect({
      text: reply?.message.content,
      tool_calls: reply?.message.tool_calls,
      usage_total: reply?.usage?.total_tokens,
    }).toEqual({
      text: expected.text ?? "",
      tool_calls: expected.tool_calls ?? [],
      usage_total: expected.usage_total,
    });
  });

  test.each(named)("%s: cut in two at any byte", (_name, row) => {
    const bytes = wholeOf(row);
    const expected = readStream([bytes]);
    for (let at = 0; at <= bytes.length; at++) {
      expect(readStream([bytes.subarray(0, at), bytes.subarray(at)])).toEqual(expected);
    }
  });

  test.each(named)("%s: cut in any number of pieces", (_name, row) => {
    const bytes = wholeOf(row);
    const expected = readStream([bytes]);
    const cuts = fc.array(fc.integer({ min: 0, max: bytes.length }), { maxLength: 40 });
    fc.assert(
      fc.property(cuts, (places) => {
        expect(readStream(split(bytes, places))).toEqual(expected);
      }),
      { numRuns: 40 },
    );
  });

  test.each(named)("%s: with CRLF, with CR, and cut anywhere", (_name, row) => {
    const expected = readStream([wholeOf(row)]);
    const text = new TextDecoder("utf-8", { ignoreBOM: true }).decode(wholeOf(row)).replaceAll("\r\n", "\n");
    for (const lineEnd of ["\r\n", "\r"]) {
      const bytes = new TextEncoder().encode(text.replaceAll("\n", lineEnd));
      for (let at = 0; at <= bytes.length; at++) {
        expect(readStream([bytes.subarray(0, at), bytes.subarray(at)])).toEqual(expected);
      }
    }
  });

  test.each(named)("%s: without the last blank line", (_name, row) => {
    const bytes = wholeOf(row);
    for (const cut of [1, 2]) {
      expect(readStream([bytes.subarray(0, bytes.length - cut)])).toEqual(readStream([bytes]));
    }
  });

  test.each(named)("%s: without [DONE]", (_name, row) => {
    const text = new TextDecoder("utf-8", { ignoreBOM: true }).decode(wholeOf(row));
    const bytes = new TextEncoder().encode(text.replace(/data: ?\[DONE\]\n\n$/, ""));
    expect(readStream([bytes])).toEqual(readStream([wholeOf(row)]));
  });
});

describe("completions().newReader()", () => {
  const delta = (fields: object) => `data: ${JSON.stringify({ choices: [{ index: 0, delta: fields }] })}\n\n`;
  const finished = (reason: string) => `data: {"choices":[{"delta":{},"finish_reason":"${reason}"}]}\n\n`;
  const fragment = (fields: object) => delta({ tool_calls: [fields] });
  const read = (...events: readonly string[]) => readStream([new TextEncoder().encode(events.join(""))]);

  test("end() refuses calls of a stream that broke off", () => {
    const begun = fragment({ index: 0, id: "a", function: { name: "time", arguments: "{}" } });
    expect(read(begun)).toEqual({
      broken: { detail: "the stream broke off inside a tool call", retryable: true },
    });
  });

  test("end() keeps a text that broke off, and says so", () => {
    expect(read(delta({ content: "half a sen" }))).toEqual({
      reply: { message: { role: "assistant", content: "half a sen", tool_calls: [] }, finish: "stop" },
      notice: "The stream ended without an end mark: the answer may be incomplete",
    });
  });

  test.each([
    ["stop", "stop"],
    ["tool_calls", "tool_calls"],
    ["function_call", "tool_calls"],
    ["length", "length"],
    ["max_tokens", "length"],
    ["content_filter", "content_filter"],
    ["error", "error"],
    ["eos_token", "stop"],
  ] as const)("end() reads the finish reason %s as %s", (wire, reason) => {
    expect(read(delta({ content: "x" }), finished(wire)).reply?.finish).toBe(reason);
  });

  test.each(["reasoning_content", "reasoning"])("end() keeps %s to send it back", (name) => {
    expect(
      read(delta({ [name]: "hm, " }), delta({ [name]: "yes" }), delta({ content: "hi" }), finished("stop")),
    ).toEqual({
      reply: {
        message: {
          role: "assistant",
          content: "hi",
          reasoning: "hm, yes",
          tool_calls: [],
          extra: { origin: ORIGIN, fields: { [name]: "hm, yes" } },
        },
        finish: "stop",
      },
    });
  });

  test("end() reads every count of usage", () => {
    const usage = {
      prompt_tokens: 10,
      completion_tokens: 5,
      total_tokens: 15,
      prompt_tokens_details: { cached_tokens: 4 },
      completion_tokens_details: { reasoning_tokens: 3 },
    };
    const last = `data: ${JSON.stringify({ choices: [], usage })}\n\n`;
    expect(read(delta({ content: "x" }), finished("stop"), last).reply?.usage).toEqual({
      input_tokens: 10,
      output_tokens: 5,
      cached_tokens: 4,
      reasoning_tokens: 3,
      total_tokens: 15,
    });
  });

  test.each([
    [
      "all numbered 0, told apart by their ids",
      [
        { index: 0, id: "a", function: { name: "time", arguments: "{" } },
        { index: 0, function: { arguments: "}" } },
        { index: 0, id: "b", function: { name: "time", arguments: "{}" } },
      ],
    ],
    [
      "not numbered, told apart by their ids",
      [
        { id: "a", function: { name: "time", arguments: "{" } },
        { function: { arguments: "}" } },
        { id: "b", function: { name: "time", arguments: "{}" } },
      ],
    ],
    [
      "numbered from 5, the id in the first fragment only",
      [
        { index: 5, id: "a", function: { name: "time", arguments: "" } },
        { index: 9, id: "b", function: { name: "time", arguments: "{" } },
        { index: 5, function: { arguments: "{}" } },
        { index: 9, function: { arguments: "}" } },
      ],
    ],
    [
      "with the id in every fragment, and an empty one",
      [
        { index: 0, id: "a", function: { name: "time", arguments: "{" } },
        { index: 0, id: "a", function: { name: "time", arguments: "}" } },
        { index: 1, id: "b", function: { name: "time", arguments: "{}" } },
        { index: 1, id: "", function: { name: "", arguments: "" } },
      ],
    ],
  ])("end() puts two calls together that come %s", (_how, fragments) => {
    const { reply } = read(...fragments.map(fragment), finished("tool_calls"));
    expect(reply?.message.tool_calls).toEqual([
      { id: "a", name: "time", arguments: "{}" },
      { id: "b", name: "time", arguments: "{}" },
    ]);
  });
});

describe("completions().newReader() with calls that are hard to tell apart", () => {
  const call = (id: string | undefined, city: string) => ({
    ...(id === undefined ? {} : { id }),
    type: "function",
    function: { name: "weather", arguments: JSON.stringify({ city }) },
  });
  const cities = (reply: Reply | undefined) => reply?.message.tool_calls.map((made) => made.arguments);
  const BOTH = ['{"city":"Rome"}', '{"city":"Oslo"}'];

  const PAIRS = [
    ["no ids", [call(undefined, "Rome"), call(undefined, "Oslo")]],
    ["empty ids", [call("", "Rome"), call("", "Oslo")]],
    ["equal ids", [call("c", "Rome"), call("c", "Oslo")]],
    ["ids of their own", [call("c1", "Rome"), call("c2", "Oslo")]],
  ] as const;

  test.each(PAIRS)("whole() keeps two calls with %s apart", (_what, tool_calls) => {
    const reader = completions().newReader(ORIGIN);
    const message = { role: "assistant", content: null, tool_calls };
    expect(reader.whole({ choices: [{ index: 0, message, finish_reason: "tool_calls" }] }).ok).toBe(true);
    const end = reader.end();
    expect(cities(end.ok ? end.value.reply : undefined)).toEqual(BOTH);
  });

  const streamOf = (...deltas: readonly (readonly object[])[]) => {
    const events = deltas.map((tool_calls) => ({ choices: [{ index: 0, delta: { tool_calls } }] }));
    const last = { choices: [{ index: 0, delta: {}, finish_reason: "tool_calls" }] };
    const text = [...events, last].map((event) => `data: ${JSON.stringify(event)}\n\n`).join("");
    return readStream([new TextEncoder().encode(text)]);
  };

  test.each(PAIRS)(
    "event() keeps two calls with %s and numbers of their own apart",
    (_what, [first, second]) => {
      const numbered = [
        { index: 0, ...first },
        { index: 1, ...second },
      ] as const;
      expect(cities(streamOf([numbered[0]], [numbered[1]]).reply)).toEqual(BOTH);
      expect(cities(streamOf(numbered).reply)).toEqual(BOTH);
    },
  );

  test.each(PAIRS.filter(([what]) => what !== "equal ids"))(
    "event() keeps two calls with %s and without numbers apart",
    (_what, [first, second]) => {
      expect(cities(streamOf([first], [second]).reply)).toEqual(BOTH);
      expect(cities(streamOf([first, second]).reply)).toEqual(BOTH);
    },
  );
});

type Read = { readonly reply?: Reply; readonly notice?: string; readonly broken?: Broken };

/** What a stream amounts to when it arrives in these pieces. */
function readStream(chunks: readonly Uint8Array[]): Read {
  const reader = completions().newReader(ORIGIN);
  const sse = sseReader(reader.event);
  for (const chunk of chunks) {
    const fed = sse.feed(chunk);
    if (!fed.ok) return { broken: fed.error };
  }
  const closed = sse.end();
  if (!closed.ok) return { broken: closed.error };
  const end = reader.end();
  return end.ok ? end.value : { broken: end.error };
}

const wholeOf = (row: StreamRow): Uint8Array => new Uint8Array(Buffer.concat([...chunksOf(row)]));

function split(bytes: Uint8Array, places: readonly number[]): readonly Uint8Array[] {
  const cuts = [0, ...places, bytes.length].sort((a, b) => a - b);
  return cuts.slice(1).map((end, index) => bytes.subarray(cuts[index] ?? 0, end));
}
