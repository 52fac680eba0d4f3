// Chance that can be repeated: TORTURE_SEED takes the seed that a failure named.

export type Chance = {
  readonly seed: number;
  /** In [0, 1). */
  readonly share: () => number;
  /** A whole number from `low` to `high`, both included. */
  readonly between: (low: number, high: number) => number;
};

export function newChance(seed = Number(process.env.TORTURE_SEED ?? Date.now() % 1_000_000)): Chance {
  let state = seed >>> 0;
  const share = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  return { seed, share, between: (low, high) => low + Math.floor(share() * (high - low + 1)) };
}

/** Does everything, so many at a time. What fails says which item it was and what repeats it. */
export async function inTurns<T>(
  { seed }: Chance,
  items: readonly T[],
  work: (item: T) => Promise<void>,
  atOnce = 3,
): Promise<void> {
  const waiting = [...items];
  const worker = async (): Promise<void> => {
    for (let item = waiting.shift(); item !== undefined; item = waiting.shift()) {
      try {
        await work(item);
      } catch (error) {
        waiting.length = 0;
        const why = error instanceof Error ? error.message : String(error);
        throw new Error(`TORTURE_SEED=${seed} at ${JSON.stringify(item)}: ${why}`, { cause: error });
      }
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
}
