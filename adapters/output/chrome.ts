import { formatDuration } from "../../core/duration.ts";
import type { Event, ModelTurnEvent, Sink, TaskTotals, ToolEvent } from "../../core/event.ts";
import type { Failure } from "../../core/failure.ts";
import { argumentsLine } from "../../core/render.ts";
import { displayText, oneLine, proseText } from "../../core/sanitize.ts";
import type { Output } from "../host/output.ts";
import type { Paint } from "./paint.ts";

export type ChromeSettings = {
  readonly paint: Paint;
  /** Only warnings and errors. */
  readonly quiet: boolean;
  /** Reasoning as it streams; only for someone who watches. */
  readonly showReasoning: boolean;
  /** Calls and their results; a call that was refused is always told. */
  readonly showToolCalls?: boolean;
  /** Tokens after each turn. */
  readonly showTokens?: boolean;
};

/** What happens, for people, on stderr: one line for each event worth one. */
export function chrome(stderr: Output, settings: ChromeSettings): Sink {
  const { paint, quiet, showReasoning } = settings;
  let startedMs = 0;
  let midLine = false;
  return ({ event, ts_unix_ms }) => {
    if (event.family === "task" && event.type === "started") startedMs = ts_unix_ms;
    if (showReasoning && !quiet && event.family === "model" && event.type === "reasoning_delta") {
      stderr.write(paint("dim", proseText(event.text)));
      midLine = !event.text.endsWith("\n");
      return;
    }
    const line =
      troubleLine(event, paint) ?? (quiet ? undefined : newsLine(event, settings, ts_unix_ms - startedMs));
    if (line === undefined) return;
    stderr.write(`${midLine ? "\n" : ""}${line}\n`);
    midLine = false;
  };
}

/** Lines that are shown even when everything else is quiet. */
function troubleLine(event: Event, paint: Paint): string | undefined {
  if (event.family === "warning") return warning(paint, event.message);
  if (event.family === "error") return errorLine(event.failure, paint);
  return event.family === "model" ? retryLine(event, paint) : undefined;
}

function errorLine({ message, hint }: Failure, paint: Paint): string {
  const said = paint("red", `buddy: ${oneLine(message, 1000)}`);
  return hint === undefined ? said : `${said}\nhint: ${oneLine(hint, 500)}`;
}

function retryLine(event: ModelTurnEvent, paint: Paint): string | undefined {
  if (event.type !== "retrying") return undefined;
  const when = `retry ${event.attempt} of ${event.of} in ${formatDuration(event.wait_ms)}`;
  return warning(paint, `${oneLine(event.reason, 300)}; ${when}`);
}

const warning = (paint: Paint, text: string): string =>
  paint("yellow", `buddy: warning: ${oneLine(text, 1000)}`);

function newsLine(
  event: Event,
  { paint, showToolCalls = true, showTokens = false }: ChromeSettings,
  elapsedMs: number,
): string | undefined {
  if (event.family === "tool" && (showToolCalls || event.type === "result")) return toolLine(event, paint);
  if (showTokens && event.family === "metrics" && event.type === "tokens")
    return paint("dim", `· ${event.turn.input_tokens} tokens in, ${event.turn.output_tokens} out`);
  if (event.family === "task" && event.type === "completed") {
    return paint("dim", totalsLine(event.totals, elapsedMs));
  }
  return undefined;
}

function toolLine(event: ToolEvent, paint: Paint): string | undefined {
  switch (event.type) {
    case "call_requested": {
      const name = paint("yellow", `▶ ${oneLine(event.call.name, 40)}`);
      return `${name} ${paint("dim", argumentsLine(event.call.arguments, 80))}`.trimEnd();
    }
    case "completed":
      return [
        ...(event.diff === undefined ? [] : diffLines(event.diff, paint)),
        paint("dim", `← ${oneLine(event.summary, 100)} (${formatDuration(event.duration_ms)})`),
      ].join("\n");
    case "result":
      return event.refused === undefined ? undefined : paint("red", `✗ ${oneLine(event.refused, 200)}`);
    default:
      return undefined;
  }
}

const SHOWN_DIFF_LINES = 40;
const DIFF_LINE_CHARS = 200;

function diffLines(diff: string, paint: Paint): readonly string[] {
  // Only the beginning is looked at: a diff can be as long as two files.
  const lines = diff
    .slice(0, SHOWN_DIFF_LINES * 1000)
    .split("\n", SHOWN_DIFF_LINES + 1)
    .filter((line) => line !== "");
  const shown = lines.slice(0, SHOWN_DIFF_LINES).map((line) => {
    const text = displayText(line.slice(0, DIFF_LINE_CHARS));
    if (line.startsWith("+")) return paint("green", text);
    return paint(line.startsWith("-") ? "red" : "dim", text);
  });
  return lines.length > SHOWN_DIFF_LINES ? [...shown, paint("dim", "…")] : shown;
}

function totalsLine({ turns, tool_calls, usage }: TaskTotals, ms: number): string {
  const parts = [
    counted(turns, "turn"),
    ...(tool_calls > 0 ? [counted(tool_calls, "tool call")] : []),
    ...(usage.total_tokens > 0 ? [`${usage.input_tokens} tokens in, ${usage.output_tokens} out`] : []),
    formatDuration(ms),
  ];
  return `· ${parts.join(" · ")}`;
}

const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? "" : "s"}`;
