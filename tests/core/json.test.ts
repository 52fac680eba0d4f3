import { expect, test } from "bun:test";
import fc from "fast-check";
import { jsonOf } from "../../core/json.ts";

test("jsonOf() gives what JSON.parse made as it is", () => {
  fc.assert(
    fc.property(fc.json(), (text) => {
      expect(JSON.stringify(jsonOf(JSON.parse(text)))).toBe(JSON.stringify(JSON.parse(text)));
    }),
    { numRuns: 200 },
  );
});

test("jsonOf() makes null of what JSON does not have", () => {
  expect(jsonOf([undefined, () => 1, Symbol("x"), 1n])).toEqual([null, null, null, null]);
});
