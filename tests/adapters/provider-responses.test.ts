import { describe, expect, test } from "bun:test";
import * as v from "valibot";
import type { Message } from "../../core/message.ts";
import { type ReceivedRequest, type Reply, says, startEndpoint } from "../fakes/endpoint.ts";
import { corpusRows } from "./corpus.ts";
import {
  type Against,
  type AgainstSetup,
  endOf,
  historyFaults,
  KEY,
  runAgainst,
  startedTools,
  toolResults,
} from "./run-against.ts";

const row = v.object({
  id: v.string(),
  class: v.string(),
  name: v.string(),
  input: v.object({
    status: v.optional(v.number()),
    headers: v.optional(v.record(v.string(), v.string())),
    body: v.optional(v.string()),
    generate: v.optional(v.record(v.string(), v.unknown())),
  }),
  expected: v.looseObject({
    executed: v.optional(v.union([v.number(), v.string()])),
    tool_result: v.optional(v.string()),
    error: v.optional(v.string()),
    behaviour: v.optional(v.string()),
    max_attempts: v.optional(v.number()),
    text: v.optional(v.string()),
  }),
});
type Row = v.InferOutput<typeof row>;

const ROWS = corpusRows("provider-responses", row);
const rowsOf = (wanted: (row: Row) => boolean) =>
  ROWS.filter((one) => !one.input.generate && wanted(one)).map(
    (one) => [`${one.id} ${one.name}`, one] as const,
  );
const idIs = (...ids: readonly string[]) => rowsOf(({ id }) => ids.includes(id));

describe.concurrent("runTask() with bad calls", () => {
  const refused = rowsOf(({ expected }) => expected.executed === 0 && expected.tool_result !== undefined);
  test.each(refused)("%s is told to the model and not run", async (_name, { input, expected }) => {
    const { against, requests } = await play([replyOf(input), says("done")]);
    expect({ end: endOf(against), started: startedTools(against), commands: against.commands }).toEqual({
      end: { type: "completed", text: "done" },
      started: [],
      commands: [],
    });
    const [told = ""] = toolResults(against);
    expect(told).toContain('"error":');
    expect(told).toContain(
      WORDS[expected.tool_result ?? ""] ?? "a way to say it that this table does not know",
    );
    expect([historyFaults(against), requests.length]).toEqual([[], 2]);
  });

  const permissive = idIs("prov-026", "prov-027", "prov-030", "prov-035", "prov-036", "prov-039", "prov-053");
  test.each(permissive)("%s runs or is refused, and the history stays valid", async (_name, { input }) => {
    const { against, requests } = await play([replyOf(input), says("done"), says("done")]);
    expect(endOf(against)).toEqual({ type: "completed", text: "done" });
    expect(historyFaults(against)).toEqual([]);
    expect(requests.length).toBeLessThanOrEqual(3);
    for (const id of idsIn(against)) expect(id).toMatch(/^[\x21-\x7e]+$/);
  });

  test.each(idIs("prov-028", "prov-029"))("%s runs only what was approved", async (_name, { input }) => {
    const { against } = await play([replyOf(input), says("done")]);
    expect(against.commands).toEqual(against.approved);
    expect(against.commands).not.toContain("rm -rf build");
    expect("approved" in {}).toBe(false);
  });

  test.each(idIs("prov-037"))("%s", async (_name, { input }) => {
    const before: readonly Message[] = [
      { role: "user", content: [{ type: "text", text: "earlier" }] },
      { role: "assistant", content: "", tool_calls: [{ id: "call_prev", name: "time", arguments: "{}" }] },
      {
        role: "tool",
        tool_call_id: "call_prev",
        name: "time",
        content: [{ type: "text", text: "{}" }],
        is_error: false,
      },
    ];
    const { against } = await play([replyOf(input), replyOf(input), says("done")], { before });
    expect([endOf(against), startedTools(against)]).toEqual([
      { type: "completed", text: "done" },
      ["time", "time"],
    ]);
    expect(new Set(idsIn(against).slice(1)).size).toBe(2);
  });

  test.each(idIs("prov-058"))("%s", async (_name, { input }) => {
    const { against } = await play([replyOf(input), says("done")]);
    const [message] = against.history.messages.filter(({ role }) => role === "assistant");
    expect([startedTools(against), message?.content]).toEqual([["time"], "I will look."]);
  });
});

describe.concurrent("runTask() with odd bodies", () => {
  const broken = rowsOf(({ class: kind, expected }) => kind === "shape" && expected.error !== undefined);
  test.each(broken)("%s ends as a failure that says why", async (_name, { input, expected }) => {
    const { against, requests } = await play(() => replyOf(input));
    const { type, text } = endOf(against);
    expect([type, text.includes(expected.error ?? ""), startedTools(against)]).toEqual(["failed", true, []]);
    expect(requests.length).toBeLessThanOrEqual(4);
  });

  const answered = rowsOf(({ class: kind, expected }) => kind === "shape" && expected.text !== undefined);
  test.each(answered)("%s", async (_name, { input, expected }) => {
    const { against } = await play([replyOf(input)]);
    expect(endOf(against)).toEqual({ type: "completed", text: expected.text ?? "" });
    const counted = against.events.filter(({ type }) => type === "tokens" || type === "context");
    expect(counted).toEqual([]);
  });

  test.each(idIs("prov-072", "prov-073"))(
    "%s is kept as an assistant's message",
    async (_name, { input }) => {
      const { against } = await play([replyOf(input)]);
      expect(against.history.messages.map(({ role }) => role)).toEqual(["user", "assistant"]);
    },
  );
});

describe.concurrent("runTask() with error statuses", () => {
  const table = rowsOf(({ class: kind, expected }) => kind === "status" && expected.behaviour !== undefined);
  test.each(table)("%s", async (_name, { input, expected }) => {
    const { against, requests, url } = await play(() => replyOf(input), { retries: 4 });
    const retried = /^retried/.test(expected.behaviour ?? "");
    expect(endOf(against)).toEqual({
      type: "failed",
      text: `${url} answered ${input.status}: m${retried ? " (tried 5 times)" : ""}`,
    });
    expect([requests.length, against.waits.length]).toEqual(retried ? [5, 4] : [1, 0]);
    expect(requests.length).toBeLessThanOrEqual(expected.max_attempts ?? 0);
  });

  test.each(idIs("prov-095"))("%s: the key is shown nowhere", async (_name, { input }) => {
    expect(input.body).toContain(KEY);
    const { against } = await play([replyOf(input)]);
    expect(JSON.stringify([against.events, against.history.messages])).not.toContain(KEY);
    expect(endOf(against).text).toEndWith("Incorrect API key provided: ***");
  });

  test.each(idIs("prov-098"))("%s is not followed", async (_name, { input }) => {
    const { against, requests } = await play([replyOf(input), says("followed")]);
    expect([endOf(against).type, requests.length]).toEqual(["failed", 1]);
  });

  test.each([
    ["prov-093 401-storm", 401, 1],
    ["prov-094 429-storm", 429, 5],
  ])("%s is bounded", async (_name, status, attempts) => {
    const { against, requests } = await play(() => ({ type: "status", status, body: "{}" }), { retries: 4 });
    expect([endOf(against).type, requests.length]).toEqual(["failed", attempts]);
    expect(against.waits.reduce((sum, ms) => sum + ms, 0)).toBeLessThan(60_000);
  });
});

describe.concurrent("runTask() with generated calls", () => {
  const call = (fields: { id?: string; name: string; arguments: string }, index = 0) => ({
    id: fields.id ?? `call_${index}`,
    type: "function",
    function: { name: fields.name, arguments: fields.arguments },
  });
  const asks = (tool_calls: readonly object[]): Reply =>
    jsonReply({
      choices: [{ message: { role: "assistant", content: null, tool_calls }, finish_reason: "tool_calls" }],
    });

  test("prov-033 deep-nesting is refused at once", async () => {
    const path = `${"[".repeat(100_000)}${"]".repeat(100_000)}`;
    const startedMs = performance.now();
    const { against } = await play([
      asks([call({ name: "read_file", arguments: `{"path":${path}}` })]),
      says("done"),
    ]);
    expect([endOf(against).text, startedTools(against)]).toEqual(["done", []]);
    expect(performance.now() - startedMs).toBeLessThan(2000);
  });

  test("prov-038 10-kB-id is replaced", async () => {
    const { against } = await play([
      asks([call({ id: "x".repeat(10_240), name: "time", arguments: "{}" })]),
      says("done"),
    ]);
    expect([endOf(against).text, startedTools(against), historyFaults(against)]).toEqual([
      "done",
      ["time"],
      [],
    ]);
    expect(idsIn(against).every((id) => id.length <= 256)).toBe(true);
  });

  test("prov-054 10000-calls-one-turn runs 64 and answers all", async () => {
    const flood = Array.from({ length: 10_000 }, (_, index) =>
      call({ name: "time", arguments: "{}" }, index),
    );
    const { against } = await play([asks(flood), says("done")]);
    expect([endOf(against).text, startedTools(against).length, historyFaults(against)]).toEqual([
      "done",
      64,
      [],
    ]);
    expect(toolResults(against).length).toBe(10_000);
  });

  test("prov-056 endless-loop-failing-call is stopped and told", async () => {
    const { against, requests } = await play((_request, index) =>
      asks([call({ name: "run_shell", arguments: "{bad" }, index)]),
    );
    expect(endOf(against)).toEqual({
      type: "failed",
      text: "The model repeated the same failing call 5 times",
    });
    expect([requests.length, startedTools(against), historyFaults(against)]).toEqual([5, [], []]);
    expect(toolResults(against).map((told) => told.includes("change course"))).toEqual([
      false,
      false,
      true,
      true,
      true,
    ]);
  });
});

/** How buddy says what rows say in general words. */
const WORDS: Readonly<Record<string, string>> = {
  error: "error",
  "error: not JSON": "not JSON",
  "error: not an object": "not an object",
  "error: unknown tool": "Unknown tool",
  "error: NUL in command": "NUL in command",
  "error: command is required": "Arguments of run_shell: command is required; ",
  "error: wait out of range":
    'Arguments of run_shell: wait out of range: true, false, a duration such as \\"10m\\", or whole seconds',
};

type Script = readonly Reply[] | ((request: ReceivedRequest, index: number) => Reply);

async function play(script: Script, setup: AgainstSetup = {}) {
  const endpoint = startEndpoint(script);
  try {
    const against = await runAgainst(endpoint.url, setup);
    return { against, requests: endpoint.requests, url: endpoint.url };
  } finally {
    await endpoint.stop();
  }
}

const replyOf = ({ status = 200, headers = {}, body = "" }: Row["input"]): Reply => ({
  type: "status",
  status,
  body,
  headers,
});

const jsonReply = (body: object): Reply => ({
  type: "status",
  status: 200,
  body: JSON.stringify(body),
  headers: { "content-type": "application/json" },
});

const idsIn = ({ history }: Against): readonly string[] =>
  history.messages.flatMap((message) =>
    message.role === "assistant" ? message.tool_calls.map(({ id }) => id) : [],
  );
