import { describe, expect, test } from "bun:test";
import { gzipSync } from "node:zlib";
import { type RawReply, startRawEndpoint } from "../contracts/raw-endpoint.ts";
import { endOf, historyFaults, runAgainst, startedTools } from "./run-against.ts";
import { chatStreams, chunksOf, type StreamRow } from "./sse-corpus.ts";

const ROWS = chatStreams();
const named = (rows: readonly StreamRow[]) => rows.map((row) => [`${row.id} ${row.name}`, row] as const);
const ending = (end: string) => ROWS.filter(({ input }) => input.end === end && !input.generate);

describe.concurrent("runTask() over HTTP", () => {
  const complete = ending("close").filter(({ expected }) => expected.outcome === "complete");
  test.each(named(complete))("%s", async (_name, row) => {
    await using endpoint = await startRawEndpoint([replyOf(row), SAYS_DONE]);
    const against = await runAgainst(endpoint.url);
    const [message] = against.history.messages.filter(({ role }) => role === "assistant");
    expect(message).toEqual({
      role: "assistant",
      content: row.expected.text ?? "",
      tool_calls: row.expected.tool_calls ?? [],
    });
    const calls = row.expected.tool_calls?.map(({ name }) => name) ?? [];
    expect([endOf(against), startedTools(against), historyFaults(against)]).toEqual([
      { type: "completed", text: calls.length > 0 ? "done" : (row.expected.text ?? "") },
      calls,
      [],
    ]);
  });

  const failing = ending("close").filter(({ expected }) => expected.outcome === "error");
  test.each(named(failing))("%s ends as a failure that says why", async (_name, row) => {
    await using endpoint = await startRawEndpoint([replyOf(row)]);
    const against = await runAgainst(endpoint.url);
    const { type, text } = endOf(against);
    expect([type, text.includes(row.expected.error ?? ""), startedTools(against)]).toEqual([
      "failed",
      true,
      [],
    ]);
    expect(endpoint.requests()).toBeLessThanOrEqual(4);
  });

  const either = ending("close").filter(({ expected }) => expected.outcome === "complete-or-error");
  test.each(named(either))("%s is whole or fails, and nothing is lost in silence", async (_name, row) => {
    await using endpoint = await startRawEndpoint([replyOf(row), replyOf(row), SAYS_DONE]);
    const against = await runAgainst(endpoint.url);
    const { type, text } = endOf(against);
    const whole = row.expected.text ?? (startedTools(against).length > 0 ? "done" : text);
    expect(type === "failed" || text === whole).toBe(true);
    expect(historyFaults(against)).toEqual([]);
  });

  test.each(named(ending("reset")))("%s: no half message stays, no half call runs", async (_name, row) => {
    await using endpoint = await startRawEndpoint([replyOf(row), SAYS_DONE]);
    const against = await runAgainst(endpoint.url);
    expect(endOf(against)).toEqual({ type: "completed", text: "done" });
    expect(against.history.messages.filter(({ role }) => role === "assistant")).toEqual([
      { role: "assistant", content: "done", tool_calls: [] },
    ]);
    expect([startedTools(against), against.waits.length]).toEqual([[], 1]);
  });

  test.each(named(ending("stall")))("%s ends after the idle time", async (_name, row) => {
    await using endpoint = await startRawEndpoint([replyOf(row)]);
    const startedMs = performance.now();
    const against = await runAgainst(endpoint.url, { retries: 0, idleTimeoutMs: 300 });
    expect(endOf(against)).toEqual({ type: "failed", text: `${endpoint.url} was silent for 300ms` });
    expect(performance.now() - startedMs).toBeLessThan(2300);
  });

  test.each(named(ending("stall-with-pings")))("%s can be cancelled", async (_name, row) => {
    await using endpoint = await startRawEndpoint([{ ...replyOf(row), end: "pings" }]);
    const signal = AbortSignal.timeout(400);
    const startedMs = performance.now();
    const against = await runAgainst(endpoint.url, { idleTimeoutMs: 150, signal });
    expect(endOf(against).type).toBe("cancelled");
    expect(performance.now() - startedMs).toBeLessThan(1400);
  });
});

describe.concurrent("runTask() over HTTP, generated streams", () => {
  const only = (id: string): StreamRow => {
    const found = ROWS.find((row) => row.id === id);
    if (!found) throw new Error(`The corpus has no row ${id}`);
    return found;
  };

  test("sse-066 gzip", async () => {
    const row = only("sse-066");
    const plain = Buffer.concat([...chunksOf(only(row.input.generate?.gzip_of ?? ""))]);
    const reply: RawReply = { head: row.input.headers, chunks: [gzipSync(plain)], end: "close" };
    await using endpoint = await startRawEndpoint([reply]);
    expect(endOf(await runAgainst(endpoint.url))).toEqual({
      type: "completed",
      text: row.expected.text ?? "",
    });
  });

  test("sse-067 one-8MiB-line is taken or refused", async () => {
    const size = only("sse-067").input.generate?.data_line_bytes ?? 0;
    const [before, after] = ['{"choices":[{"delta":{"content":"', '"},"finish_reason":"stop"}]}'];
    const content = "x".repeat(size - before.length - after.length);
    await using endpoint = await startRawEndpoint([
      { chunks: [`data: ${before}${content}${after}\n\n`], end: "close" },
    ]);
    const { type, text } = endOf(await runAgainst(endpoint.url, { retries: 0 }));
    expect(type === "completed" ? text === content : text.includes("event too large")).toBe(true);
  });

  test("sse-068 endless-line is cut off at a cap", async () => {
    const row = only("sse-068");
    let sent = 0;
    const chunks = function* () {
      yield 'data: {"choices":[{"delta":{"content":"';
      const piece = "x".repeat(256 * 1024);
      for (; sent < (row.input.generate?.data_line_bytes ?? 0); sent += piece.length) yield piece;
    };
    await using endpoint = await startRawEndpoint([{ chunks: chunks(), end: "close" }]);
    const { type, text } = endOf(await runAgainst(endpoint.url, { retries: 0 }));
    expect([type, text.includes(row.expected.error ?? "")]).toEqual(["failed", true]);
    // The rest was not waited for: the connection is closed at the cap and what the system had buffered.
    expect(sent).toBeLessThan(64 * 1024 * 1024);
  });

  test("sse-069 100k-events", async () => {
    const row = only("sse-069");
    const text = `${delta("x")}`.repeat(row.input.generate?.deltas ?? 0);
    await using endpoint = await startRawEndpoint([{ chunks: [text, STOPPED], end: "close" }]);
    const startedMs = performance.now();
    const end = endOf(await runAgainst(endpoint.url));
    expect([end.type, end.text.length]).toEqual(["completed", row.expected.text_len ?? 0]);
    expect(performance.now() - startedMs).toBeLessThan(10_000);
  });

  test("sse-070 slow-drip, a hundred times as fast with an idle time to match", async () => {
    const row = only("sse-070");
    const { deltas = 0, interval_ms = 0 } = row.input.generate ?? {};
    const chunks = async function* () {
      for (let count = 0; count < deltas; count++) {
        await Bun.sleep(interval_ms / 100);
        yield delta("a");
      }
      yield STOPPED;
    };
    await using endpoint = await startRawEndpoint([{ chunks: chunks(), end: "close" }]);
    const end = endOf(await runAgainst(endpoint.url, { retries: 0, idleTimeoutMs: 400 }));
    expect(end).toEqual({ type: "completed", text: row.expected.text ?? "" });
  });
});

const delta = (content: string): string =>
  `data: ${JSON.stringify({ choices: [{ delta: { content } }] })}\n\n`;
const STOPPED = 'data: {"choices":[{"delta":{},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n';
const SAYS_DONE: RawReply = { chunks: [delta("done"), STOPPED], end: "close" };

const replyOf = (row: StreamRow): RawReply => ({
  head: row.input.headers,
  chunks: chunksOf(row),
  end: row.input.end === "reset" || row.input.end === "stall" ? row.input.end : "close",
});
