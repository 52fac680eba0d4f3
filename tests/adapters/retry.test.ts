import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import * as v from "valibot";
import { retryAfterMs, waitBefore } from "../../adapters/model/retry.ts";
import { corpusRows } from "./corpus.ts";

const NOW = Date.UTC(2026, 0, 2, 3, 4, 5);
const ROLLS = [0, 0.5, 0.999];
const BACKOFF_CAP_MS = 20_000;

const row = v.object({
  id: v.string(),
  input: v.string(),
  why: v.string(),
  expected: v.object({
    wait_s: v.optional(v.tuple([v.number(), v.number()])),
    stop_or_cap: v.optional(v.boolean()),
    fallback_backoff: v.optional(v.boolean()),
    or: v.optional(v.string()),
  }),
});

/** Rows are values of Retry-After, but for a whole header and a date that has to be made. */
function headersOf(input: string): Headers {
  const asctime = /^@now\+(\d+)s as asctime$/.exec(input);
  if (asctime) {
    const [, weekday, day, month, year, time] =
      /^(\w+), (\d+) (\w+) (\d+) ([\d:]+)/.exec(new Date(NOW + Number(asctime[1]) * 1000).toUTCString()) ??
      [];
    return new Headers({ "retry-after": `${weekday} ${month} ${day} ${time} ${year}` });
  }
  const [, name, value] = /^([a-z-]+): (.*)$/.exec(input) ?? [];
  return new Headers(
    name !== undefined && value !== undefined ? { [name]: value } : { "retry-after": input },
  );
}

describe("waitBefore(retryAfterMs())", () => {
  test.each(corpusRows("retry-after", row).map((one) => [`${one.id} "${one.input}"`, one] as const))(
    "%s",
    (_name, { input, expected }) => {
      const asked = retryAfterMs(headersOf(input), NOW);
      const waits = ROLLS.map((roll) => waitBefore(1, asked, () => roll));
      const fellBack = asked === undefined && waits.every((wait) => wait.type === "wait" && wait.ms <= 500);
      const stopped = waits.every((wait) => wait.type === "too_long");
      const [least, most] = expected.wait_s ?? [0, -1];
      const inRange = waits.every((wait) => wait.ms >= least * 1000 && wait.ms <= most * 1000);
      expect([
        expected.wait_s !== undefined && inRange,
        expected.stop_or_cap === true && stopped,
        (expected.fallback_backoff === true || expected.or === "fallback_backoff") && fellBack,
      ]).toContain(true);
    },
  );

  test.each(["UTC", "America/Los_Angeles", "Asia/Kolkata"])(
    "retryAfterMs() takes a date for one of Greenwich on a machine in %s",
    (zone) => {
      const dates = [
        "Fri, 02 Jan 2026 03:04:35 GMT",
        "Fri Jan  2 03:04:35 2026",
        "Friday, 02-Jan-26 03:04:35 GMT",
      ];
      const before = process.env.TZ;
      process.env.TZ = zone;
      const asked = dates.map((date) => retryAfterMs(new Headers({ "retry-after": date }), NOW));
      if (before === undefined) delete process.env.TZ;
      else process.env.TZ = before;
      expect(asked).toEqual([30_000, 30_000, 30_000]);
    },
  );

  test("waitBefore() never waits without an end, whatever a server writes", () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[\x20-\x7e]*$/), fc.integer({ min: 1, max: 50 }), (value, attempt) => {
        const wait = waitBefore(
          attempt,
          retryAfterMs(new Headers({ "retry-after": value }), NOW),
          () => 0.999,
        );
        expect(Number.isFinite(wait.ms) && wait.ms >= 0).toBe(true);
        if (wait.type === "wait") expect(wait.ms).toBeLessThanOrEqual(120_500);
      }),
    );
  });

  test("waitBefore() doubles the backoff up to a cap, with full jitter", () => {
    const most = [1, 2, 3, 4, 5, 6, 7, 30].map((attempt) => waitBefore(attempt, undefined, () => 1).ms);
    expect(most).toEqual([500, 1000, 2000, 4000, 8000, 16_000, BACKOFF_CAP_MS, BACKOFF_CAP_MS]);
    expect(waitBefore(5, undefined, () => 0)).toEqual({ type: "wait", ms: 0 });
  });

  test("retryAfterMs() prefers milliseconds", () => {
    const headers = new Headers({ "retry-after-ms": "250", "retry-after": "9" });
    expect(retryAfterMs(headers, NOW)).toBe(250);
    expect(retryAfterMs(new Headers({ "retry-after-ms": "soon", "retry-after": "9" }), NOW)).toBe(9000);
  });

  test("retryAfterMs() reads a date to come", () => {
    const headers = new Headers({ "retry-after": new Date(NOW + 30_000).toUTCString() });
    expect(retryAfterMs(headers, NOW)).toBe(30_000);
  });
});
