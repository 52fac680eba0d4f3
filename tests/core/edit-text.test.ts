import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { applyEdits, type Edit } from "../../core/edit-text.ts";
import { err, ok } from "../../core/result.ts";

const edit = (search: string, replace: string): Edit => ({ search, replace });

const LOOSE =
  "The search differed from the file in trailing blanks or typographic quotes, dashes or spaces; it was taken";

describe("applyEdits()", () => {
  test.each([
    ["one word", "let a = 1;\n", [edit("let", "const")], "const a = 1;\n"],
    ["nothing in place of a line", "a\nb\nc\n", [edit("b\n", "")], "a\nc\n"],
    ["several places, in any order", "a b c", [edit("c", "C"), edit("a", "A")], "A b C"],
    ["searches in the text as it was", "a b", [edit("a", "b"), edit("b", "c")], "b c"],
    ["places that touch", "ab", [edit("a", "1"), edit("b", "2")], "12"],
    ["the last line without its end", "a\nb", [edit("b", "c\nd")], "a\nc\nd"],
    ["the end of a text without a newline", "a\nb", [edit("a\nb", "a\nb\n")], "a\nb\n"],
    ["patterns of replacements as they are", "x", [edit("x", "$& $1 $$")], "$& $1 $$"],
    ["patterns of searches as they are", "a.*b a--b", [edit("a.*b", "y")], "y a--b"],
    ["tabs and blanks", "\tif (a) {\n", [edit("\tif (a)", "\tif (b)")], "\tif (b) {\n"],
    ["lone carriage returns", "a\rb\n", [edit("a\rb", "c")], "c\n"],
  ])("changes %s", (_what, text, edits, after) => {
    expect(applyEdits(text, edits)).toEqual(ok({ text: after, notices: [] }));
  });

  test.each([
    ["Windows", "a\r\nb\r\nc\r\n", [edit("a\nb", "x\ny\nz")], "x\r\ny\r\nz\r\nc\r\n"],
    ["Windows, also when the model writes them", "a\r\nb\r\n", [edit("a\r\nb", "x\r\ny")], "x\r\ny\r\n"],
    ["Unix when the model writes others", "a\nb\n", [edit("a\r\nb", "x\r\ny")], "x\ny\n"],
    [
      "the place, where they are mixed",
      "a\nb\nc\r\nd\r\ne\r\n",
      [edit("a\nb", "x\ny")],
      "x\ny\nc\r\nd\r\ne\r\n",
    ],
    ["most of the text, where the place has none", "a\r\nb\r\n", [edit("b", "x\ny")], "a\r\nx\r\ny\r\n"],
  ])("keeps line endings of %s", (_whose, text, edits, after) => {
    expect(applyEdits(text, edits)).toEqual(ok({ text: after, notices: [] }));
  });

  test("keeps the byte order mark, also when the first line changes", () => {
    const text = "\ufeffa\r\nb\r\n";
    expect(applyEdits(text, [edit("a", "x")])).toEqual(ok({ text: "\ufeffx\r\nb\r\n", notices: [] }));
    expect(applyEdits(text, [edit("\ufeffa", "x")])).toEqual(ok({ text: "\ufeffx\r\nb\r\n", notices: [] }));
  });

  test.each([
    ["blanks at ends of lines of the file", "a  \nb\t\nc\n", edit("a\nb\nc", "x"), "x\n"],
    ["blanks at ends of lines of the search", "a\nb\n", edit("a  \nb \n", "x\n"), "x\n"],
    ["typographic quotes in the file", "say “hi” and ‘ho’\n", edit("say \"hi\" and 'ho'", "x"), "x\n"],
    ["typographic quotes in the search", 'say "hi"\n', edit("say “hi”", "x"), "x\n"],
    ["dashes", "a – b — c\n", edit("a - b - c", "x"), "x\n"],
    ["spaces that do not break", "a\u00a0b\n", edit("a b", "x"), "x\n"],
    ["Windows lines with blanks", "a \r\nb\r\n", edit("a\nb", "x\ny"), "x\r\ny\r\n"],
  ])("accepts %s, and says so", (_what, text, one, after) => {
    expect(applyEdits(text, [one])).toEqual(ok({ text: after, notices: [LOOSE] }));
  });

  test.each([
    [
      "several places",
      "a\nb\na\n",
      [edit("a", "x")],
      "the search occurs 2 times (lines 1, 3): give more of the lines around the one you mean",
    ],
    [
      "places that overlap in the text",
      "aaa",
      [edit("aa", "x")],
      "the search occurs 2 times (lines 1, 1): give more of the lines around the one you mean",
    ],
    [
      "several places that only look alike",
      "“a”\n”a“\n",
      [edit('"a"', "x")],
      "the search occurs 2 times (lines 1, 2): give more of the lines around the one you mean",
    ],
    [
      "nothing like it",
      "a\nb\n",
      [edit("zebra", "x")],
      "the search was not found; nothing in the file is like it",
    ],
    [
      "a line that is nearly it",
      "one\nconst total = sum(prices);\nthree\n",
      [edit("const total = sum(price);", "x")],
      "the search was not found; the closest place is\n2\tconst total = sum(prices);\n3\tthree\n",
    ],
    [
      "other indentation",
      "if (a) {\n    b();\n}\n",
      [edit("if (a) {\n\tb();\n}", "x")],
      "the search was not found; the closest place is\n1\tif (a) {\n2\t    b();\n3\t}\n4\t\n",
    ],
    [
      "overlapping edits",
      "abc",
      [edit("ab", "1"), edit("bc", "2")],
      "search 1 of 2 overlaps with another: make one edit of them",
    ],
    [
      "the same edit twice",
      "abc",
      [edit("b", "1"), edit("b", "1")],
      "search 1 of 2 overlaps with another: make one edit of them",
    ],
    [
      "one of several that is not there",
      "a b",
      [edit("a", "x"), edit("q", "y")],
      "search 2 of 2 was not found; nothing in the file is like it",
    ],
    ["nothing to change", "a", [edit("a", "a")], "the edits change nothing"],
    [
      "only blanks that are not there",
      "a\n",
      [edit("   ", "x")],
      "the search was not found; nothing in the file is like it",
    ],
    [
      "anything in an empty text",
      "",
      [edit("a", "x")],
      "the search was not found; nothing in the file is like it",
    ],
  ])("refuses %s", (_what, text, edits, why) => {
    expect(applyEdits(text, edits)).toEqual(err(why));
  });

  const word = fc.stringMatching(/^[ab"“ \r\n\t–-]{1,6}$/);

  test("changes exactly the one place, whatever the text", () => {
    fc.assert(
      fc.property(word, word, word, (before, search, behind) => {
        const text = `${before}§${search}§${behind}`;
        const found = applyEdits(text, [edit(`§${search}§`, "R")]);
        expect(found).toEqual(ok({ text: `${before}R${behind}`, notices: [] }));
      }),
    );
  });

  test("leaves what is around the place as it is, also when only the looks agree", () => {
    fc.assert(
      fc.property(fc.array(word, { maxLength: 8 }), fc.array(word, { maxLength: 8 }), (above, below) => {
        const [head, tail] = [`${above.join("\n")}\n`, `\n${below.join("\n")}`];
        const found = applyEdits(`${head}§ “x”  ${tail}`, [edit('§ "x"', "R")]);
        expect(found).toEqual(ok({ text: `${head}R${tail}`, notices: [LOOSE] }));
      }),
    );
  });

  test("changes ten megabytes", () => {
    const text = Array.from(
      { length: 250_000 },
      (_, index) => `line ${index} of a long text, “quoted”\r\n`,
    ).join("");
    const edits = [
      edit("line 777 of", "LINE 777 of"),
      edit('line 249999 of a long text, "quoted"', "the end"),
    ];
    const edited = applyEdits(text, edits);
    expect(edited.ok && [edited.value.text.length, edited.value.text.endsWith("the end\r\n")]).toEqual([
      text.length - 'line 249999 of a long text, "quoted"'.length + 7,
      true,
    ]);
    const missed = applyEdits(text, [edit("line 777 of a lnog text", "x")]);
    expect(missed.ok ? "" : missed.error).toStartWith("the search was not found; the closest place is\n");
  });
});
