import { expect, test } from "bun:test";
import fc from "fast-check";
import { nearest } from "../../core/nearest.ts";

const KNOWN = ["max_iterations", "model", "system_prompt", "temperature"];

test.each([
  ["a letter too much", "modell", "model"],
  ["a letter missing", "modl", "model"],
  ["a letter wrong", "madel", "model"],
  ["neighbours swapped", "mdoel", "model"],
  ["two letters missing", "mdl", "model"],
  ["two letters too much", "mmodeel", "model"],
  ["neighbours swapped twice", "omedl", "model"],
  ["another case", "MODEL", "model"],
  ["a long name with several mistakes", "max_iteration_s", "max_iterations"],
  ["the name itself", "temperature", "temperature"],
])("nearest() finds a name with %s", (_mistake, typed, meant) => {
  expect(nearest(typed, KNOWN)).toBe(meant);
});

test.each(["colour", "mo", "xadal", "ledom", "iterations", ""])(
  "nearest() suggests nothing for %j",
  (typed) => {
    expect(nearest(typed, KNOWN)).toBeUndefined();
  },
);

test("nearest() prefers the closest, and the first of two as close", () => {
  expect(nearest("path", ["bath", "paths", "path"])).toBe("path");
  expect(nearest("cat", ["bat", "car"])).toBe("bat");
});

test("nearest() finds nothing among nothing", () => {
  expect(nearest("model", [])).toBeUndefined();
});

test("nearest() always finds a known name itself", () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.stringMatching(/^[a-z_]{1,12}$/), { minLength: 1 }), (names) => {
      for (const name of names) expect(nearest(name, names)).toBe(name);
    }),
    { numRuns: 100 },
  );
});
