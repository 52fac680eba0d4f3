import type { FileEvent } from "../../../core/ports/target.ts";

/** Files that came along with the answer where they are. Each serves one reader, at once or not at all. */
export type Ahead = {
  readonly put: (path: string, events: readonly FileEvent[]) => void;
  readonly take: (path: string) => readonly FileEvent[] | undefined;
};

/** Longer ago is not now. */
const FRESH_MS = 1000;

export function readAhead(): Ahead {
  let known: { readonly path: string; readonly events: readonly FileEvent[]; readonly atMs: number }[] = [];
  const fresh = () => known.filter(({ atMs }) => performance.now() - atMs < FRESH_MS);
  return {
    put: (path, events) => {
      known = [...fresh().filter((one) => one.path !== path), { path, events, atMs: performance.now() }];
    },
    take: (path) => {
      const found = fresh().find((one) => one.path === path);
      known = fresh().filter((one) => one !== found);
      return found?.events;
    },
  };
}
