import { closeSync, openSync, writeSync } from "node:fs";
import type { Host } from "../../core/ports/host.ts";
import type { Model } from "../../core/ports/model.ts";
import { markOf, type RecordingLine } from "../../core/recording.ts";
import type { Redact } from "../../core/redact.ts";
import { err, ok, type Result } from "../../core/result.ts";
import { reasonOf } from "../host/errno.ts";

export type Recording = { readonly wrap: (model: Model) => Model; readonly close: () => void };

/** Writes every exchange with the model to a private file; secrets never enter it. */
export function recordTo(
  path: string,
  host: Host,
  version: string,
  redact: Redact,
): Result<Recording, string> {
  let fd: number;
  try {
    fd = openSync(path, "w", 0o600);
  } catch (error) {
    return err(`Cannot write the recording "${path}": ${reasonOf(error)}`);
  }
  const write = (line: RecordingLine) => void writeSync(fd, `${redact(JSON.stringify(line))}\n`);
  write({ type: "recording", v: 1, buddy: version });
  const wrap = (model: Model): Model => ({
    ...model,
    ask: async function* (request, signal) {
      const digest = new Bun.CryptoHasher("sha256").update(JSON.stringify(request)).digest("hex");
      write({ type: "request", mark: markOf(request, model.model), digest });
      const startedMs = host.monotonicMs();
      for await (const event of model.ask(request, signal)) {
        write({ type: "event", at_ms: Math.round(host.monotonicMs() - startedMs), event });
        yield event;
      }
    },
  });
  return ok({ wrap, close: () => closeSync(fd) });
}
