import type { Envelope, Event } from "../../core/event.ts";
import type { RunReport } from "../../core/run-report.ts";
import type { Output } from "../host/output.ts";
import type { RunOutput } from "./run-output.ts";

/** `json`: one object, when everything is over. */
export function jsonReport(stdout: Output): RunOutput {
  const print = (report: RunReport): void => void stdout.write(`${JSON.stringify(report)}\n`);
  return {
    sink: ({ event }) => {
      if (event.family === "lifecycle" && event.type === "stopped" && event.report) print(event.report);
    },
    fail: print,
    isAbandoned: () => false,
  };
}

export type StreamSettings = { readonly version: string; readonly unixMs: () => number };

/** `stream-json`: every event as it happens, each line in one write. */
export function jsonLines(stdout: Output, { version, unixMs }: StreamSettings): RunOutput {
  let seq = 0;
  let abandoned = false;
  const sink = (envelope: Envelope): void => {
    seq = envelope.seq;
    abandoned = stdout.write(`${JSON.stringify(envelope)}\n`) === "closed";
  };
  const say = (event: Event): void => sink({ v: 1, seq: seq + 1, ts_unix_ms: unixMs(), event });
  return {
    sink,
    fail: (report) => {
      if (seq === 0) say({ family: "lifecycle", type: "started", version });
      if (report.error) say({ family: "error", type: "error", failure: withoutNulls(report.error) });
      say({ family: "lifecycle", type: "stopped", report });
    },
    isAbandoned: () => abandoned,
  };
}

const withoutNulls = (error: NonNullable<RunReport["error"]>) => ({
  class: error.class,
  message: error.message,
  ...(error.hint === null ? {} : { hint: error.hint }),
});
