/** So many may be inside at once; the others wait for their turn. */
export type Queue = {
  /** Settles with the way out, which is taken once. */
  readonly enter: (signal: AbortSignal) => Promise<() => void>;
};

export function queue(places: number): Queue {
  let free = places;
  const waiting: (() => void)[] = [];
  const wayOut = () => {
    let inside = true;
    return (): void => {
      if (!inside) return;
      inside = false;
      free += 1;
      waiting.shift()?.();
    };
  };
  return {
    enter: async (signal) => {
      signal.throwIfAborted();
      while (free === 0) {
        await new Promise<void>((resolve) => waiting.push(resolve));
        // Whoever gives up lets the next one have the turn.
        if (signal.aborted) waiting.shift()?.();
        signal.throwIfAborted();
      }
      free -= 1;
      return wayOut();
    },
  };
}
