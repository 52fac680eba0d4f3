import { describe, expect, test } from "bun:test";
import { assistant, call, replies, says, USAGE } from "../fakes/model.ts";
import { actTool, echoTool } from "../fakes/tools.ts";
import {
  completed,
  errorOf,
  PROMPT,
  refused,
  replied,
  requested,
  requestStarted,
  resultOf,
  taskStarted,
} from "./expected-events.ts";
import { newLoop, resultsIn, runLoop } from "./run-loop.ts";

const CUT_OFF = "Not run: the response was cut off before it was complete. Ask again, with less at once";

/** What the model wrote, and what it is told about it. */
const mistakes: readonly (readonly [fact: string, name: string, args: string, told: string])[] = [
  ["an unknown tool", "ekko", "{}", 'Unknown tool "ekko". The tools are: echo, act'],
  [
    "the name of a property of every object",
    "toString",
    "{}",
    'Unknown tool "toString". The tools are: echo, act',
  ],
  [
    "a list",
    "echo",
    "[1]",
    "Arguments of echo: not an object: send one JSON object with the fields of the schema",
  ],
  [
    "a text",
    "echo",
    '"hi"',
    "Arguments of echo: not an object: send one JSON object with the fields of the schema",
  ],
  [
    "null",
    "echo",
    "null",
    "Arguments of echo: not an object: send one JSON object with the fields of the schema",
  ],
  ["a key twice", "act", '{"what":"ls","what":"rm"}', 'Arguments of act: the key "what" occurs twice'],
  [
    "a key twice, once escaped",
    "act",
    '{"what":"ls","\\u0077hat":"rm"}',
    'Arguments of act: the key "what" occurs twice',
  ],
  [
    "NUL",
    "act",
    '{"what":"ls\\u0000rm"}',
    "Arguments of act: NUL in what (only newline and tab are allowed)",
  ],
  [
    "an escape character",
    "act",
    '{"what":"ls\\u001b[2K"}',
    "Arguments of act: control character 0x1b in what (only newline and tab are allowed)",
  ],
  [
    "a carriage return",
    "act",
    '{"what":"rm\\rls"}',
    "Arguments of act: control character 0xd in what (only newline and tab are allowed)",
  ],
  [
    "DEL deep inside",
    "act",
    '{"what":"a","more":[{"x":"\\u007f"}]}',
    "Arguments of act: control character 0x7f in more.0.x (only newline and tab are allowed)",
  ],
  [
    "a control character in a key",
    "act",
    '{"what":"a","b\\u0008":1}',
    "Arguments of act: control character 0x8 in a key (only newline and tab are allowed)",
  ],
  [
    "a lone surrogate",
    "act",
    '{"what":"\\ud800"}',
    "Arguments of act: not JSON: a string has a lone surrogate",
  ],
  ["a missing field", "act", "{}", "Arguments of act: what is required. The fields are: what"],
  [
    "no arguments where one is needed",
    "act",
    "  ",
    "Arguments of act: what is required. The fields are: what",
  ],
  [
    "a field of another type",
    "act",
    '{"what":1}',
    "Arguments of act: what must be string, not 1. The fields are: what",
  ],
];

describe("a call that cannot run", () => {
  test.each(mistakes)("runTask() refuses %s and says why", async (_fact, name, args, told) => {
    const done: string[] = [];
    const asked = call("c1", name, args);
    const loop = newLoop({
      script: [replies({ calls: [asked] }), says("ok")],
      tools: [echoTool, actTool(done)],
    });
    const events = await runLoop(loop);
    expect(events.slice(0, 6)).toEqual([
      taskStarted,
      requestStarted(1),
      replied(assistant("", [asked])),
      requested(asked),
      refused(asked, told),
      requestStarted(2),
    ]);
    expect(events.at(-1)).toEqual(completed("ok", { usage: USAGE, turns: 2 }));
    expect(loop.requests[1]?.messages).toEqual([PROMPT, assistant("", [asked]), errorOf(asked, told)]);
    expect(done).toEqual([]);
  });

  test("runTask() refuses malformed JSON and says where it breaks", async () => {
    const asked = call("c1", "echo", '{"text":');
    const loop = newLoop({ script: [replies({ calls: [asked] }), says("ok")], tools: [echoTool] });
    const [result] = resultsIn(await runLoop(loop));
    expect(JSON.stringify(result)).toMatch(/Arguments of echo: not JSON: .*JSON/);
  });

  test("runTask() says that there are no tools when there are none", async () => {
    const asked = call("c1", "echo", {});
    const loop = newLoop({ script: [replies({ calls: [asked] }), says("ok")] });
    expect(resultsIn(await runLoop(loop))).toEqual([
      errorOf(asked, 'Unknown tool "echo". The tools are: none'),
    ]);
  });

  test("runTask() lets newlines and tabs through", async () => {
    const asked = call("c1", "echo", { text: "a\n\tb" });
    const loop = newLoop({ script: [replies({ calls: [asked] }), says("ok")], tools: [echoTool] });
    expect(resultsIn(await runLoop(loop))).toEqual([resultOf(asked, { echoed: "a\n\tb" })]);
  });

  test("runTask() lets arguments of every type through to the schema", async () => {
    const asked = call("c1", "echo", { text: "a", more: [null, 1, true, { deep: null }] });
    const loop = newLoop({ script: [replies({ calls: [asked] }), says("ok")], tools: [echoTool] });
    expect(resultsIn(await runLoop(loop))).toEqual([resultOf(asked, { echoed: "a" })]);
  });

  test("runTask() runs the good calls of a turn beside the refused ones", async () => {
    const good = call("c1", "echo", { text: "a" });
    const bad = call("c2", "ekko");
    const more = call("c3", "echo", { text: "b" });
    const loop = newLoop({ script: [replies({ calls: [good, bad, more] }), says("ok")], tools: [echoTool] });
    expect(resultsIn(await runLoop(loop))).toEqual([
      resultOf(good, { echoed: "a" }),
      errorOf(bad, 'Unknown tool "ekko". The tools are: echo'),
      resultOf(more, { echoed: "b" }),
    ]);
  });
});

describe("a response that is not complete", () => {
  test.each(["length", "content_filter", "error"] as const)(
    "runTask() never runs the calls of a response that finished with %s",
    async (finish) => {
      const done: string[] = [];
      const asked = [call("c1", "act", { what: "a" }), call("c2", "act", '{"what":"b')];
      const loop = newLoop({
        script: [replies({ calls: asked, finish }), says("ok")],
        tools: [actTool(done)],
      });
      const events = await runLoop(loop);
      expect(events.slice(3, 7)).toEqual([
        ...asked.map(requested),
        ...asked.map((one) => refused(one, CUT_OFF)),
      ]);
      expect(done).toEqual([]);
    },
  );

  test("runTask() runs the first 64 calls of a turn and refuses the rest", async () => {
    const asked = Array.from({ length: 66 }, (_, index) => call(`c${index}`, "act", { what: `${index}` }));
    const done: string[] = [];
    const loop = newLoop({ script: [replies({ calls: asked }), says("ok")], tools: [actTool(done)] });
    const events = await runLoop(loop);
    expect(resultsIn(events)).toEqual(
      asked.map((one, index) =>
        index < 64
          ? resultOf(one, { did: `${index}` })
          : errorOf(one, "Not run: at most 64 calls are run in one turn. Ask again"),
      ),
    );
    expect(done.length).toBe(64);
    expect(events.at(-1)).toEqual(completed("ok", { usage: USAGE, turns: 2, tool_calls: 64 }));
  });
});

describe("ids of calls", () => {
  const idsOf = async (...ids: readonly string[]): Promise<readonly string[]> => {
    const calls = ids.map((id, index) => call(id, "echo", { text: `${index}` }));
    const loop = newLoop({ script: [replies({ calls }), says("ok")], tools: [echoTool] });
    const events = await runLoop(loop);
    const sent = loop.history.messages.flatMap((message) =>
      message.role === "assistant" ? message.tool_calls.map(({ id }) => id) : [],
    );
    expect(resultsIn(events).map((message) => message.tool_call_id)).toEqual([...sent]);
    return sent;
  };

  test("runTask() keeps ids that are usable", async () => {
    expect(await idsOf("call_abc", "x".repeat(256))).toEqual(["call_abc", "x".repeat(256)]);
  });

  test("runTask() replaces ids that are empty, too long or not printable", async () => {
    expect(await idsOf("", "x".repeat(257), "a b", "ä", "a\n", "fine")).toEqual([
      "call_1_0",
      "call_1_1",
      "call_1_2",
      "call_1_3",
      "call_1_4",
      "fine",
    ]);
  });

  test("runTask() replaces the second of two same ids", async () => {
    expect(await idsOf("same", "same", "same")).toEqual(["same", "call_1_1", "call_1_2"]);
  });

  test("runTask() replaces an id that an earlier turn of the task has used", async () => {
    const turn = replies({ calls: [call("same", "echo", { text: "x" })] });
    const loop = newLoop({ script: [turn, turn, says("ok")], tools: [echoTool] });
    expect(resultsIn(await runLoop(loop)).map((message) => message.tool_call_id)).toEqual([
      "same",
      "call_2_0",
    ]);
  });
});
