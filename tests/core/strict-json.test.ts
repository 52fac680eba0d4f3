import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { err, ok } from "../../core/result.ts";
import { parseStrictJson } from "../../core/strict-json.ts";

describe("parseStrictJson()", () => {
  test("reads whatever JSON.parse reads", () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 8 }), (value) => {
        const text = JSON.stringify(value);
        expect(parseStrictJson(text)).toEqual(ok(JSON.parse(text)));
      }),
      { numRuns: 200 },
    );
  });

  test("agrees with JSON.parse on what is JSON at all", () => {
    const piece = fc.constantFrom("{", "}", "[", "]", ",", ":", '"', '"a"', '"b"', "1", "null", "\\", " ");
    fc.assert(
      fc.property(
        fc.array(piece, { maxLength: 8 }).map((pieces) => pieces.join("")),
        (text) => {
          const parsed = parseStrictJson(text);
          if (parsed.ok) expect(parsed.value).toEqual(JSON.parse(text));
          else if (parsed.error.startsWith("not JSON")) expect(() => JSON.parse(text)).toThrow();
          else expect(parsed.error).toEndWith("occurs twice");
        },
      ),
      { numRuns: 500 },
    );
  });

  test.each([
    ["at the top", '{"a":1,"a":2}', "a"],
    ["with the same value", '{"a":1,"a":1}', "a"],
    ["spelled in another way", '{"a":1,"\\u0061":2}', "a"],
    ["deep inside", '{"x":[{"y":{"k":1,"l":2,"k":3}}]}', "k"],
    ["behind a nested object", '{"a":{"b":1},"a":2}', "a"],
    ["behind a list", '{"a":[1,"a"],"a":2}', "a"],
    ["that is empty", '{"":1,"":2}', ""],
    ["that is __proto__", '{"__proto__":1,"__proto__":2}', "__proto__"],
    ["with spaces around", '{ "a" : 1 , "a" : 2 }', "a"],
    ["with a quote in it", '{"a\\"b":1,"a\\"b":2}', 'a"b'],
  ])("refuses a key twice %s", (_where, text, key) => {
    expect(parseStrictJson(text)).toEqual(err(`the key ${JSON.stringify(key)} occurs twice`));
  });

  test.each([
    ["in different objects", '[{"a":1},{"a":2}]'],
    ["in nested objects", '{"a":{"a":{"a":1}}}'],
    ["as a value", '{"a":"a","b":"a"}'],
    ["in another case", '{"a":1,"A":2}'],
    ["in a list", '["a","a"]'],
  ])("takes the same word %s", (_where, text) => {
    expect(parseStrictJson(text)).toEqual(ok(JSON.parse(text)));
  });

  test("takes 64 levels and refuses 65", () => {
    const nested = (depth: number) => "[".repeat(depth) + "]".repeat(depth);
    expect(parseStrictJson(nested(64)).ok).toBe(true);
    expect(parseStrictJson(nested(65))).toEqual(err("nested deeper than 64 levels"));
    expect(parseStrictJson("[".repeat(1_000_000))).toEqual(err("nested deeper than 64 levels"));
    expect(parseStrictJson('{"a":'.repeat(65))).toEqual(err("nested deeper than 64 levels"));
  });

  test("does not count brackets inside texts", () => {
    const text = JSON.stringify("[".repeat(100));
    expect(parseStrictJson(text)).toEqual(ok("[".repeat(100)));
  });

  test.each([
    ["escaped", '{"a":"\\ud800"}'],
    ["written out", '{"a":"\ud800"}'],
    ["in a key", '{"\\udc00":1}'],
    ["in the wrong order", '["\\udc00\\ud800"]'],
  ])("refuses a lone surrogate %s", (_where, text) => {
    expect(parseStrictJson(text)).toEqual(err("not JSON: a string has a lone surrogate"));
  });

  test("takes a whole surrogate pair, escaped or not", () => {
    expect(parseStrictJson('["\\ud83d\\ude00","😀"]')).toEqual(ok(["😀", "😀"]));
  });

  test.each([
    "",
    " ",
    "{",
    '{"a"}',
    '{"a":1,}',
    "{'a':1}",
    '{"a":01}',
    '"open',
    "nul",
    "{} {}",
    '"a\nb"',
    "\ufeff{}",
  ])("refuses %j", (text) => {
    const parsed = parseStrictJson(text);
    expect(parsed).toMatchObject({ ok: false });
    if (!parsed.ok) expect(parsed.error).toStartWith("not JSON: ");
  });
});
