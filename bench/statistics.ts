export type Summary = {
  readonly count: number;
  readonly median: number;
  readonly p10: number;
  readonly p90: number;
};

/** Undefined for no values: a contestant that did not run has no figure. */
export function summarize(values: readonly number[]): Summary | undefined {
  if (values.length === 0) return undefined;
  const sorted = values.toSorted((a, b) => a - b);
  return {
    count: sorted.length,
    median: quantile(sorted, 0.5),
    p10: quantile(sorted, 0.1),
    p90: quantile(sorted, 0.9),
  };
}

/** Between the two nearest values where the rank is not a whole number. */
function quantile(sorted: readonly number[], share: number): number {
  const rank = (sorted.length - 1) * share;
  const low = sorted[Math.floor(rank)] ?? Number.NaN;
  const high = sorted[Math.ceil(rank)] ?? Number.NaN;
  return low + (high - low) * (rank - Math.floor(rank));
}

/** Turns `values` left by `by` places: whoever ran first in one round runs later in the next. */
export const rotated = <T>(values: readonly T[], by: number): readonly T[] =>
  values.map((_, index) => values[(index + by) % values.length]).filter((value) => value !== undefined);

export type Samples = {
  readonly add: (name: string, ...values: readonly number[]) => void;
  readonly median: (name: string) => number | undefined;
  readonly summaries: () => Readonly<Record<string, Summary>>;
};

export function samples(): Samples {
  const all = new Map<string, number[]>();
  return {
    add: (name, ...values) => {
      const known = all.get(name) ?? [];
      known.push(...values);
      all.set(name, known);
    },
    median: (name) => summarize(all.get(name) ?? [])?.median,
    summaries: () => {
      const entries = [...all].map(([name, values]) => [name, summarize(values)] as const);
      return Object.fromEntries(entries.flatMap(([name, found]) => (found ? [[name, found]] : [])));
    },
  };
}
