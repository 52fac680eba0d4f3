/** Time and chance of the machine buddy runs on. */
export type Host = {
  readonly unixMs: () => number;
  /** Never goes back; for durations and windows of time. */
  readonly monotonicMs: () => number;
  /** In [0, 1). */
  readonly random: () => number;
  /** Resolves after `ms`; rejects with the signal's reason when aborted. */
  readonly wait: (ms: number, signal: AbortSignal) => Promise<void>;
};
