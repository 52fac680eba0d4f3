import * as v from "valibot";
import { defineTool } from "../define-tool.ts";
import type { ToolOutput } from "../tool.ts";

export const timeTool = defineTool({
  name: "time",
  description:
    "The current time: unix seconds, milliseconds and nanoseconds, ISO-8601 and RFC 2822 in UTC, date and time parts, " +
    "and the local time zone of the machine you work on. Use it whenever the answer depends on now; do not guess the date. " +
    "Example: {}",
  schema: v.object({}),
  parallel: true,
  needs: () => undefined,
  execute: async (_args, { host, target, signal }) =>
    timeResult(host.unixMs(), await target.timeZone(signal)),
});

export function timeResult(unixMs: number, timeZone: string): ToolOutput {
  const whole = Math.floor(unixMs);
  const now = new Date(whole);
  const iso = now.toISOString();
  return {
    result: {
      unix_seconds: Math.floor(whole / 1000),
      unix_millis: whole,
      unix_nanos: `${whole}000000`,
      iso_utc: `${iso.slice(0, 19)}Z`,
      iso_utc_millis: iso,
      rfc2822_utc: now.toUTCString().replace("GMT", "+0000"),
      utc: {
        year: now.getUTCFullYear(),
        month: now.getUTCMonth() + 1,
        day: now.getUTCDate(),
        hour: now.getUTCHours(),
        minute: now.getUTCMinutes(),
        second: now.getUTCSeconds(),
        weekday: WEEKDAYS[now.getUTCDay()] ?? "",
      },
      time_zone: timeZone,
    },
    summary: iso,
    isError: false,
  };
}

const WEEKDAYS = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];
