import type { Result } from "../result.ts";

/** Where the whole of what was cut is kept. */
export type Spill = {
  /** A new file for this call; its name says which call and which stream. */
  readonly create: (callId: string, name: string) => Result<SpillFile, string>;
};

export type SpillFile = {
  readonly path: string;
  /** Never fails the call: what cannot be kept is said by `close`. */
  readonly write: (bytes: Uint8Array) => void;
  /** Why something is missing in the file, if so. */
  readonly close: () => Promise<string | undefined>;
};
