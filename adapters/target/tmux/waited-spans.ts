import type { Window } from "./sweep.ts";

/** When commands ran that were waited for: what began then ends with the run. */
export type WaitedSpans = {
  /** One begins now; the result ends it. One that is never ended goes on until somebody looks. */
  readonly begin: () => () => void;
  readonly all: () => readonly Window[];
};

/** Beyond so many the oldest are joined. */
const MOST = 500;

export function waitedSpans(): WaitedSpans {
  let ended: Window[] = [];
  const open = new Set<{ readonly fromMs: number }>();
  return {
    begin: () => {
      const span = { fromMs: performance.now() };
      open.add(span);
      return () => {
        if (!open.delete(span)) return;
        ended.push({ ...span, untilMs: performance.now() });
        const [first, second, ...rest] = ended;
        if (ended.length > MOST && first && second) {
          ended = [{ fromMs: first.fromMs, untilMs: second.untilMs }, ...rest];
        }
      };
    },
    all: () => [...ended, ...[...open].map(({ fromMs }) => ({ fromMs, untilMs: Number.POSITIVE_INFINITY }))],
  };
}
