import { describe, expect, test } from "bun:test";
import { ownTimes } from "../bench/mock.ts";
import { replyTo } from "../bench/replies.ts";
import type { Row } from "../bench/rows.ts";
import { rotated, samples, summarize } from "../bench/statistics.ts";
import { judged, tableOf } from "../bench/table.ts";

describe("summarize()", () => {
  test("has nothing to say about no values", () => {
    expect(summarize([])).toBeUndefined();
  });

  test("does not depend on the order of the values", () => {
    expect(summarize([11, 1, 6, 9, 2, 3, 10, 5, 4, 7, 8])).toEqual({
      count: 11,
      median: 6,
      p10: 2,
      p90: 10,
    });
  });

  test("takes the middle between two values", () => {
    expect(summarize([1, 2, 10, 20])?.median).toBe(6);
  });
});

test("rotated() lets everyone be first in turn", () => {
  expect([0, 1, 2, 3].map((by) => rotated(["a", "b", "c"], by).join(""))).toEqual([
    "abc",
    "bca",
    "cab",
    "abc",
  ]);
  expect(rotated([], 3)).toEqual([]);
});

test("samples() keeps the figures of each name apart", () => {
  const taken = samples();
  taken.add("a", 1, 3);
  taken.add("b", 10);
  taken.add("a", 2);
  expect([taken.median("a"), taken.median("b"), taken.median("c")]).toEqual([2, 10, undefined]);
});

test("ownTimes() spans from a response to the request after it", () => {
  expect(ownTimes({ firstByteAtMs: [0, 15, 32], sentAtMs: [10, 30, 50], body: "" })).toEqual([5, 2]);
});

const row = (value: number, goal: Row["goal"]): Row => ({
  what: "a thing",
  unit: "ms",
  value,
  floor: { name: "floor", value: 2 },
  goal,
});

describe("judged()", () => {
  const cases: readonly (readonly [goal: Row["goal"], value: number, reached: "yes" | "no" | "-"])[] = [
    [{ type: "ratio", most: 1.5 }, 3, "yes"],
    [{ type: "ratio", most: 1.5 }, 3.1, "no"],
    [{ type: "over", most: 1 }, 3, "yes"],
    [{ type: "over", most: 1 }, 3.1, "no"],
    [{ type: "value", most: 3 }, 3, "yes"],
    [{ type: "value", most: 3 }, 3.1, "no"],
    [{ type: "none" }, 1000, "-"],
  ];
  test.each(cases)("%j with %d is reached: %s", (goal, value, reached) => {
    expect(judged(row(value, goal)).reached).toBe(reached);
  });
});

test("tableOf() shows value, floor, ratio, goal and what was skipped", () => {
  const shown = tableOf([judged(row(3, { type: "ratio", most: 1.5 }))], [{ what: "b", reason: "absent" }]);
  expect(shown.split("\n").slice(2)).toEqual([
    "a thing  3.00 ms  2.00 ms  floor  1.50×  ≤ 1.5×  yes",
    "skipped: b: absent",
    "",
  ]);
});

test("replyTo() ends a run of tool turns with text", () => {
  const scenario = { kind: "time", count: 2 } as const;
  const said = [1, 2, 3].map((turn) => /"finish_reason":"(\w+)"/.exec(String(replyTo(scenario, turn)))?.[1]);
  expect(said).toEqual(["tool_calls", "tool_calls", "stop"]);
});
