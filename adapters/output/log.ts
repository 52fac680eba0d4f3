import { constants, openSync, writeSync } from "node:fs";
import type { Envelope, Event, Sink } from "../../core/event.ts";
import type { Redact } from "../../core/redact.ts";
import { err, ok, type Result } from "../../core/result.ts";
import { oneLine } from "../../core/sanitize.ts";
import { reasonOf } from "../host/errno.ts";
import type { Output } from "../host/output.ts";

/** A private file that gets one JSON object for each event worth one. What cannot be written is not retried. */
export function logTo(path: string, redact: Redact): Result<Sink, string> {
  let fd: number;
  try {
    const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_APPEND;
    fd = openSync(path, flags, 0o600);
  } catch (error) {
    return err(`Cannot write the log "${path}": ${reasonOf(error)}`);
  }
  return ok((envelope) => {
    if (isPiece(envelope.event)) return;
    try {
      writeSync(fd, `${logLine(envelope, redact)}\n`);
    } catch {
      // A full disk must not end a run for its log.
    }
  });
}

function logLine({ seq, ts_unix_ms, event }: Envelope, redact: Redact): string {
  const { family, type, ...fields } = event;
  const line = {
    time: new Date(ts_unix_ms).toISOString(),
    level: levelOf(event),
    pid: process.pid,
    seq,
    event: `${family}/${type}`,
    ...fields,
  };
  return JSON.stringify(line, (_key, value) => (typeof value === "string" ? bounded(redact(value)) : value));
}

const MAX_CHARS = 20_000;

/** An image or a whole file that somebody attached is not what a log is for. */
const bounded = (text: string): string =>
  text.length <= MAX_CHARS ? text : `${text.slice(0, MAX_CHARS)}… (${text.length} characters)`;

/** The same for someone who reads along: one line each, shortened. */
export const debugTo =
  (stderr: Output): Sink =>
  ({ event, seq }) => {
    if (isPiece(event)) return;
    const { family, type, ...fields } = event;
    const rest = JSON.stringify(fields);
    const shown = rest === "{}" ? "" : ` ${oneLine(rest, 300)}`;
    stderr.write(`debug: ${seq} ${levelOf(event)} ${family}/${type}${shown}\n`);
  };

/** Pieces come whole with a later event. */
const isPiece = ({ type }: Event): boolean => type.endsWith("_delta") || type.endsWith("_chunk");

function levelOf(event: Event): "debug" | "info" | "warn" | "error" {
  if (event.family === "error" || (event.family === "task" && event.type === "failed")) return "error";
  if (event.family === "warning" || event.type === "retrying") return "warn";
  return event.family === "metrics" ? "debug" : "info";
}
