/** Values pushed from callbacks, read in order by one reader. */
export type Mailbox<T> = {
  readonly push: (value: T) => void;
  /** Pushes, then waits until the reader has taken it: a fast writer cannot fill the memory. */
  readonly put: (value: T) => Promise<void>;
  /** Everything pushed since the last call; waits until there is something. Empty when closed and drained. */
  readonly take: () => Promise<readonly T[]>;
  /** Whether something lies there that the reader has not taken, or is still busy with. */
  readonly isWaiting: () => boolean;
  /** Lets the reader finish. Whatever is pushed later is dropped. */
  readonly close: () => void;
};

export function mailbox<T>(): Mailbox<T> {
  let waiting: T[] = [];
  let closed = false;
  let readerBusy = false;
  let wakeReader: (() => void) | undefined;
  let wakeWriters: (() => void)[] = [];

  const releaseWriters = () => {
    const writers = wakeWriters;
    wakeWriters = [];
    for (const wake of writers) wake();
  };
  const push = (value: T) => {
    if (closed) return;
    waiting.push(value);
    wakeReader?.();
  };

  return {
    push,
    put: async (value) => {
      push(value);
      if (closed) return;
      await new Promise<void>((resolve) => wakeWriters.push(resolve));
    },
    take: async () => {
      readerBusy = false;
      releaseWriters();
      if (waiting.length === 0 && !closed) {
        await new Promise<void>((resolve) => {
          wakeReader = resolve;
        });
        wakeReader = undefined;
      }
      const taken = waiting;
      waiting = [];
      readerBusy = taken.length > 0;
      return taken;
    },
    isWaiting: () => waiting.length > 0 || readerBusy,
    close: () => {
      closed = true;
      releaseWriters();
      wakeReader?.();
    },
  };
}
