import type { Result } from "../result.ts";
import type { PanePlace, Panes } from "./panes.ts";

export type RunRequest = {
  readonly command: string;
  /** Infinity: as long as it takes. */
  readonly timeoutMs: number;
  /** Which pane, where there are panes; the shared one otherwise. */
  readonly place?: PanePlace;
  /** Only with panes: answer as soon as it was typed. */
  readonly dispatch?: true;
};

export type RunEnd =
  | { readonly type: "exited"; readonly code: number }
  | { readonly type: "killed"; readonly signal: string }
  | { readonly type: "timed_out"; readonly afterMs: number }
  /** It goes on in its pane: it was dispatched, or its time was up after so long. */
  | { readonly type: "left_running"; readonly afterMs: number | undefined; readonly how: string }
  /** The target itself could not run it. */
  | { readonly type: "failed"; readonly detail: string };

/**
 * Ends with exactly one `RunEnd`. Throws only when aborted. After an abort or a time-out nothing that the command
 * started is alive, what is said to be left running excepted; background children of a command that ended by itself live until `close`.
 */
export type RunEvent =
  | { readonly type: "stdout" | "stderr"; readonly bytes: Uint8Array }
  | { readonly type: "notice"; readonly text: string }
  /** Only the user can go on with it: a password is asked for, an editor is open. For the user, not for the model. */
  | { readonly type: "attention"; readonly text: string }
  | RunEnd;

export type FileFailure = {
  readonly type: "failed";
  readonly kind:
    | "not_found"
    | "directory"
    | "denied"
    | "not_regular"
    /** A link stands where a file or directory was to be. */
    | "link"
    | "other";
  readonly detail: string;
};

/** Ends with exactly one `ended` or `failed`. A reader that has enough stops iterating. */
export type FileEvent =
  | { readonly type: "opened"; readonly size: number }
  | { readonly type: "chunk"; readonly bytes: Uint8Array }
  | { readonly type: "ended" }
  | FileFailure;

export type FileStat = {
  readonly type: "file" | "directory" | "other";
  readonly size: number;
  /** Permission bits. */
  readonly mode: number;
};

export type WriteOptions = {
  /** Of a file that is made; one that is replaced keeps its own. */
  readonly mode?: number;
};

/** Where commands run and files are. */
export type Target = {
  /** For people and the model: `local`, `ssh user@host`, `container name`. */
  readonly summary: string;
  readonly cwd: string;
  readonly run: (request: RunRequest, signal: AbortSignal) => AsyncIterable<RunEvent>;
  /** What can be seen and typed into, where the shell has a screen. */
  readonly panes?: Panes;
  /**
   * The absolute path of the file itself: `~`, `..` and every link taken out. What is not there yet stays in the path
   * by name, so that the answer says where a new file would be.
   */
  readonly resolvePath: (path: string, signal: AbortSignal) => Promise<Result<string, FileFailure>>;
  /** Of what a resolved path names. Links are not followed, here and below: resolve first. */
  readonly stat: (path: string, signal: AbortSignal) => Promise<Result<FileStat, FileFailure>>;
  readonly readFile: (path: string, signal: AbortSignal) => AsyncIterable<FileEvent>;
  /**
   * Replaces the file, or makes it and its parents. At any moment a reader, and a crash, finds the old content or the
   * new one whole. Refuses what is marked read-only, also where the user could write it.
   */
  readonly writeFile: (
    path: string,
    bytes: Uint8Array,
    options: WriteOptions,
    signal: AbortSignal,
  ) => Promise<Result<{ readonly created: boolean }, FileFailure>>;
  /** IANA name of the target's time zone. */
  readonly timeZone: (signal: AbortSignal) => Promise<string>;
  readonly close: () => Promise<void>;
  /** For a process that ends this moment: kills whatever still runs, waits for nothing. */
  readonly killNow: () => void;
};
