import type { Event, SessionEvent } from "./event.ts";
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

/** What a file holds already. */
export type RecordedSoFar = {
  /** The number that the next entry gets. */
  readonly nextIndex: number;
  readonly tip: EntryId | null;
  /** Entries of the messages on the path, in order: a compaction names the first one it keeps. */
  readonly messageIds: readonly EntryId[];
};

const NOTHING: RecordedSoFar = { nextIndex: 0, tip: null, messageIds: [] };

export function recordTo(log: SessionLog, redact: EntryRedaction, soFar: RecordedSoFar = NOTHING): Recorder {
  let count = soFar.nextIndex;
  let tip = soFar.tip;
  const messages: EntryId[] = [...soFar.messageIds];
  // A failed write is tried again with the next one, so that a disk that was full for a while loses nothing.
  let unsaved: string[] = [];
  // A turn is flushed while the model is asked for the next one; what that says is heard at the next flush.
  let flushing: Promise<Saved> = Promise.resolve(ok(undefined));

  const append = (body: EntryBody, ts: number): Saved => {
    const id = entryId(count++);
    unsaved.push(entryLine({ id, parentId: tip, ts, ...body }, redact));
    tip = id;
    if (body.type === "message") messages.push(id);
    return writeUnsaved();
  };

  const writeUnsaved = (): Saved => {
    if (unsaved.length === 0) return ok(undefined);
    const written = log.append(unsaved);
    if (written.ok) unsaved = [];
    return written;
  };

  const flushAll = async (): Promise<Saved> => {
    const before = await flushing;
    return before.ok ? log.flush() : before;
  };

  return {
    save: (event, unixMs) => {
      const body = entryOf(event, messages);
      const appended = body ? append(body, unixMs) : writeUnsaved();
      if (!appended.ok) return appended;
      if (isNextTurn(event)) flushing = log.flush();
      return mustReachDisk(event) ? flushAll() : appended;
    },
    finish: writeUnsaved,
  };
}

function entryOf(event: Event, messages: readonly EntryId[]): EntryBody | undefined {
  switch (event.family) {
    case "session":
      return sessionEntry(event, messages);
    case "task":
      if (event.type === "started" || event.type === "message_added")
        return { type: "message", ...event.message };
      if (event.type === "approval_settled") return approvalEntry(event.approval, event.decision);
      if (event.type === "decided") {
        const { call_id, tool, subject, decision } = event;
        return { type: "approval", call_id, tool, subject, decision };
      }
      return undefined;
    case "model": {
      if (event.type === "profile_switched") {
        return { type: "model_change", profile: event.profile, model: event.model };
      }
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

function sessionEntry(event: SessionEvent, messages: readonly EntryId[]): EntryBody | undefined {
  if (event.type === "titled") return { type: "title", title: event.title };
  if (event.type === "moved") return { type: "leaf", tip: event.entry_id };
  if (event.type !== "compacted") return undefined;
  const { summary, kept, tokens_before, tokens_after } = event;
  return {
    type: "compaction",
    summary,
    first_kept_id: messages.at(messages.length - kept) ?? null,
    tokens_before,
    tokens_after,
  };
}

const isNextTurn = (event: Event): boolean =>
  event.family === "model" && event.type === "request_started" && event.turn > 1;

/** Before something in the world changes, and when a task is over. */
function mustReachDisk(event: Event): boolean {
  if (event.family === "tool") return event.type === "started" && event.need !== undefined;
  return event.family === "task" && ["completed", "failed", "cancelled"].includes(event.type);
}
