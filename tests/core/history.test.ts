import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { historyOf, repair } from "../../core/history.ts";
import { type Message, type ToolMessage, text, userMessage } from "../../core/message.ts";
import { assistant, call } from "../fakes/model.ts";

const result = (id: string, said = "ok"): ToolMessage => ({
  role: "tool",
  tool_call_id: id,
  name: "echo",
  content: [text(said)],
  is_error: false,
});
const interrupted = (id: string): ToolMessage => ({
  role: "tool",
  tool_call_id: id,
  name: "echo",
  content: [text('{"error":"Interrupted before a result was recorded; it may or may not have run"}')],
  is_error: true,
});
const asks = (...ids: readonly string[]) =>
  assistant(
    "",
    ids.map((id) => call(id, "echo")),
  );
const hi = userMessage("hi");

describe("repair()", () => {
  test.each<readonly [fact: string, broken: readonly Message[], whole: readonly Message[]]>([
    [
      "leaves a whole conversation as it is",
      [hi, asks("a"), result("a"), assistant("x")],
      [hi, asks("a"), result("a"), assistant("x")],
    ],
    [
      "answers a call that has no result",
      [hi, asks("a", "b"), result("b")],
      [hi, asks("a", "b"), interrupted("a"), result("b")],
    ],
    ["drops a result without a call", [hi, result("z"), assistant("x"), result("z")], [hi, assistant("x")]],
    [
      "drops a result that comes after the next reply",
      [asks("a"), assistant("x"), result("a")],
      [asks("a"), interrupted("a"), assistant("x")],
    ],
    [
      "keeps the first of two results",
      [asks("a"), result("a", "1"), result("a", "2")],
      [asks("a"), result("a", "1")],
    ],
    [
      "puts results in the order of the calls",
      [asks("a", "b"), result("b"), result("a")],
      [asks("a", "b"), result("a"), result("b")],
    ],
    ["moves a user message behind the results", [asks("a"), hi, result("a")], [asks("a"), result("a"), hi]],
    ["drops empty messages", [{ role: "user", content: [] }, assistant(""), hi], [hi]],
    ["keeps a call without text", [asks("a"), result("a")], [asks("a"), result("a")]],
    ["makes nothing of nothing", [], []],
  ])("%s", (_fact, broken, whole) => {
    expect(repair(broken)).toEqual([...whole]);
  });

  const id = fc.constantFrom("a", "b", "c");
  const message: fc.Arbitrary<Message> = fc.oneof(
    fc
      .constantFrom("", "hi")
      .map((said): Message => ({ role: "user", content: said === "" ? [] : [text(said)] })),
    id.map((one): Message => result(one)),
    fc
      .record({ said: fc.constantFrom("", "hm"), ids: fc.uniqueArray(id) })
      .map(({ said, ids }): Message => ({ ...asks(...ids), content: said })),
  );
  const messages = fc.array(message, { maxLength: 15, size: "max" });

  test("answers every call exactly once, right behind it, and leaves no other result", () => {
    fc.assert(
      fc.property(messages, (broken) => {
        const whole = repair(broken);
        const expected = whole.flatMap((one) =>
          one.role === "assistant" ? one.tool_calls.map((asked) => asked.id) : [],
        );
        expect(idsOfResults(whole)).toEqual(expected);
        whole.forEach((one, index) => {
          if (one.role !== "assistant") return;
          const behind = whole.slice(index + 1, index + 1 + one.tool_calls.length);
          expect(idsOfResults(behind)).toEqual(one.tool_calls.map((asked) => asked.id));
        });
      }),
      { numRuns: 200 },
    );
  });

  test("changes nothing the second time", () => {
    fc.assert(
      fc.property(messages, (broken) => {
        expect(repair(repair(broken))).toEqual(repair(broken));
      }),
      { numRuns: 200 },
    );
  });

  test("keeps everything said, in order", () => {
    fc.assert(
      fc.property(messages, (broken) => {
        const said = (all: readonly Message[]) =>
          all.filter((one) => one.role !== "tool" && one.content.length > 0);
        expect(said(repair(broken))).toEqual(said(broken));
      }),
      { numRuns: 200 },
    );
  });
});

describe("historyOf()", () => {
  test("begins with a repaired conversation and grows at the tail", () => {
    const before = [hi, asks("a")];
    const history = historyOf(before);
    history.push(userMessage("more"));
    expect(history.messages).toEqual([hi, asks("a"), interrupted("a"), userMessage("more")]);
    expect(before).toEqual([hi, asks("a")]);
  });

  test("is empty when nothing was said", () => {
    expect(historyOf().messages).toEqual([]);
  });
});

const idsOfResults = (all: readonly Message[]): readonly string[] =>
  all.flatMap((one) => (one.role === "tool" ? [one.tool_call_id] : []));
