import { expect, test } from "bun:test";
import { ok } from "../../core/result.ts";
import { timeResult, timeTool } from "../../core/tools/time.ts";
import { fakeHost } from "../fakes/host.ts";
import { fakeTarget } from "../fakes/target.ts";
import { runTool } from "./run-tool.ts";

test("timeTool tells the host's time in every form, and the target's time zone", async () => {
  const { output, progress } = await runTool(
    timeTool,
    {},
    { host: fakeHost(Date.UTC(2026, 1, 28, 23, 59, 9, 7)), target: fakeTarget({ timeZone: "Asia/Tokyo" }) },
  );
  expect(output).toEqual({
    result: {
      unix_seconds: 1_772_323_149,
      unix_millis: 1_772_323_149_007,
      unix_nanos: "1772323149007000000",
      iso_utc: "2026-02-28T23:59:09Z",
      iso_utc_millis: "2026-02-28T23:59:09.007Z",
      rfc2822_utc: "Sat, 28 Feb 2026 23:59:09 +0000",
      utc: { year: 2026, month: 2, day: 28, hour: 23, minute: 59, second: 9, weekday: "Saturday" },
      time_zone: "Asia/Tokyo",
    },
    summary: "2026-02-28T23:59:09.007Z",
    isError: false,
  });
  expect(progress).toEqual([]);
});

test("timeResult() rounds a fraction of a millisecond down", () => {
  expect(timeResult(999.9, "UTC").result).toMatchObject({
    unix_seconds: 0,
    unix_millis: 999,
    unix_nanos: "999000000",
    iso_utc_millis: "1970-01-01T00:00:00.999Z",
  });
});

test("timeTool needs no permission and no arguments", () => {
  expect(timeTool.prepare({ anything: 1 })).toEqual(ok({ need: undefined, execute: expect.any(Function) }));
});
