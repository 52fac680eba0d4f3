import type { Result } from "../../../core/result.ts";
import type { EnsureFailure } from "./ensure-session.ts";
import type { Session, SessionSettings } from "./session.ts";

export type ShellSettings = Omit<SessionSettings, "missing"> & {
  readonly maxSessions: number;
  readonly maxPanes: number;
};

/** The sessions of a run, opened when they are first needed, and again when their server has gone. */
export type Sessions = {
  readonly open: (
    wanted: string | undefined,
    missing?: "create" | "fail",
  ) => Promise<Result<{ readonly session: Session; readonly again: boolean }, EnsureFailure>>;
  readonly isDefault: (name: string) => boolean;
  readonly forget: (name: string) => void;
};
