import { failure } from "../../core/failure.ts";
import type { Host } from "../../core/ports/host.ts";
import type { Model, ModelEvent } from "../../core/ports/model.ts";
import { differences, markOf, parseRecording, type RecordedExchange } from "../../core/recording.ts";
import { err, ok, type Result } from "../../core/result.ts";
import { readSmallFile } from "../host/read-small-file.ts";

export type ReplaySettings = {
  readonly name: string;
  readonly profile: string;
  readonly model: string;
  /** `strict`: each request must ask for what was recorded. */
  readonly check: "strict" | "loose";
  /** `live`: with the pauses of the recording, shortened where they are long. */
  readonly pace: "instant" | "live";
};

const LONGEST_PAUSE_MS = 1200;

/** Answers from a recording, by order, with no network. */
export function replayModel(
  host: Host,
  exchanges: readonly RecordedExchange[],
  settings: ReplaySettings,
): Model {
  let next = 0;
  return {
    profile: settings.profile,
    model: settings.model,
    ask: async function* (request, signal): AsyncGenerator<ModelEvent> {
      const exchange = exchanges[next];
      next += 1;
      if (exchange === undefined) {
        const message = `The recording "${settings.name}" has ${exchanges.length} exchanges, but a request ${next} was made`;
        return yield { type: "failed", failure: failure("model", message) };
      }
      const diff =
        settings.check === "strict" ? differences(exchange.mark, markOf(request, settings.model)) : [];
      if (diff.length > 0) {
        const message = `Request ${next} is not the recorded one of "${settings.name}": ${diff.join(" ")}`;
        const hint = "record again, or skip the check with --replay-loose";
        return yield { type: "failed", failure: failure("model", message, { hint }) };
      }
      yield* play(host, exchange, settings.pace, signal);
    },
  };
}

async function* play(
  host: Host,
  exchange: RecordedExchange,
  pace: ReplaySettings["pace"],
  signal: AbortSignal,
): AsyncGenerator<ModelEvent> {
  let playedMs = 0;
  for (const { at_ms, event } of exchange.events) {
    signal.throwIfAborted();
    if (pace === "live") await host.wait(Math.min(LONGEST_PAUSE_MS, Math.max(0, at_ms - playedMs)), signal);
    playedMs = at_ms;
    yield event;
  }
}

const MAX_RECORDING_BYTES = 256 * 1024 * 1024;

/** A recording from a file. */
export function loadReplay(
  host: Host,
  path: string,
  settings: Omit<ReplaySettings, "name">,
): Result<Model, string> {
  const read = readSmallFile(path, MAX_RECORDING_BYTES);
  if (!read.ok) return err(`Cannot read the recording "${path}": ${read.error.reason}`);
  const exchanges = parseRecording(read.value);
  if (!exchanges.ok) return err(`Cannot read the recording "${path}": ${exchanges.error}`);
  return ok(replayModel(host, exchanges.value, { ...settings, name: path }));
}
