import { describe, expect, test } from "bun:test";
import { type Reply, says, startEndpoint } from "../fakes/endpoint.ts";
import { endOf, historyFaults, runAgainst } from "./run-against.ts";

// Servers leave ids out or give one to all. Two calls of one response are two calls all the same.

const shellCall = (id: string | undefined, command: string) => ({
  ...(id === undefined ? {} : { id }),
  type: "function",
  function: {
    name: "run_shell",
    arguments: JSON.stringify({ command, risk: "low", mutation: false, privesc: false, why: "test" }),
  },
});

const whole = (tool_calls: readonly object[]): Reply => ({
  type: "status",
  status: 200,
  headers: { "content-type": "application/json" },
  body: JSON.stringify({
    choices: [
      { index: 0, message: { role: "assistant", content: null, tool_calls }, finish_reason: "tool_calls" },
    ],
  }),
});

const streamed = (tool_calls: readonly object[]): Reply => ({
  type: "raw",
  contentType: "text/event-stream",
  chunks: [
    ...tool_calls.map((call, index) => ({
      choices: [{ index: 0, delta: { tool_calls: [{ index, ...call }] }, finish_reason: null }],
    })),
    { choices: [{ index: 0, delta: {}, finish_reason: "tool_calls" }] },
  ].map((event) => `data: ${JSON.stringify(event)}\n\n`),
});

const IDS = [
  ["no ids", [undefined, undefined, undefined]],
  ["empty ids", ["", "", ""]],
  ["one id for all", ["same", "same", "same"]],
  ["one id for two", ["a", "b", "a"]],
] as const;

describe.each([
  ["a whole response", whole],
  ["a stream", streamed],
])("runTask() with %s", (_how, replyOf) => {
  test.each(IDS)("runs three calls with %s as three, and answers each", async (_what, ids) => {
    const commands = ["echo one", "echo two", "echo three"];
    const reply = replyOf(commands.map((command, index) => shellCall(ids[index], command)));
    const endpoint = startEndpoint([reply, says("done")]);
    try {
      const against = await runAgainst(endpoint.url);
      expect([against.commands, endOf(against)]).toEqual([commands, { type: "completed", text: "done" }]);
      expect(historyFaults(against)).toEqual([]);
    } finally {
      await endpoint.stop();
    }
  });

  test("numbers the calls of the next turn anew", async () => {
    const replies = [["echo one"], ["echo two"]].map((commands) =>
      replyOf(commands.map((command) => shellCall("same", command))),
    );
    const endpoint = startEndpoint([...replies, says("done")]);
    try {
      const against = await runAgainst(endpoint.url);
      expect(against.commands).toEqual(["echo one", "echo two"]);
      expect(historyFaults(against)).toEqual([]);
    } finally {
      await endpoint.stop();
    }
  });
});
