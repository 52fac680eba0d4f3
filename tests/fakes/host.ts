import type { Host } from "../../core/ports/host.ts";

export const START_UNIX_MS = Date.UTC(2026, 0, 2, 3, 4, 5, 678);

export type FakeHost = Host & {
  /** Moves both clocks and settles the waits that are over. */
  readonly advance: (ms: number) => void;
  /** How many waits have not settled yet. */
  readonly waiting: () => number;
};

/** Time stands still until it is advanced; chance is a short, fixed sequence. */
export function fakeHost(startUnixMs = START_UNIX_MS): FakeHost {
  let elapsedMs = 0;
  let rolls = 0;
  const waits = new Set<{ readonly untilMs: number; readonly resolve: () => void }>();

  const wait = (ms: number, signal: AbortSignal) =>
    new Promise<void>((resolve, reject) => {
      if (signal.aborted) return reject(signal.reason);
      const onAbort = () => {
        waits.delete(entry);
        reject(signal.reason);
      };
      const entry = {
        untilMs: elapsedMs + ms,
        resolve: () => {
          signal.removeEventListener("abort", onAbort);
          resolve();
        },
      };
      signal.addEventListener("abort", onAbort, { once: true });
      waits.add(entry);
    });

  return {
    unixMs: () => startUnixMs + elapsedMs,
    monotonicMs: () => elapsedMs,
    random: () => (rolls++ % 10) / 10,
    wait,
    advance: (ms) => {
      elapsedMs += ms;
      for (const entry of [...waits].filter(({ untilMs }) => untilMs <= elapsedMs)) {
        waits.delete(entry);
        entry.resolve();
      }
    },
    waiting: () => waits.size,
  };
}
