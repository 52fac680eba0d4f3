import type { Envelope, Event, Sink } from "../event.ts";
import type { Host } from "../ports/host.ts";
import type { StoreFailure } from "../ports/store.ts";
import type { Recorder } from "../record.ts";
import type { Redact } from "../redact.ts";
import type { Result } from "../result.ts";
import { unsplit } from "./unsplit.ts";

export type Emitter = {
  /** Numbers the event, saves it, then shows it to every sink. In order, whoever emits. */
  readonly emit: (event: Event) => void | Promise<void>;
  /** Straight behind the event that is being shown: for a sink that has something to say about it. */
  readonly emitNext: (event: Event) => void;
  /** Undefined: nothing is saved from now on. */
  readonly recordWith: (recorder: Recorder | undefined) => void;
  /** Whether all that was emitted so far is safe in a file. */
  readonly isSaved: () => boolean;
  /** Why something is still not saved, after one more try. */
  readonly unsaved: () => StoreFailure | undefined;
};

export function emitter(
  host: Host,
  sinks: readonly Sink[],
  redact: Redact,
  { hasSecrets = false }: { readonly hasSecrets?: boolean } = {},
): Emitter {
  let seq = 0;
  let recorder: Recorder | undefined;
  let unsaved: StoreFailure | undefined;
  // A sink may cause further events, and several parties emit: all pass through one queue.
  const queue: Event[] = [];
  let draining = false;
  const whole = hasSecrets ? unsplit() : undefined;
  let busy: Promise<void> | undefined;

  const show = (event: Event, unixMs: number): void | Promise<void> => {
    seq += 1;
    return pour(sinks, { v: 1, seq, ts_unix_ms: unixMs, event: withoutSecrets(event, redact) });
  };

  const noteSaved = (saved: Result<void, StoreFailure>, unixMs: number): void | Promise<void> => {
    const before = unsaved;
    unsaved = saved.ok ? undefined : saved.error;
    if (saved.ok || before?.detail === saved.error.detail) return;
    const message = `The session is not saved: ${saved.error.detail}`;
    return show({ family: "warning", type: "warning", code: "session_not_saved", message }, unixMs);
  };

  const deliver = (event: Event): void | Promise<void> => {
    const unixMs = host.unixMs();
    const saved = recorder?.save(event, unixMs);
    if (saved === undefined) return show(event, unixMs);
    if (saved instanceof Promise) {
      return saved.then(async (result) => {
        await noteSaved(result, unixMs);
        await show(event, unixMs);
      });
    }
    const noted = noteSaved(saved, unixMs);
    return noted ? noted.then(() => show(event, unixMs)) : show(event, unixMs);
  };

  const drain = (): void | Promise<void> => {
    for (let event = queue.shift(); event !== undefined; event = queue.shift()) {
      const pending = deliver(event);
      if (pending) return pending.then(drain);
    }
    draining = false;
  };

  const emit = (event: Event): void | Promise<void> => {
    if (whole) queue.push(...whole(event));
    else queue.push(event);
    if (draining) return busy;
    draining = true;
    busy = drain() ?? undefined;
    return busy;
  };

  return {
    emit,
    emitNext: (event) => {
      if (draining) queue.unshift(event);
      else void emit(event);
    },
    recordWith: (made) => {
      recorder = made;
    },
    isSaved: () => recorder !== undefined && unsaved === undefined,
    unsaved: () => {
      const finished = recorder?.finish();
      return finished && !finished.ok ? finished.error : undefined;
    },
  };
}

/** Secrets that are known by value never reach a screen, a pipe or a log. */
function withoutSecrets(event: Event, redact: Redact): Event {
  if (event.type === "text_delta" || event.type === "reasoning_delta") {
    const text = redact(event.text);
    return text === event.text ? event : { ...event, text };
  }
  const json = JSON.stringify(event);
  if (redact(json) === json) return event;
  const mask = (key: string, value: unknown) =>
    typeof value === "string" && !STRUCTURE.has(key) ? redact(value) : value;
  return JSON.parse(JSON.stringify(event, mask));
}

/** Keys whose values are ours: a secret that happens to be such a word must not change what an event is. */
const STRUCTURE = new Set(["family", "type", "role", "class", "by", "as", "code"]);

/** Sinks one after the other; stays synchronous while they do, because most events are small and many. */
function pour(sinks: readonly Sink[], envelope: Envelope): void | Promise<void> {
  for (const [index, sink] of sinks.entries()) {
    const pending = sink(envelope);
    if (pending) return pending.then(() => pour(sinks.slice(index + 1), envelope));
  }
}
