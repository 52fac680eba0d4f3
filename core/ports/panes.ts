import type { Result } from "../result.ts";

/** A pane by names; what is not given is the shared one. */
export type PanePlace = { readonly session?: string | undefined; readonly pane?: string | undefined };

export type CaptureRequest = {
  readonly place: PanePlace;
  /** Lines: 0 is the first of the screen, negative ones are history; the whole screen when not given. */
  readonly start: number | "-" | undefined;
  readonly end: number | "-" | undefined;
  readonly joinWrapped: boolean;
  readonly trailingSpaces: boolean;
  readonly escapes: boolean;
  readonly alternate: boolean;
};

export type Captured = {
  readonly pane: string;
  readonly text: string;
  /** The alternate screen was asked for and there is none. */
  readonly noAlternate: boolean;
};

export type KeysRequest = {
  readonly place: PanePlace;
  /** Names of keys as tmux knows them. */
  readonly keys: readonly string[];
  readonly text: string;
  readonly enter: boolean;
};

/** A pane that is there now; `created` when it was not before. */
export type EnsuredPane = { readonly paneId: string; readonly created: boolean };

/** Sessions and panes that buddy made and may end. The error of each says what exists. */
export type ManagedPanes = {
  readonly createSession: (session: string, signal: AbortSignal) => Promise<Result<EnsuredPane, string>>;
  readonly killSession: (session: string, signal: AbortSignal) => Promise<Result<string, string>>;
  readonly createPane: (place: PanePlace, signal: AbortSignal) => Promise<Result<EnsuredPane, string>>;
  readonly killPane: (place: PanePlace, signal: AbortSignal) => Promise<Result<string, string>>;
};

/** A terminal that can be seen and typed into. */
export type Panes = {
  readonly capture: (request: CaptureRequest, signal: AbortSignal) => Promise<Result<Captured, string>>;
  readonly sendKeys: (request: KeysRequest, signal: AbortSignal) => Promise<Result<string, string>>;
  /** Absent when the panes are the user's own. */
  readonly manage?: ManagedPanes;
  /** What a person types to see it: `tmux attach -t …`. */
  readonly attachHint: string;
};
