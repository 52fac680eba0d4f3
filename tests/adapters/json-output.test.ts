import { describe, expect, test } from "bun:test";
import { jsonLines, jsonReport } from "../../adapters/output/json-output.ts";
import type { Event } from "../../core/event.ts";
import { failure } from "../../core/failure.ts";
import { runReport } from "../../core/run-report.ts";
import { keptOutput } from "../fakes/output.ts";

const REPORT = runReport({
  exitCode: 1,
  why: failure("internal", "Unexpected failure: x", { hint: "report it" }),
  result: "",
  totals: undefined,
  durationMs: 12.4,
  sessionId: undefined,
  model: "m",
  profile: undefined,
});

const envelope = (seq: number, event: Event) => ({ v: 1, seq, ts_unix_ms: 5, event }) as const;
const STARTED: Event = { family: "lifecycle", type: "started", version: "1" };

const toldBy = (stdout: { readonly written: readonly string[] }) =>
  stdout.written.map((line) => {
    const { seq, event } = JSON.parse(line);
    return [seq, `${event.family}/${event.type}`];
  });

describe("jsonLines()", () => {
  test("a run that breaks goes on with the next number, tells the error and stops", () => {
    const stdout = keptOutput();
    const output = jsonLines(stdout, { version: "1", unixMs: () => 9 });
    output.sink(envelope(1, STARTED));
    output.sink(envelope(2, { family: "model", type: "request_started", turn: 1 }));
    output.fail(REPORT);
    expect(toldBy(stdout)).toEqual([
      [1, "lifecycle/started"],
      [2, "model/request_started"],
      [3, "error/error"],
      [4, "lifecycle/stopped"],
    ]);
    expect(JSON.parse(stdout.written.at(-1) ?? "").event.report).toEqual(REPORT);
  });

  test("a run that never began begins and stops", () => {
    const stdout = keptOutput();
    jsonLines(stdout, { version: "1", unixMs: () => 9 }).fail(REPORT);
    expect(toldBy(stdout).map(([seq]) => seq)).toEqual([1, 2, 3]);
  });

  test("it notices that nobody reads", () => {
    const output = jsonLines(keptOutput(1), { version: "1", unixMs: () => 9 });
    output.sink(envelope(1, STARTED));
    expect(output.isAbandoned()).toBe(false);
    output.sink(envelope(2, STARTED));
    expect(output.isAbandoned()).toBe(true);
  });
});

test("jsonReport() prints one line, at the end", () => {
  const stdout = keptOutput();
  const { sink } = jsonReport(stdout);
  sink(envelope(1, STARTED));
  expect(stdout.written).toEqual([]);
  sink(envelope(2, { family: "lifecycle", type: "stopped", report: REPORT }));
  expect(stdout.written).toEqual([`${JSON.stringify(REPORT)}\n`]);
});

test("runReport() has every field of an error in its place", () => {
  expect(REPORT).toMatchObject({
    status: "failed",
    duration_ms: 12,
    session_id: null,
    error: { class: "internal", hint: "report it", retryable: false, http_status: null, request_id: null },
  });
});
