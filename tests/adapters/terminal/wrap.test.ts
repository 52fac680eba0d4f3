import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { clipped, wrapped } from "../../../adapters/terminal/wrap.ts";

const texts = fc.array(
  fc.constantFrom("a", "word", " ", "日本", "é", "👨‍👩‍👧", "שלום", "\u001b[31m", "\u001b[0m"),
  {
    maxLength: 60,
  },
);

describe("lines for a terminal", () => {
  test("wrapped() and clipped() never give more columns than there are", () => {
    fc.assert(
      fc.property(texts, fc.integer({ min: 4, max: 50 }), (parts, width) => {
        const text = parts.join("");
        for (const line of wrapped(text, width)) expect(Bun.stringWidth(line)).toBeLessThanOrEqual(width);
        expect(Bun.stringWidth(clipped(text, width))).toBeLessThanOrEqual(width);
      }),
    );
  });

  test("wrapped() loses no word, clipped() says that it cut", () => {
    expect(wrapped("one two three", 7)).toEqual(["one two", "three"]);
    expect(clipped("one two three", 7)).toBe("one tw…");
    expect(clipped("one", 7)).toBe("one");
  });
});
