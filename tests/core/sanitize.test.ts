import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { displayText, oneLine, spelledOut } from "../../core/sanitize.ts";

/** Everything a terminal could take as more than text; newline and tab aside. */
const STEERS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/;

const hostile = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        "\u001b[",
        "\u001b]",
        "\u001bP",
        "\u001b\\",
        "\u009b",
        "\u009c",
        "\u0007",
        "\r",
        "\b",
        "\u007f",
      ),
      fc.constantFrom(
        "\u001b[2J",
        "\u001b]0;title\u0007",
        "\u001b[8mhidden\u001b[0m",
        "\u202e",
        "\u2066",
        "\ufeff",
      ),
      fc.constantFrom("0", ";", "m", "[", "]", "\\", "a", " ", "\n", "\t", "😀"),
      fc.string({ unit: "binary", maxLength: 3 }),
    ),
    { maxLength: 20, size: "max" },
  )
  .map((parts) => parts.join(""));

describe("displayText()", () => {
  test.each([
    ["colours", "a\u001b[31mred\u001b[0mb", "aredb"],
    ["cursor movement", "rm -rf build\u001b[1A\u001b[2Kls", "rm -rf buildls"],
    ["a title", "a\u001b]0;evil\u0007b", "ab"],
    ["a link", "\u001b]8;;http://x\u001b\\text\u001b]8;;\u001b\\", "text"],
    ["a clipboard write that never ends", "a\u001b]52;c;AAAA", "a"],
    ["a device control string", "a\u001bPq#0\u001b\\b", "ab"],
    ["a one-byte introducer", "a\u009b31mb", "ab"],
    ["a terminal reset", "a\u001bcb", "ab"],
    ["a charset switch", "a\u001b(0b", "ab"],
  ])("leaves out %s", (_what, text, shown) => {
    expect(displayText(text)).toBe(shown);
  });

  test.each([
    ["a carriage return", "safe\revil", "safe\\x0devil"],
    ["a backspace", "ls\b\brm", "ls\\x08\\x08rm"],
    ["NUL", "a\u0000b", "a\\x00b"],
    ["DEL", "a\u007fb", "a\\x7fb"],
    ["a bell", "a\u0007", "a\\x07"],
    ["a lone escape", "a\u001b", "a\\x1b"],
    ["a C1 control", "a\u0085b", "a\\x85b"],
  ])("spells %s", (_what, text, shown) => {
    expect(displayText(text)).toBe(shown);
  });

  test("leaves newlines, tabs and other scripts alone", () => {
    const text = "a\n\tb ä 漢字 😀 עברית";
    expect(displayText(text)).toBe(text);
  });

  test("never lets a control or direction character through", () => {
    fc.assert(
      fc.property(hostile, (text) => {
        expect(displayText(text)).not.toMatch(STEERS);
      }),
      { numRuns: 500 },
    );
  });

  test("changes nothing the second time", () => {
    fc.assert(
      fc.property(hostile, (text) => {
        expect(displayText(displayText(text))).toBe(displayText(text));
      }),
      { numRuns: 200 },
    );
  });
});

describe("spelledOut()", () => {
  test("shows the bytes of an escape sequence instead of leaving it out", () => {
    expect(spelledOut("rm -rf build\u001b[1A\u001b[2Kls")).toBe("rm -rf build\\x1b[1A\\x1b[2Kls");
    expect(spelledOut("a\u001b]0;evil\u0007b")).toBe("a\\x1b]0;evil\\x07b");
  });

  test("never lets a control or direction character through, and leaves nothing out", () => {
    fc.assert(
      fc.property(hostile, (text) => {
        const shown = spelledOut(text);
        expect(shown).not.toMatch(STEERS);
        expect(shown.length).toBeGreaterThanOrEqual(text.length);
        const plain = [...text].filter((char) => /[\p{L}\p{N}\p{P}\p{S}]/u.test(char));
        expect([...shown].filter((char) => plain.includes(char)).length).toBeGreaterThanOrEqual(plain.length);
      }),
      { numRuns: 300 },
    );
  });
});

describe("oneLine()", () => {
  test.each([
    ["folds white space", " a\n\t b  c ", 20, "a b c"],
    ["keeps what fits", "12345", 5, "12345"],
    ["cuts what does not", "123456", 5, "1234…"],
    ["never cuts a character in half", "123😀56", 5, "123…"],
    ["leaves escape sequences out", "\u001b[31mred\u001b[0m", 10, "red"],
  ])("%s", (_fact, text, max, line) => {
    expect(oneLine(text, max)).toBe(line);
  });

  test("is one line of at most so many characters, harmless to a terminal", () => {
    fc.assert(
      fc.property(hostile, fc.integer({ min: 1, max: 40 }), (text, max) => {
        const line = oneLine(text, max);
        expect(line).not.toMatch(STEERS);
        expect(line).not.toMatch(/[\n\t]/);
        expect(line.length).toBeLessThanOrEqual(max);
      }),
      { numRuns: 300 },
    );
  });
});
