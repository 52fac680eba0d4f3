import { describe, expect, test } from "bun:test";
import type { Event } from "../../core/event.ts";
import { failure } from "../../core/failure.ts";
import { addUsage, userMessage } from "../../core/message.ts";
import { fakeHost } from "../fakes/host.ts";
import { asksFor, assistant, call, fails, replies, says, USAGE } from "../fakes/model.ts";
import { actTool, crashTool, echoTool, failTool } from "../fakes/tools.ts";
import {
  completed,
  contextUsed,
  errorOf,
  failed,
  PROMPT,
  phase,
  replied,
  requested,
  requestStarted,
  resultOf,
  taskStarted,
  textDelta,
  tokens,
  told,
  toolDone,
  toolFailed,
  toolStarted,
} from "./expected-events.ts";
import { newLoop, resultsIn, runLoop } from "./run-loop.ts";

describe("an answer", () => {
  test("runTask() streams a plain answer and completes with it", async () => {
    const loop = newLoop({ script: [says("hello")] });
    expect(await runLoop(loop)).toEqual([
      taskStarted,
      requestStarted(1),
      textDelta("hel"),
      textDelta("lo"),
      replied(assistant("hello"), USAGE),
      tokens(USAGE, USAGE),
      contextUsed(USAGE.total_tokens),
      completed("hello", { usage: USAGE }),
    ]);
    expect(loop.history.messages).toEqual([PROMPT, assistant("hello")]);
  });

  test("runTask() sends the system prompt, the tools and the whole conversation", async () => {
    const before = [userMessage("hi"), assistant("hello")];
    const loop = newLoop({ script: [says("again")], tools: [echoTool], before });
    await runLoop(loop);
    expect(loop.requests).toEqual([
      { system: "be good", tools: [echoTool.spec], messages: [...before, PROMPT] },
    ]);
  });

  test("runTask() passes on everything else a model turn tells", async () => {
    const message = assistant("ok", [], "because");
    const loop = newLoop({
      script: [
        [
          { type: "reasoning_delta", text: "bec" },
          { type: "withdrawn" },
          { type: "retrying", attempt: 1, of: 4, wait_ms: 500, reason: "503" },
          { type: "notice", text: "the stream had garbage in it" },
          { type: "replied", reply: { message, finish: "stop" } },
        ],
      ],
    });
    expect(await runLoop(loop)).toEqual([
      taskStarted,
      requestStarted(1),
      { family: "model", type: "reasoning_delta", text: "bec" },
      { family: "model", type: "delta_withdrawn" },
      { family: "model", type: "retrying", attempt: 1, of: 4, wait_ms: 500, reason: "503" },
      {
        family: "warning",
        type: "warning",
        code: "model_notice",
        message: "the stream had garbage in it",
      },
      replied(message),
      completed("ok"),
    ]);
  });

  test("runTask() keeps the private fields of a provider in the history", async () => {
    const message = { ...assistant("ok"), extra: { origin: "p@h", fields: { signature: "s" } } };
    const loop = newLoop({ script: [[{ type: "replied", reply: { message, finish: "stop" } }]] });
    await runLoop(loop);
    expect(loop.history.messages).toEqual([PROMPT, message]);
  });

  test("runTask() fails on an answer that was cut off by length, with what there is", async () => {
    const loop = newLoop({ script: [replies({ content: "half an ans", finish: "length" })] });
    expect(await runLoop(loop)).toEqual([
      taskStarted,
      requestStarted(1),
      replied(assistant("half an ans")),
      failed(
        failure("limit", "The answer was cut off: the model's output limit was reached", {
          hint: "raise max_output_tokens of the profile, or ask for less at once",
        }),
        "half an ans",
      ),
    ]);
  });

  test("runTask() fails on an answer that the provider filtered, with what there is", async () => {
    const loop = newLoop({ script: [replies({ content: "half", finish: "content_filter" })] });
    expect(await runLoop(loop)).toEqual([
      taskStarted,
      requestStarted(1),
      replied(assistant("half")),
      failed(failure("model", "The provider cut the answer off: content filter"), "half"),
    ]);
  });
});

describe("a tool turn", () => {
  const asked = call("c1", "echo", { text: "hi" });

  test("runTask() runs a call, feeds the result back and completes with the answer", async () => {
    const loop = newLoop({
      script: [replies({ content: "let me see", calls: [asked], usage: USAGE }), says("done")],
      tools: [echoTool],
    });
    const both = addUsage(USAGE, USAGE);
    const result = resultOf(asked, { echoed: "hi" });
    expect(await runLoop(loop)).toEqual([
      taskStarted,
      requestStarted(1),
      replied(assistant("let me see", [asked]), USAGE),
      tokens(USAGE, USAGE),
      contextUsed(USAGE.total_tokens),
      requested(asked),
      toolStarted(asked),
      toolDone(asked),
      told(result),
      requestStarted(2),
      textDelta("do"),
      textDelta("ne"),
      replied(assistant("done"), USAGE),
      tokens(USAGE, both),
      contextUsed(USAGE.total_tokens),
      completed("done", { usage: both, turns: 2, tool_calls: 1 }),
    ]);
    expect(loop.history.messages).toEqual([
      PROMPT,
      assistant("let me see", [asked]),
      result,
      assistant("done"),
    ]);
    expect(loop.requests.map(({ messages }) => messages)).toEqual([
      [PROMPT],
      [PROMPT, assistant("let me see", [asked]), result],
    ]);
  });

  test("runTask() feeds a tool's error back to the model", async () => {
    const failing = call("c1", "fail", { reason: "no such host" });
    const loop = newLoop({
      script: [asksFor("fail", { reason: "no such host" }), says("sorry")],
      tools: [failTool],
    });
    expect((await runLoop(loop)).slice(3, 7)).toEqual([
      requested(failing),
      toolStarted(failing),
      toolFailed(failing, "no such host"),
      told(errorOf(failing, "no such host")),
    ]);
    expect(loop.requests[1]?.messages.at(-1)).toEqual(errorOf(failing, "no such host"));
  });

  test("runTask() turns a tool's crash into a result, not into the end of the task", async () => {
    const crash = call("c1", "crash");
    const loop = newLoop({ script: [asksFor("crash", {}), says("sorry")], tools: [crashTool] });
    const events = await runLoop(loop);
    expect(events.slice(3, 7)).toEqual([
      requested(crash),
      toolStarted(crash),
      toolFailed(crash, "The tool failed: a bug in the tool"),
      told(errorOf(crash, "The tool failed: a bug in the tool")),
    ]);
    expect(events.at(-1)).toEqual(completed("sorry", { usage: USAGE, turns: 2, tool_calls: 1 }));
  });
});

describe("an empty reply", () => {
  test("runTask() asks once more after an empty reply, without keeping it", async () => {
    const loop = newLoop({ script: [replies({ content: " \n" }), says("here")] });
    expect(await runLoop(loop)).toEqual([
      taskStarted,
      requestStarted(1),
      requestStarted(2),
      textDelta("he"),
      textDelta("re"),
      replied(assistant("here"), USAGE),
      tokens(USAGE, USAGE),
      contextUsed(USAGE.total_tokens),
      completed("here", { usage: USAGE, turns: 2 }),
    ]);
    expect(loop.requests.map(({ messages }) => messages)).toEqual([[PROMPT], [PROMPT]]);
  });

  test("runTask() fails after two empty replies in a row", async () => {
    const loop = newLoop({ script: [replies({}), replies({ reasoning: "hm" })] });
    expect(await runLoop(loop)).toEqual([
      taskStarted,
      requestStarted(1),
      requestStarted(2),
      failed(failure("model", "The model gave an empty response twice", { retryable: true }), "", {
        cost_usd: 0,
        turns: 2,
      }),
    ]);
    expect(loop.history.messages).toEqual([PROMPT]);
  });

  test("runTask() forgives an empty reply again after a useful one", async () => {
    const script = [replies({}), asksFor("echo", { text: "x" }), replies({}), says("ok")];
    const events = await runLoop(newLoop({ script, tools: [echoTool] }));
    expect(events.at(-1)).toEqual(completed("ok", { usage: USAGE, turns: 4, tool_calls: 1 }));
  });
});

describe("limits", () => {
  const again = call("c1", "fail", { reason: "no" });
  const repeated = (turn: number) => (turn === 1 ? again : { ...again, id: `call_${turn}_0` });
  const note = (count: number) => ({
    note: `This same call has failed ${count} times in a row: change course instead of repeating it`,
  });

  test("runTask() tells the model from the third same failure on, and gives up at the fifth", async () => {
    const script = Array.from({ length: 5 }, () => asksFor("fail", { reason: "no" }));
    const loop = newLoop({ script, tools: [failTool] });
    const events = await runLoop(loop);
    expect(resultsIn(events)).toEqual([
      errorOf(repeated(1), "no"),
      errorOf(repeated(2), "no"),
      errorOf(repeated(3), "no", note(3)),
      errorOf(repeated(4), "no", note(4)),
      errorOf(repeated(5), "no", note(5)),
    ]);
    expect(events.at(-1)).toEqual(
      failed(failure("limit", "The model repeated the same failing call 5 times"), "", {
        turns: 5,
        tool_calls: 5,
      }),
    );
  });

  test("runTask() counts only failures in a row of the same calls", async () => {
    const no = asksFor("fail", { reason: "no" });
    const other = asksFor("fail", { reason: "other" });
    const script = [no, no, other, no, no, says("enough")];
    const events = await runLoop(newLoop({ script, tools: [failTool] }));
    expect(resultsIn(events)).toEqual([
      errorOf(repeated(1), "no"),
      errorOf(repeated(2), "no"),
      errorOf(repeated(3), "other"),
      errorOf(repeated(4), "no"),
      errorOf(repeated(5), "no"),
    ]);
    expect(events.at(-1)).toEqual(completed("enough", { usage: USAGE, turns: 6, tool_calls: 5 }));
  });
});

describe("costs", () => {
  const price = { input: 10, output: 100, cached: 1 };
  /** 90 tokens of input, 10 cached, 20 of output. */
  const ONE_REPLY = 0.00291;

  test("runTask() adds up what the replies cost", async () => {
    const asked = call("c1", "echo", { text: "x" });
    const script = [replies({ calls: [asked], usage: USAGE }), says("ok")];
    const events = await runLoop(newLoop({ script, tools: [echoTool], price }));
    const both = addUsage(USAGE, USAGE);
    expect(events.filter(({ family }) => family === "metrics")).toEqual([
      tokens(USAGE, USAGE, ONE_REPLY),
      contextUsed(USAGE.total_tokens),
      tokens(USAGE, both, 2 * ONE_REPLY),
      contextUsed(USAGE.total_tokens),
    ]);
    expect(events.at(-1)).toEqual(
      completed("ok", { usage: both, turns: 2, tool_calls: 1, cost_usd: 2 * ONE_REPLY }),
    );
  });

  test("runTask() does not know the cost when one reply did not say what it used", async () => {
    const asked = call("c1", "echo", { text: "x" });
    const script = [replies({ calls: [asked] }), says("ok")];
    const events = await runLoop(newLoop({ script, tools: [echoTool], price }));
    expect(events.at(-1)).toEqual(completed("ok", { usage: USAGE, turns: 2, tool_calls: 1, cost_usd: null }));
  });
});

describe("a model that fails", () => {
  test("runTask() ends with the model's failure", async () => {
    const why = failure("auth", "401 Unauthorized", { hint: "set a key", http_status: 401 });
    const loop = newLoop({ script: [fails(why)] });
    expect(await runLoop(loop)).toEqual([taskStarted, requestStarted(1), failed(why, "", { cost_usd: 0 })]);
    expect(loop.history.messages).toEqual([PROMPT]);
  });

  test("runTask() gives the last text there was when a later turn fails", async () => {
    const why = failure("model", "503");
    const script = [replies({ content: "so far", calls: [call("c1", "echo", { text: "x" })] }), fails(why)];
    const events = await runLoop(newLoop({ script, tools: [echoTool] }));
    expect(events.at(-1)).toEqual(failed(why, "so far", { turns: 2, tool_calls: 1 }));
  });

  test("runTask() throws when the model port breaks its contract", async () => {
    await expect(runLoop(newLoop({ script: [[]] }))).rejects.toThrow(
      "Model port ended without a closing event",
    );
  });

  test("scriptedModel() throws when the script runs out", async () => {
    await expect(runLoop(newLoop({ script: [] }))).rejects.toThrow("The model script has no turn 1");
  });
});

test("runTask() tells how long the model and the tools took", async () => {
  const host = fakeHost();
  const phases: Event[] = [];
  const loop = newLoop({ script: [asksFor("act", { what: "x" }), says("ok")], tools: [actTool([])], host });
  await runLoop(loop, undefined, (event) => {
    if (event.type === "phase") phases.push(event);
    if (event.type === "request_started") host.advance(40);
    if (event.family === "tool" && event.type === "started") host.advance(7);
  });
  expect(phases).toEqual([phase("model"), phase("tools", 7), phase("model")]);
});
