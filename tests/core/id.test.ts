import { expect, test } from "bun:test";
import fc from "fast-check";
import { approvalId, entryId, sessionId, sessionIdOf, taskId } from "../../core/id.ts";
import { fakeHost, START_UNIX_MS } from "../fakes/host.ts";

test("sessionId() is made of the time and of chance", () => {
  expect(sessionId(START_UNIX_MS, fakeHost().random)).toBe(sessionIdOf("0t87v6t-037aei"));
});

test("sessionId() is short to type and sorts by creation", () => {
  const time = fc.integer({ min: 0, max: Date.UTC(2100, 0, 1) });
  const random = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
  fc.assert(
    fc.property(time, time, random, (a, b, chance) => {
      const [first, second] = [a, b].map((ms) => sessionId(ms, () => chance));
      expect(first).toMatch(/^[a-z0-9]{7}-[a-z0-9]{6}$/);
      const [early, late] = [Math.floor(a / 1000), Math.floor(b / 1000)];
      if (early < late) expect(String(first) < String(second)).toBe(true);
    }),
    { numRuns: 200 },
  );
});

test("entryId() numbers entries so that they sort in the order of writing", () => {
  expect([0, 1, 35, 36, 46_655, 46_656].map((index) => String(entryId(index)))).toEqual([
    "0000",
    "0001",
    "000z",
    "0010",
    "0zzz",
    "1000",
  ]);
});

test("taskId() and approvalId() are told apart by their first letter", () => {
  expect([String(taskId(1)), String(approvalId(12))]).toEqual(["t1", "a12"]);
});
