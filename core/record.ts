import type { Event } from "./event.ts";
import { type EntryId, entryId } from "./id.ts";
import type { SessionLog, StoreFailure } from "./ports/store.ts";
import { ok, type Result } from "./result.ts";
import { approvalEntry, type EntryBody, type EntryRedaction, entryLine } from "./session.ts";

/** Saves what a run says before anyone is shown it. */
export type Recorder = {
  /** The promise, if any, settles when the event is safe on disk. */
  readonly save: (event: Event, unixMs: number) => Saved | Promise<Saved>;
  /** Tries once more what could not be written. */
  readonly finish: () => Saved;
};

type Saved = Result<void, StoreFailure>;

export function recordTo(log: SessionLog, redact: EntryRedaction): Recorder {
  let count = 0;
  let tip: EntryId | null = null;
  // A failed write is tried again with the next one, so that a disk that was full for a while loses nothing.
  let unsaved: string[] = [];

  const append = (body: EntryBody, ts: number): Saved => {
    const id = entryId(count++);
    unsaved.push(entryLine({ id, parentId: tip, ts, ...body }, redact));
    tip = id;
    return writeUnsaved();
  };

  const writeUnsaved = (): Saved => {
    if (unsaved.length === 0) return ok(undefined);
    const written = log.append(unsaved);
    if (written.ok) unsaved = [];
    return written;
  };

  return {
    save: (event, unixMs) => {
      const body = entryOf(event);
      const appended = body ? append(body, unixMs) : writeUnsaved();
      if (!appended.ok) return appended;
      return mustReachDisk(event) ? log.flush() : appended;
    },
    finish: writeUnsaved,
  };
}

function entryOf(event: Event): EntryBody | undefined {
  switch (event.family) {
    case "task":
      if (event.type === "started") return { type: "message", ...event.message };
      if (event.type === "approval_settled") return approvalEntry(event.approval, event.decision);
      return undefined;
    case "model": {
      if (event.type !== "message") return undefined;
      const { message, usage, profile, model } = event;
      return { type: "message", ...message, ...(usage ? { usage } : {}), profile, model };
    }
    case "tool":
      return event.type === "result" ? { type: "message", ...event.message } : undefined;
    default:
      return undefined;
  }
}

/** Before something in the world changes, and when a task is over. */
function mustReachDisk(event: Event): boolean {
  if (event.family === "tool") return event.type === "started" && event.need !== undefined;
  return event.family === "task" && ["completed", "failed", "cancelled"].includes(event.type);
}
