import { formatDuration } from "../../core/duration.ts";
import type { Event, Sink } from "../../core/event.ts";
import { argumentsLine } from "../../core/render.ts";
import { oneLine } from "../../core/sanitize.ts";
import type { Output } from "../host/output.ts";
import type { Paint } from "./paint.ts";

export type SpinnerSettings = {
  readonly paint: Paint;
  readonly frames: readonly string[];
  readonly monotonicMs: () => number;
  /** Calls back again and again until the result is called. */
  readonly every: (ms: number, callback: () => void) => () => void;
};

export const FRAMES = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"] as const;
export const ASCII_FRAMES = ["|", "/", "-", "\\"] as const;

const TICK_MS = 120;
const CLEAR_LINE = "\r\u001b[K";

/**
 * A line at the bottom of the terminal: what is happening and for how long. It goes away before anything else is
 * written, so it belongs in front of every other sink, and comes back with the next tick.
 */
export function spinner(stderr: Output, { paint, frames, monotonicMs, every }: SpinnerSettings): Sink {
  let doing: { readonly what: string; readonly sinceMs: number } | undefined;
  let drawn = false;
  let tick = 0;
  let stop: (() => void) | undefined;

  const clear = (): void => {
    if (drawn) stderr.write(CLEAR_LINE);
    drawn = false;
  };
  const draw = (): void => {
    if (!doing) return;
    const wholeMs = Math.floor((monotonicMs() - doing.sinceMs) / 1000) * 1000;
    const elapsed = wholeMs === 0 ? "0s" : formatDuration(wholeMs);
    const frame = frames[tick++ % frames.length] ?? "";
    stderr.write(`${CLEAR_LINE}${paint("dim", `${frame} ${doing.what} ${elapsed}`)}`);
    drawn = true;
  };

  return ({ event }) => {
    clear();
    const next = activityOf(event);
    if (next === undefined) return;
    doing = next === "nothing" ? undefined : { what: oneLine(next, 60), sinceMs: monotonicMs() };
    if (doing) stop ??= every(TICK_MS, draw);
    if (!isEnd(event)) return;
    stop?.();
    stop = undefined;
  };
}

const isEnd = ({ family, type }: Event): boolean => family === "lifecycle" && type === "stopped";

/** What goes on from this event on; `nothing`: somebody else writes to the terminal. Undefined: no change. */
function activityOf(event: Event): string | "nothing" | undefined {
  if (isEnd(event)) return "nothing";
  if (event.family === "model") {
    if (event.type === "request_started") return "waiting for the model";
    if (event.type === "retrying") return "waiting to try again";
    if (event.type === "text_delta" || event.type === "reasoning_delta") return "nothing";
    return event.type === "delta_withdrawn" ? "waiting for the model" : undefined;
  }
  if (event.family === "tool") {
    if (event.type === "call_requested")
      return `${event.call.name} ${argumentsLine(event.call.arguments, 50)}`;
    // Again after a question.
    return event.type === "started" ? `${event.name} ${event.need?.subject ?? ""}`.trim() : undefined;
  }
  if (event.family !== "task") return undefined;
  return ["waiting_approval", "completed", "failed", "cancelled"].includes(event.type)
    ? "nothing"
    : event.type === "cancelling"
      ? "stopping"
      : undefined;
}
