import { expect, test } from "bun:test";
import { countAt, fieldsAt, isFields, listAt, textAt } from "../../core/lenient.ts";

test("isFields() knows an object from everything else", () => {
  expect([{}, { a: 1 }, [], null, undefined, "x", 1].map(isFields)).toEqual([
    true,
    true,
    false,
    false,
    false,
    false,
    false,
  ]);
});

const fields = { object: { a: 1 }, list: [1], text: "x", count: 3, nothing: null };

test("fieldsAt(), listAt() and textAt() give nothing for a field that is missing or of another type", () => {
  const keys = [...Object.keys(fields), "missing"];
  expect(keys.map((key) => fieldsAt(fields, key))).toEqual([{ a: 1 }, ...Array(5).fill(undefined)]);
  expect(keys.map((key) => listAt(fields, key))).toEqual([[], [1], [], [], [], []]);
  expect(keys.map((key) => textAt(fields, key))).toEqual(["", "", "x", "", "", ""]);
});

test("countAt() takes only counts that make sense", () => {
  const counts = [0, 3, 1.5, -1, Number.NaN, Number.POSITIVE_INFINITY, "3", null];
  expect(counts.map((count) => countAt({ count }, "count"))).toEqual([
    0,
    3,
    1.5,
    ...Array(5).fill(undefined),
  ]);
});
