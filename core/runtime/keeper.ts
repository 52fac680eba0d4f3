import type { Event } from "../event.ts";
import { type Failure, failure } from "../failure.ts";
import { type History, historyOf } from "../history.ts";
import { type EntryId, sessionId } from "../id.ts";
import type { Host } from "../ports/host.ts";
import type { OpenedSession, SessionLog, Store, StoreFailure } from "../ports/store.ts";
import { recordTo } from "../record.ts";
import { err, ok, type Result } from "../result.ts";
import type { EntryRedaction, SessionHeader } from "../session.ts";
import type { SessionTree } from "../session-tree.ts";
import type { Emitter } from "./emitter.ts";

// Reading sessions is loaded when one is resumed: most runs begin a new one.

/** The conversation that is open, and its file. */
export type SessionKeeper = {
  readonly history: History;
  /** Makes a file for a conversation that has none yet. A failure is a warning: the task goes on unsaved. */
  readonly ensureFile: () => Promise<void>;
  /** Starts an empty conversation; its file is made with its first message. */
  readonly startNew: () => Promise<void>;
  readonly resume: (ref: string) => Promise<Result<SessionTree, Failure>>;
  readonly resumeLast: () => Promise<Result<SessionTree, Failure>>;
  /** Goes on in a copy. Without a reference: of the session that is open. */
  readonly fork: (ref: string | undefined, at: EntryId | undefined) => Promise<Result<SessionTree, Failure>>;
  readonly rename: (title: string) => Promise<Failure | undefined>;
  /** Goes on from an earlier entry of the same session, or from before the first one. */
  readonly move: (to: EntryId | null) => Promise<Result<SessionTree, Failure>>;
  /** Says that everything up to here is on disk, when it is. */
  readonly tellSaved: () => Promise<void>;
  /** Why something of it is not on disk, if so. */
  readonly close: () => Promise<StoreFailure | undefined>;
};

export type KeeperDeps = {
  readonly host: Host;
  readonly store: Store | undefined;
  readonly redact: EntryRedaction;
  readonly out: Emitter;
  readonly header: () => Omit<SessionHeader, "id" | "created_at">;
};

export function sessionKeeper({ host, store, redact, out, header }: KeeperDeps): SessionKeeper {
  const history = historyOf();
  let log: SessionLog | undefined;
  let notMade: StoreFailure | undefined;

  const close = async (): Promise<StoreFailure | undefined> => {
    const unsaved = out.unsaved();
    out.recordWith(undefined);
    const flushed = await log?.flush();
    await log?.close();
    log = undefined;
    return unsaved ?? (flushed && !flushed.ok ? flushed.error : notMade);
  };

  const ensureFile = async (): Promise<void> => {
    if (log !== undefined || store === undefined) return;
    const created_at = new Date(host.unixMs()).toISOString();
    const made = await store.create({ ...header(), id: sessionId(host.unixMs(), host.random), created_at });
    notMade = made.ok ? undefined : made.error;
    if (!made.ok) return warn(`This session is not saved: ${made.error.detail}`, "session_not_saved");
    log = made.value.log;
    out.recordWith(recordTo(log, redact));
    if (made.value.notice) await warn(made.value.notice, "session_place");
    await out.emit({ family: "session", type: "created", id: log.id, path: log.path });
  };

  /** Nobody comes back to what is left here, so what it could not save is told now. */
  const leave = async (): Promise<void> => {
    const unsaved = await close();
    notMade = undefined;
    if (unsaved)
      await warn(`The session that was open was not saved: ${unsaved.detail}`, "session_not_saved");
  };

  const take = async (opened: OpenedSession, event: (log: SessionLog) => Event): Promise<SessionTree> => {
    await leave();
    log = opened.log;
    const { messageIdsOn } = await import("../session-path.ts");
    const { messagesOn } = await import("../session-tree.ts");
    history.replace(messagesOn(opened.tree));
    const { nextIndex, tip } = opened.tree;
    out.recordWith(recordTo(log, redact, { nextIndex, tip, messageIds: messageIdsOn(opened.tree) }));
    for (const warning of opened.warnings) await warn(warning, "session_damaged");
    if (opened.notice) await warn(opened.notice, "session_place");
    await out.emit(event(opened.log));
    return opened.tree;
  };

  const resume = async (ref: string): Promise<Result<SessionTree, Failure>> => {
    if (store === undefined) return err(failure("usage", "Sessions are turned off in this run"));
    if (ref === log?.id) return err(failure("usage", `Session "${ref}" is already open`));
    const opened = await store.open(ref);
    if (!opened.ok) return err(storeFailure(opened.error));
    const { tree } = opened.value;
    const { titleOf } = await import("../session-tree.ts");
    return ok(
      await take(opened.value, ({ id, path }) => ({
        family: "session",
        type: "resumed",
        id,
        path,
        title: titleOf(tree),
        messages: history.messages.length,
      })),
    );
  };

  const fork = async (
    ref: string | undefined,
    at: EntryId | undefined,
  ): Promise<Result<SessionTree, Failure>> => {
    const latest = ref === "last" ? await store?.latest() : undefined;
    if (latest && !latest.ok) return err(storeFailure(latest.error));
    const from = ref === "last" ? latest?.value.id : (ref ?? log?.id);
    if (store === undefined || from === undefined)
      return err(failure("usage", "There is no session to fork"));
    const forked = await store.fork(from, at);
    if (!forked.ok) return err(storeFailure(forked.error));
    const original = forked.value.tree.header.forked_from ?? forked.value.tree.header.id;
    return ok(
      await take(forked.value, ({ id, path }) => ({
        family: "session",
        type: "forked",
        id,
        path,
        from: original,
      })),
    );
  };

  const move = async (to: EntryId | null): Promise<Result<SessionTree, Failure>> => {
    if (store === undefined || log === undefined) return err(failure("usage", "There is no session open"));
    if (out.unsaved() !== undefined) return err(failure("usage", "The session is not saved: its tip stays"));
    const read = await store.read(log.id);
    if (!read.ok) return err(storeFailure(read.error));
    if (to !== null && !read.value.tree.nodes.some(({ entry }) => entry.id === to)) {
      return err(failure("usage", `Session "${log.id}" has no entry "${to}"`));
    }
    const tree = { ...read.value.tree, tip: to };
    const { messageIdsOn } = await import("../session-path.ts");
    const { messagesOn } = await import("../session-tree.ts");
    history.replace(messagesOn(tree));
    await out.emit({ family: "session", type: "moved", entry_id: to, messages: history.messages.length });
    const nextIndex = tree.nextIndex + 1;
    out.recordWith(recordTo(log, redact, { nextIndex, tip: to, messageIds: messageIdsOn(tree) }));
    return ok(tree);
  };

  const warn = (message: string, code: string): Promise<void> =>
    Promise.resolve(out.emit({ family: "warning", type: "warning", code, message }));

  return {
    history,
    ensureFile,
    startNew: async () => {
      await leave();
      history.replace([]);
    },
    resume,
    resumeLast: async () => {
      const latest = await store?.latest();
      if (latest && !latest.ok) return err(storeFailure(latest.error));
      return latest?.value
        ? resume(latest.value.id)
        : err(failure("usage", "There is no session here to resume"));
    },
    fork,
    rename: async (title) => {
      if (store === undefined) return failure("usage", "Sessions are turned off in this run");
      if (log === undefined) return failure("usage", "There is no session to rename yet");
      await out.emit({ family: "session", type: "titled", title });
      return undefined;
    },
    move,
    tellSaved: async () => {
      if (log !== undefined && out.isSaved()) {
        await out.emit({ family: "session", type: "saved", id: log.id });
      }
    },
    close,
  };
}

const storeFailure = ({ kind, detail }: StoreFailure): Failure =>
  failure("usage", detail, kind === "locked" ? { hint: "give --fork to go on in a copy" } : {});
