import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import * as v from "valibot";
import { displayText, oneLine, proseText, spelledOut } from "../../core/sanitize.ts";
import { corpusRows } from "../adapters/corpus.ts";

const rows = corpusRows(
  "terminal-escapes",
  v.object({
    id: v.string(),
    why: v.string(),
    input: v.string(),
    expected: v.object({
      approval_display: v.string(),
      output_display: v.string(),
      raw_control_bytes: v.number(),
      must_show_in_approval: v.array(v.string()),
    }),
  }),
);

/** Bytes that steer a terminal; a newline and a tab of displayed text aside. */
const RAW_CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g;

const controlsIn = (text: string): number => (text.match(RAW_CONTROL) ?? []).length;

describe("the corpus of terminal escapes", () => {
  test("is there", () => {
    expect(rows.length).toBeGreaterThan(60);
  });

  test.each(rows.map((row) => [row.id, row.why, row] as const))(
    "%s: %s",
    (_id, _why, { input, expected }) => {
      const [approval, output] = [spelledOut(input), displayText(input)];
      expect({ approval, output }).toEqual({
        approval: expected.approval_display,
        output: expected.output_display,
      });
      expect(controlsIn(approval) + controlsIn(output)).toBe(expected.raw_control_bytes);
      expect(approval).not.toMatch(/[\n\t]/);
      for (const words of expected.must_show_in_approval) expect(approval).toContain(words);
    },
  );
});

/** Whole ranges, written down independently of the rule: what Unicode says has no shape of its own. */
const SHAPELESS: readonly (readonly [first: number, last: number, what: string])[] = [
  [0x00, 0x1f, "C0 controls"],
  [0x7f, 0x9f, "DEL and C1 controls"],
  [0xa0, 0xa0, "no-break space"],
  [0xad, 0xad, "soft hyphen"],
  [0x034f, 0x034f, "grapheme joiner"],
  [0x061c, 0x061c, "Arabic letter mark"],
  [0x115f, 0x1160, "Hangul fillers"],
  [0x1680, 0x1680, "Ogham space"],
  [0x17b4, 0x17b5, "Khmer inherent vowels"],
  [0x180b, 0x180f, "Mongolian selectors"],
  [0x2000, 0x200f, "spaces, zero widths and direction marks"],
  [0x2028, 0x202f, "separators, overrides, narrow space"],
  [0x205f, 0x206f, "mathematical space, joiners, isolates, deprecated format"],
  [0x2800, 0x2800, "blank Braille"],
  [0x3000, 0x3000, "ideographic space"],
  [0x3164, 0x3164, "Hangul filler"],
  [0xd800, 0xdfff, "half characters"],
  [0xfe00, 0xfe0f, "variation selectors"],
  [0xfeff, 0xfeff, "byte order mark"],
  [0xffa0, 0xffa0, "half-width filler"],
  [0xfff9, 0xfffb, "interlinear marks"],
  [0x1bca0, 0x1bca3, "shorthand controls"],
  [0x1d173, 0x1d17a, "musical controls"],
  [0xe0000, 0xe0fff, "tags and further selectors"],
];

describe("spelledOut()", () => {
  test.each(SHAPELESS)("spells U+%x to U+%x: %s", (first, last) => {
    for (let code = first; code <= last; code++) {
      const hex = code.toString(16);
      const form = code <= 0xff ? `\\x${hex.padStart(2, "0")}` : `\\u{${hex}}`;
      expect(spelledOut(`a${String.fromCodePoint(code)}b`)).toBe(`a${form}b`);
    }
  });

  test("keeps every character that has a shape, and tells apart texts that differ in others", () => {
    const invisible = fc.constantFrom("\u200b", "\u2060", "\u202e", "\u{e0041}", "\n", "\u0000", "\u00ad");
    const mixed = fc.array(fc.oneof(fc.constantFrom("a", " ", "ж", "漢", "😀"), invisible), {
      maxLength: 12,
    });
    fc.assert(
      fc.property(mixed, mixed, (a, b) => {
        expect(spelledOut(a.join("")) === spelledOut(b.join(""))).toBe(a.join("") === b.join(""));
      }),
      { numRuns: 500 },
    );
  });
});

describe("displayText()", () => {
  test("keeps the spaces of ordinary writing", () => {
    const text = "«\u00a0oui\u202f!\u00a0» 東京\u3000大阪";
    expect(displayText(text)).toBe(text);
  });

  test("shows what comes on the lines behind a string that was never ended", () => {
    expect(displayText("a\u001b]0;title\nerror: no\n")).toBe("a\nerror: no\n");
    expect(displayText("a\u009d0;title\nerror")).toBe("a\nerror");
  });

  test.each([
    ["unfinished sequences", "\u001b[".repeat(300_000)],
    ["unfinished strings", "\u001b]".repeat(300_000)],
    ["parameters without an end", `\u001b[${"1;".repeat(300_000)}`],
    ["zero widths", "\u200b".repeat(300_000)],
    ["pictures", "👩\u200d".repeat(200_000)],
  ])("takes time in proportion to the text: %s", (_what, text) => {
    const startedMs = performance.now();
    displayText(text);
    proseText(text);
    spelledOut(text);
    oneLine(text, 80);
    expect(performance.now() - startedMs).toBeLessThan(2000);
  });
});

describe("proseText()", () => {
  test("leaves pictures whole and spells everything else that hides", () => {
    expect(proseText("👩\u200d👩\u200d👧 ⚠\ufe0f 👍🏽")).toBe("👩\u200d👩\u200d👧 ⚠\ufe0f 👍🏽");
    expect(proseText("l\u200ds\ufe0f ⚠\ufe0f\u202e\u001b[2J")).toBe("l\\u{200d}s\\u{fe0f} ⚠\ufe0f\\u{202e}");
  });

  test("never lets a control through", () => {
    const part = fc.oneof(
      fc.constantFrom("\u001b[", "\u009b", "👩\u200d", "\ufe0f", "\u202e", "m", "\n"),
      fc.string({ unit: "binary", maxLength: 4 }),
    );
    fc.assert(
      fc.property(fc.array(part, { maxLength: 20 }), (parts) => {
        expect(controlsIn(proseText(parts.join("")))).toBe(0);
        expect(proseText(parts.join(""))).not.toMatch(/[\u202a-\u202e\u2066-\u2069]/);
      }),
      { numRuns: 500 },
    );
  });
});
