import { expect, test } from "bun:test";
import fc from "fast-check";
import type { Event } from "../../core/event.ts";
import { unsplit } from "../../core/runtime/unsplit.ts";

const delta = (text: string): Event => ({ family: "model", type: "text_delta", text });
const END: Event = { family: "lifecycle", type: "stopped" };

test("unsplit() holds a word back until it is whole", () => {
  const pass = unsplit();
  expect(
    [delta("the key sk-12"), delta("34 is"), delta(" known"), END].flatMap((event) => pass(event)),
  ).toEqual([delta("the key "), delta("sk-1234 "), delta("is "), delta("known"), END]);
});

test("unsplit() keeps the order of what is not a delta, and of the two kinds of deltas", () => {
  const pass = unsplit();
  const thought: Event = { family: "model", type: "reasoning_delta", text: "hm" };
  expect([thought, delta("so"), END].flatMap((event) => pass(event))).toEqual([thought, delta("so"), END]);
});

test("unsplit() does not hold up a text without blanks for ever", () => {
  const pass = unsplit();
  expect(pass(delta("字".repeat(300)))).toEqual([delta("字".repeat(300))]);
});

test("unsplit() loses nothing and splits no word, however the text is cut", () => {
  fc.assert(
    fc.property(
      fc.array(fc.string({ unit: fc.constantFrom("a", "b", " ", "\n"), maxLength: 12 })),
      (pieces) => {
        const pass = unsplit();
        const shown = [...pieces.map(delta), END].flatMap((event) => pass(event));
        const texts = shown.map((event) => (event.type === "text_delta" ? event.text : ""));
        expect(texts.join("")).toBe(pieces.join(""));
        const words = pieces
          .join("")
          .split(/\s+/)
          .filter((word) => word !== "");
        expect(texts.flatMap((text) => text.split(/\s+/).filter((word) => word !== ""))).toEqual(words);
      },
    ),
  );
});
