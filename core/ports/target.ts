import type { Result } from "../result.ts";

export type RunRequest = {
  readonly command: string;
  readonly timeoutMs: number;
};

export type RunEnd =
  | { readonly type: "exited"; readonly code: number }
  | { readonly type: "killed"; readonly signal: string }
  | { readonly type: "timed_out"; readonly afterMs: number }
  /** The target itself could not run it. */
  | { readonly type: "failed"; readonly detail: string };

/**
 * Ends with exactly one `RunEnd`. Throws only when aborted. After an abort or a time-out nothing that the command
 * started is alive; background children of a command that ended by itself live until `close`.
 */
export type RunEvent =
  | { readonly type: "stdout" | "stderr"; readonly bytes: Uint8Array }
  | { readonly type: "notice"; readonly text: string }
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
