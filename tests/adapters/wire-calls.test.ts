import { describe, expect, test } from "bun:test";
import { textParts } from "../../adapters/model/text-parts.ts";
import { wireArguments, wireId, wireInput, wireName } from "../../adapters/model/wire-calls.ts";

describe("what a call looks like on the wire", () => {
  test.each([
    ["run_shell", "run_shell"],
    ["mcp__a-b__c", "mcp__a-b__c"],
    ["rm -rf", "rm_-rf"],
    ["../run_shell", "___run_shell"],
    ["run_shell\n", "run_shell_"],
    ["näme", "n_me"],
    ["", "unknown"],
    ["a".repeat(100), "a".repeat(64)],
  ])("wireName(%j)", (name, expected) => {
    expect(wireName(name)).toBe(expected);
  });

  test("wireId() keeps an id that every provider takes", () => {
    for (const id of ["call_1_0", "toolu_01ABC-x", "a".repeat(64)]) expect(wireId(id)).toBe(id);
  });

  test("wireId() gives any other the same new one each time, and no two the same", () => {
    const odd = ["functions.look:0", "functions.look:1", "a".repeat(65), "a.b", "a:b"];
    const wired = odd.map(wireId);
    expect(wired).toEqual(odd.map(wireId));
    expect(new Set(wired).size).toBe(odd.length);
    for (const id of wired) expect(id).toMatch(/^call_[0-9a-f]{24}$/);
  });

  test.each([
    ['{"path": "a", "n": 1.50}', { path: "a", n: 1.5 }],
    ["{}", {}],
    ['{"a":{"b":[1,null,true]}}', { a: { b: [1, null, true] } }],
  ])("wireArguments(%j) leaves them as the model wrote them", (written, input) => {
    expect([wireArguments(written), wireInput(written)]).toEqual([written, input]);
  });

  test.each(["", "  ", "\n"])("wireArguments(%j) makes nothing an empty object", (written) => {
    expect([wireArguments(written), wireInput(written)]).toEqual(["{}", {}]);
  });

  test.each(['{"path":', "null", '"ls"', "[1]", "NaN", '{"a":1,"a":2}', "[".repeat(100_000)])(
    "wireArguments(%.20j) wraps what is no object",
    (written) => {
      const input = { malformed_arguments: written };
      expect([wireArguments(written), wireInput(written)]).toEqual([JSON.stringify(input), input]);
    },
  );

  test.each([
    ["one text, whatever became of it", "masked ***", [3], ["masked ***"]],
    ["several", "abcdef", [1, 0, 5], ["a", "", "bcdef"]],
    ["none", "", [], []],
    ["several that no longer add up", "ab***", [1, 2], undefined],
    ["text where there was none", "a", [], undefined],
    ["lengths that are none", "ab", [Number.NaN, 2], undefined],
  ] as const)("textParts() of %s", (_name, content, lengths, expected) => {
    expect(textParts(content, lengths)).toEqual(expected);
  });
});
