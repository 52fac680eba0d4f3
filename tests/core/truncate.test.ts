import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { headTail, truncateEnd } from "../../core/truncate.ts";

/** Text with many characters that are two units long, in pieces that never split one. */
const pieces = fc.array(
  fc
    .array(fc.constantFrom("a", "b", "\n", "ä", "😀", "👩‍👩‍👧", "\u{10000}", "\u{10ffff}"), {
      maxLength: 40,
      size: "max",
    })
    .map((chars) => chars.join("")),
  { maxLength: 12, size: "max" },
);
const isWhole = (text: string) => text.isWellFormed();
const MARK = /^([\s\S]*)\n\[… (\d+) characters left out …\]\n([\s\S]*)$/;

const collect = (maxChars: number, parts: readonly string[]) => {
  const kept = headTail(maxChars);
  for (const part of parts) kept.add(part);
  return kept;
};

describe("headTail()", () => {
  test("keeps a text that fits as it is", () => {
    const kept = collect(10, ["0123", "456789"]);
    expect([kept.text(), kept.omittedChars()]).toEqual(["0123456789", 0]);
  });

  test("keeps a quarter of the head and three quarters of the tail and counts the rest", () => {
    const kept = collect(8, ["0123456789", "abcdefghij"]);
    expect(kept.text()).toBe("01\n[… 12 characters left out …]\nefghij");
    expect(kept.omittedChars()).toBe(12);
  });

  test("keeps nothing when there is room for nothing", () => {
    expect(collect(0, ["abc"]).text()).toBe("\n[… 3 characters left out …]\n");
  });

  test("may be read in between", () => {
    const kept = headTail(8);
    kept.add("0123456789");
    expect(kept.text()).toBe("01\n[… 2 characters left out …]\n456789");
    kept.add("ab");
    expect(kept.text()).toBe("01\n[… 4 characters left out …]\n6789ab");
  });

  test("never keeps more than was asked for, never half a character, and counts exactly", () => {
    fc.assert(
      fc.property(fc.nat(60), pieces, (maxChars, parts) => {
        const whole = parts.join("");
        const kept = collect(maxChars, parts);
        const [text, omitted] = [kept.text(), kept.omittedChars()];
        if (omitted === 0) return expect(text).toBe(whole);
        const [, head = "", count, tail = ""] = MARK.exec(text) ?? [];
        expect(Number(count)).toBe(omitted);
        expect(head.length + tail.length + omitted).toBe(whole.length);
        expect(whole.startsWith(head) && whole.endsWith(tail)).toBe(true);
        expect([isWhole(head), isWhole(tail)]).toEqual([true, true]);
        // A character that would be split goes with the tail: one unit more.
        expect(head.length).toBeLessThanOrEqual(Math.floor(maxChars / 4));
        expect(tail.length).toBeLessThanOrEqual(maxChars - Math.floor(maxChars / 4) + 1);
        expect(tail.length).toBeGreaterThanOrEqual(maxChars - Math.floor(maxChars / 4));
      }),
      { numRuns: 300 },
    );
  });

  test("does not depend on how the text arrives", () => {
    fc.assert(
      fc.property(fc.nat(60), pieces, (maxChars, parts) => {
        expect(collect(maxChars, parts).text()).toBe(collect(maxChars, [parts.join("")]).text());
      }),
      { numRuns: 200 },
    );
  });
});

describe("truncateEnd()", () => {
  test("keeps what fits and cuts the rest, never half a character", () => {
    expect(
      ["abc", "abcd", "ab😀", "ab😀", ""].map((text, index) => truncateEnd(text, index === 3 ? 4 : 3)),
    ).toEqual(["abc", "abc", "ab", "ab😀", ""]);
  });

  test("gives the longest whole beginning that fits", () => {
    fc.assert(
      fc.property(fc.nat(60), pieces, (maxChars, parts) => {
        const whole = parts.join("");
        const cut = truncateEnd(whole, maxChars);
        expect(whole.startsWith(cut) && isWhole(cut)).toBe(true);
        expect(cut.length).toBeLessThanOrEqual(maxChars);
        if (cut !== whole) expect(cut.length).toBeGreaterThanOrEqual(maxChars - 1);
      }),
      { numRuns: 200 },
    );
  });
});
