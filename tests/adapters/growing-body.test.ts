import { describe, expect, test } from "bun:test";
import { growingBody } from "../../adapters/model/growing-body.ts";
import { type Message, userMessage } from "../../core/message.ts";

const PIECES = {
  start: "[0",
  piece: (messages: readonly Message[], at: number) => `,${JSON.stringify(messages[at])}`,
  tail: "]",
};

const written = (grow: ReturnType<typeof growingBody>, messages: readonly Message[], start = PIECES.start) =>
  new TextDecoder().decode(grow(messages, { ...PIECES, start }));

const whole = (messages: readonly Message[], start = PIECES.start) => written(growingBody(), messages, start);

describe("growingBody()", () => {
  const [one, two, three] = [userMessage("one ü"), userMessage("two 😀"), userMessage("three")];

  test("writes the same whether it grows or not", () => {
    const grow = growingBody();
    for (const messages of [[], [one], [one, two], [one, two, three]])
      expect(written(grow, messages)).toBe(whole(messages));
  });

  test("starts anew with another beginning, another history or a shorter one", () => {
    const grow = growingBody();
    const histories = [[one, two], [three, one], [one], [one, three, two], []];
    for (const messages of histories) expect(written(grow, messages)).toBe(whole(messages));
    expect(written(grow, [one], "[1")).toBe(whole([one], "[1"));
  });

  test("never sends a message that was taken out, whatever stands behind it", () => {
    const grow = growingBody();
    for (const messages of [
      [one, two],
      [three, two, one],
      [one, two, one],
    ])
      expect(written(grow, messages)).toBe(whole(messages));
  });

  test("grows past any size", () => {
    const grow = growingBody();
    const messages = Array.from({ length: 20 }, (_, at) => userMessage("ä".repeat(at * 10_000)));
    for (let count = 0; count <= messages.length; count++) {
      const some = messages.slice(0, count);
      expect(written(grow, some)).toBe(`[0${some.map((message) => `,${JSON.stringify(message)}`).join("")}]`);
    }
  });

  test.each([
    ["\ud83d", "\ufffd"],
    ["a\ude00b", "a\ufffdb"],
    ["\\\ud83d", "\\\ufffd"],
    ["\\ud83d", "\\ud83d"],
    ["\\\\ud83d 😀", "\\\\ud83d 😀"],
    ["\ud83d\ud83d\ude00", "\ufffd😀"],
  ])("replaces half a character in %j", (text, expected) => {
    expect(JSON.parse(whole([userMessage(text)]))).toEqual([0, userMessage(expected)]);
  });
});
