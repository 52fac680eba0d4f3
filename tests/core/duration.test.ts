import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { formatDuration, parseDuration } from "../../core/duration.ts";

describe("parseDuration()", () => {
  test.each([
    ["500ms", 500],
    ["30s", 30_000],
    ["10m", 600_000],
    ["2h", 7_200_000],
    ["1d", 86_400_000],
    ["1h30m", 5_400_000],
    ["1m500ms", 60_500],
    ["0", 0],
    ["45", 45_000],
    [" 5s ", 5000],
  ])("reads %j", (text, ms) => {
    expect(parseDuration(text)).toBe(ms);
  });

  test.each([
    "",
    " ",
    "s",
    "5 s",
    "5x",
    "-5s",
    "+5s",
    "1.5h",
    "5s!",
    "1e3",
    "5S",
    "5m30",
    "١s",
    "1234567890123s",
  ])("does not read %j", (text) => {
    expect(parseDuration(text)).toBeUndefined();
  });

  test("adds up its parts", () => {
    const part = fc.record({ count: fc.nat(10_000), unit: fc.constantFrom("ms", "s", "m", "h", "d") });
    fc.assert(
      fc.property(fc.array(part, { minLength: 1, maxLength: 5 }), (parts) => {
        const spelled = parts.map(({ count, unit }) => `${count}${unit}`);
        const sum = spelled.reduce((total, one) => total + (parseDuration(one) ?? Number.NaN), 0);
        expect(parseDuration(spelled.join(""))).toBe(sum);
      }),
      { numRuns: 200 },
    );
  });
});

describe("formatDuration()", () => {
  test.each([
    [0, "0ms"],
    [850, "850ms"],
    [999, "999ms"],
    [1000, "1s"],
    [1400, "1.4s"],
    [9999, "9.9s"],
    [10_000, "10s"],
    [59_999, "59s"],
    [60_000, "1m"],
    [125_000, "2m05s"],
    [3_599_999, "59m59s"],
    [3_600_000, "1h"],
    [5_400_000, "1h30m"],
    [90_061_000, "25h01m"],
  ])("spells %d ms", (ms, text) => {
    expect(formatDuration(ms)).toBe(text);
  });

  test("spells whole units so that they are read back the same", () => {
    const whole = fc.oneof(
      fc.nat(999),
      fc.integer({ min: 1, max: 3599 }).map((seconds) => seconds * 1000),
      fc.integer({ min: 60, max: 10_000 }).map((minutes) => minutes * 60_000),
    );
    fc.assert(
      fc.property(whole, (ms) => {
        expect(parseDuration(formatDuration(ms))).toBe(ms);
      }),
      { numRuns: 300 },
    );
  });
});
