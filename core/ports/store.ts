import type { SessionId } from "../id.ts";
import type { Result } from "../result.ts";
import type { SessionHeader } from "../session.ts";

export type StoreFailure = {
  readonly kind: "not_found" | "corrupt" | "locked" | "unwritable";
  readonly detail: string;
};

/** Where conversations are kept. */
export type Store = {
  /** `notice` says why the session lies somewhere else than usual. */
  readonly create: (
    header: SessionHeader,
  ) => Promise<Result<{ readonly log: SessionLog; readonly notice?: string }, StoreFailure>>;
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
