import type { EntryId, SessionId } from "../id.ts";
import type { Result } from "../result.ts";
import type { SessionHeader } from "../session.ts";
import type { SessionSummary } from "../session-summary.ts";
import type { SessionTree } from "../session-tree.ts";

export type StoreFailure = {
  readonly kind:
    | "not_found"
    | "ambiguous"
    | "corrupt"
    | "newer"
    | "too_large"
    | "locked"
    | "exists"
    | "unwritable";
  readonly detail: string;
};

/** Where conversations are kept. A `ref` is an id, a prefix of one id only, or a path. */
export type Store = {
  /** `notice` says why the session lies somewhere else than usual. */
  readonly create: (
    header: SessionHeader,
  ) => Promise<Result<{ readonly log: SessionLog; readonly notice?: string }, StoreFailure>>;
  /** To go on with it: nobody else can until the log is closed. A snapshot of old is imported into a new file. */
  readonly open: (ref: string) => Promise<Result<OpenedSession, StoreFailure>>;
  /** A new session that begins with the path up to an entry, or up to the tip. The old one may be in use. */
  readonly fork: (ref: string, entryId?: EntryId) => Promise<Result<OpenedSession, StoreFailure>>;
  /** To look at it only. */
  readonly read: (ref: string) => Promise<Result<ReadSession, StoreFailure>>;
  /** Last used first, damaged ones included. */
  readonly list: () => Promise<SessionList>;
  /** The one of this directory that was used last. */
  readonly latest: () => Promise<Result<SessionSummary, StoreFailure>>;
  readonly remove: (ref: string) => Promise<Result<{ readonly path: string }, StoreFailure>>;
};

export type ReadSession = {
  readonly id: SessionId;
  readonly path: string;
  readonly tree: SessionTree;
  readonly warnings: readonly string[];
};

export type OpenedSession = {
  readonly log: SessionLog;
  readonly tree: SessionTree;
  readonly warnings: readonly string[];
  readonly notice?: string;
};

export type SessionList = {
  readonly sessions: readonly SessionSummary[];
  readonly warnings: readonly string[];
};

/** One session, open for appending. */
export type SessionLog = {
  readonly id: SessionId;
  readonly path: string;
  /** One write of whole lines, given without their line ends. */
  readonly append: (lines: readonly string[]) => Result<void, StoreFailure>;
  /** Returns when everything appended so far is on disk. */
  readonly flush: () => Promise<Result<void, StoreFailure>>;
  readonly close: () => Promise<void>;
};
