import { systemHost } from "../adapters/host/host.ts";
import type { Output } from "../adapters/host/output.ts";
import { type AnswerSettings, answer } from "../adapters/output/answer.ts";
import type { RunOutput } from "../adapters/output/run-output.ts";
import { type Failure, failure } from "../core/failure.ts";
import { err, ok, type Result } from "../core/result.ts";
import { runReport } from "../core/run-report.ts";
import { EXIT_CODES } from "./exit.ts";
import type { Flags } from "./flags.ts";
import { VERSION } from "./version.ts";

export const FORMATS = ["text", "json", "stream-json"] as const;
export type Format = (typeof FORMATS)[number];

export function outputFormat(flags: Flags): Result<Format, Failure> {
  const wanted = flags.text("output-format");
  const format = FORMATS.find((known) => known === (wanted ?? (flags.on("json") ? "stream-json" : "text")));
  if (format === undefined) {
    return err(failure("usage", `--output-format must be text, json or stream-json, not "${wanted}"`));
  }
  if (flags.on("json") && format !== "stream-json")
    return err(failure("usage", `Give --json or --output-format ${format}, not both`));
  return ok(format);
}

/** The format that a command line asks for although it cannot be used: its failure is told in that format too. */
export function formatIn(argv: readonly string[]): Format {
  const end = argv.indexOf("--");
  const words = end === -1 ? argv : argv.slice(0, end);
  const at = words.indexOf("--output-format");
  const wanted =
    at === -1 ? words.find((word) => word.startsWith("--output-format="))?.slice(16) : words[at + 1];
  const fallback = words.includes("--json") ? "stream-json" : "text";
  return FORMATS.find((known) => known === wanted) ?? fallback;
}

/** The answer alone is what most runs print: the rest is loaded when it is asked for. */
export async function outputAs(
  format: Format,
  stdout: Output,
  settings: AnswerSettings = {},
): Promise<RunOutput> {
  if (format === "text") return answer(stdout, settings);
  const { jsonLines, jsonReport } = await import("../adapters/output/json-output.ts");
  return format === "json"
    ? jsonReport(stdout)
    : jsonLines(stdout, { version: VERSION, unixMs: systemHost.unixMs });
}

/** Tells of a run that ended before there was one. */
export function failEarly(output: RunOutput, why: Failure, exitCode: number = EXIT_CODES[why.class]): void {
  output.fail(
    runReport({
      exitCode,
      why,
      result: "",
      totals: undefined,
      durationMs: systemHost.monotonicMs(),
      sessionId: undefined,
      model: undefined,
      profile: undefined,
    }),
  );
}
