import { describe, expect, test } from "bun:test";
import { userMessage } from "../../core/message.ts";
import type { ModelEvent, ModelRequest } from "../../core/ports/model.ts";
import {
  differences,
  markOf,
  parseRecording,
  type RecordingLine,
  type RequestMark,
} from "../../core/recording.ts";
import { err, ok } from "../../core/result.ts";
import { assistant, call, USAGE } from "../fakes/model.ts";
import { echoTool, failTool } from "../fakes/tools.ts";
import { errorOf } from "./expected-events.ts";

const mark: RequestMark = { model: "m-1", tools: ["echo"], last: { role: "user", text: "hi" } };
const header: RecordingLine = { type: "recording", v: 1, buddy: "1.2.3" };
const request: RecordingLine = { type: "request", mark, digest: "abc" };
const event = (at_ms: number, one: ModelEvent): RecordingLine => ({ type: "event", at_ms, event: one });
const linesOf = (...lines: readonly object[]) => lines.map((line) => `${JSON.stringify(line)}\n`).join("");

const EVERY_EVENT: readonly ModelEvent[] = [
  { type: "text_delta", text: "he" },
  { type: "reasoning_delta", text: "hm" },
  { type: "notice", text: "odd" },
  { type: "withdrawn" },
  { type: "retrying", attempt: 1, of: 4, wait_ms: 500, reason: "503" },
  {
    type: "replied",
    reply: {
      message: assistant("hello", [call("c1", "echo", {})], "hm"),
      finish: "tool_calls",
      usage: USAGE,
    },
  },
  { type: "replied", reply: { message: assistant("hello"), finish: "stop" } },
  { type: "failed", failure: { class: "auth", message: "401", hint: "set a key", http_status: 401 } },
];

describe("parseRecording()", () => {
  test("reads back every kind of event under the request it answered", () => {
    const text = linesOf(header, request, ...EVERY_EVENT.map((one, index) => event(index * 10, one)));
    const parsed = parseRecording(text);
    expect(parsed).toMatchObject(
      ok([{ mark, events: EVERY_EVENT.map((one, index) => ({ at_ms: index * 10, event: one })) }]),
    );
  });

  test("keeps exchanges apart and in order, and skips blank lines", () => {
    const other: RequestMark = { ...mark, last: { role: "tool", tool_call_id: "c1", is_error: true } };
    const text = `${linesOf(header, request, event(1, { type: "withdrawn" }))}\n  \n${linesOf({ ...request, mark: other })}`;
    expect(parseRecording(text)).toMatchObject(
      ok([
        { mark, events: [{ at_ms: 1, event: { type: "withdrawn" } }] },
        { mark: other, events: [] },
      ]),
    );
  });

  test.each([
    ["nothing", "", "it holds no exchange"],
    ["only a header", linesOf(header), "it holds no exchange"],
    ["a line that is not JSON", `${linesOf(header)}{"type":`, "line 2: not JSON"],
    ["a line of another type", linesOf(header, request, { type: "note" }), "line 3: type: "],
    ["a newer version", linesOf({ ...header, v: 2 }), "line 1: v: "],
    ["a request without its mark", linesOf(header, { type: "request", digest: "x" }), "line 2: mark: "],
    [
      "an event of another type",
      linesOf(header, request, { type: "event", at_ms: 1, event: { type: "x" } }),
      "line 3: event.type: ",
    ],
    [
      "a text that is no text",
      linesOf(header, request, { type: "event", at_ms: 1, event: { type: "notice", text: 1 } }),
      "line 3: event.text: ",
    ],
  ])("refuses %s and says where", (_what, text, why) => {
    const parsed = parseRecording(text);
    expect(parsed).toEqual(err(expect.stringContaining(why)));
  });
});

describe("markOf()", () => {
  const tools = [echoTool.spec, failTool.spec];
  const asked = (...messages: ModelRequest["messages"]): ModelRequest => ({ system: "s", tools, messages });
  const common = { model: "m-1", tools: ["echo", "fail"] };

  test("recognises a request by the model, the tools and the last user message", () => {
    expect(markOf(asked(assistant("x"), userMessage("hi")), "m-1")).toEqual({
      ...common,
      last: { role: "user", text: "hi" },
    });
  });

  test("looks only at which call a tool result answers, because results differ from run to run", () => {
    const result = errorOf(call("c9", "fail"), "no such file");
    expect(markOf(asked(userMessage("hi"), result), "m-1")).toEqual({
      ...common,
      last: { role: "tool", tool_call_id: "c9", is_error: true },
    });
  });

  test("takes a reply as the last message, and no message as an empty one", () => {
    expect(markOf(asked(assistant("so")), "m-1").last).toEqual({ role: "assistant", text: "so" });
    expect(markOf(asked(), "m-1").last).toEqual({ role: "user", text: "" });
  });
});

describe("differences()", () => {
  test("finds none in the same request", () => {
    expect(differences(mark, structuredClone(mark))).toEqual([]);
  });

  test("shows what was recorded and what is asked, field by field", () => {
    const asked: RequestMark = { model: "m-2", tools: ["echo"], last: { role: "assistant", text: "hi" } };
    expect(differences(mark, asked)).toEqual([
      '- model: "m-1"',
      '+ model: "m-2"',
      '- last: {"role":"user","text":"hi"}',
      '+ last: {"role":"assistant","text":"hi"}',
    ]);
  });

  test("counts the order of tools", () => {
    const two = { ...mark, tools: ["a", "b"] };
    expect(differences(two, { ...mark, tools: ["b", "a"] })).toEqual([
      '- tools: ["a","b"]',
      '+ tools: ["b","a"]',
    ]);
  });
});
