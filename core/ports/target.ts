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
  readonly kind: "not_found" | "directory" | "denied" | "not_regular" | "other";
  readonly detail: string;
};

/** Ends with exactly one `ended` or `failed`. A reader that has enough stops iterating. */
export type FileEvent =
  | { readonly type: "opened"; readonly size: number }
  | { readonly type: "chunk"; readonly bytes: Uint8Array }
  | { readonly type: "ended" }
  | FileFailure;

/** Where commands run and files are. */
export type Target = {
  /** For people and the model: `local`, `ssh user@host`, `container name`. */
  readonly summary: string;
  readonly cwd: string;
  readonly run: (request: RunRequest, signal: AbortSignal) => AsyncIterable<RunEvent>;
  readonly readFile: (path: string, signal: AbortSignal) => AsyncIterable<FileEvent>;
  /** IANA name of the target's time zone. */
  readonly timeZone: (signal: AbortSignal) => Promise<string>;
  readonly close: () => Promise<void>;
  /** For a process that ends this moment: kills whatever still runs, waits for nothing. */
  readonly killNow: () => void;
};
