import { closeSync, openSync, readFileSync, statSync, writeSync } from "node:fs";
import type { Host } from "../../core/ports/host.ts";
import type { Model, ModelEvent } from "../../core/ports/model.ts";
import { markOf, type RecordingLine } from "../../core/recording.ts";
import type { Redact } from "../../core/redact.ts";
import { err, ok, type Result } from "../../core/result.ts";
import { reasonOf } from "../host/errno.ts";

export type Recording = { readonly wrap: (model: Model) => Model; readonly close: () => void };

/**
 * Writes every exchange with the model to a private file, each once it is over: a secret that came in pieces is
 * whole then, and masked.
 */
export function recordTo(
  path: string,
  host: Host,
  version: string,
  redact: Redact,
): Result<Recording, string> {
  const foreign = isForeign(path);
  if (foreign) return err(`"${path}" is there already and is no recording: it is not overwritten`);
  let fd: number;
  try {
    fd = openSync(path, "w", 0o600);
  } catch (error) {
    return err(`Cannot write the recording "${path}": ${reasonOf(error)}`);
  }
  const write = (lines: readonly RecordingLine[]) => {
    const texts = lines.map((line) =>
      JSON.stringify(line, (_key, value) => (typeof value === "string" ? redact(value) : value)),
    );
    writeSync(fd, `${texts.join("\n")}\n`);
  };
  write([{ type: "recording", v: 1, buddy: version }]);
  const wrap = (model: Model): Model => ({
    ...model,
    ask: async function* (request, signal) {
      const digest = new Bun.CryptoHasher("sha256").update(JSON.stringify(request)).digest("hex");
      const startedMs = host.monotonicMs();
      const events: { at_ms: number; event: ModelEvent }[] = [];
      try {
        for await (const event of model.ask(request, signal)) {
          events.push({ at_ms: Math.round(host.monotonicMs() - startedMs), event });
          yield event;
        }
      } finally {
        const mark = markOf(request, model.model);
        write([
          { type: "request", mark, digest },
          ...withoutSplitSecrets(events, redact).map((at) => ({ type: "event", ...at }) as const),
        ]);
      }
    },
  });
  return ok({ wrap, close: () => closeSync(fd) });
}

type TimedEvent = { readonly at_ms: number; readonly event: ModelEvent };

/** Deltas whose joined text holds a secret become one, which is masked as a whole. */
function withoutSplitSecrets(events: readonly TimedEvent[], redact: Redact): readonly TimedEvent[] {
  return (["text_delta", "reasoning_delta"] as const).reduce<readonly TimedEvent[]>((kept, type) => {
    const text = kept.map(({ event }) => (event.type === type ? event.text : "")).join("");
    if (redact(text) === text) return kept;
    const last = kept.findLastIndex(({ event }) => event.type === type);
    return kept.flatMap((at, index) => {
      if (at.event.type !== type) return [at];
      return index === last ? [{ at_ms: at.at_ms, event: { type, text } }] : [];
    });
  }, events);
}

/** A file that holds something else: a slip of the finger must not cost it. */
function isForeign(path: string): boolean {
  try {
    if (statSync(path).size === 0) return false;
    return !readFileSync(path, "utf8").startsWith('{"type":"recording"');
  } catch {
    return false; // not there, or not readable: opening it says so
  }
}
