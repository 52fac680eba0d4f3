import type { Spill } from "../../core/ports/spill.ts";
import { err, ok } from "../../core/result.ts";
import type { ToolServices } from "../../core/tool.ts";

/** What tools share, at its plainest: a home, no list of paths, outputs kept in memory, images that nobody can show. */
export const plainServices = (): ToolServices => ({
  files: { home: "/home/u", allowedPaths: [] },
  spill: memorySpill().spill,
  fitImage: async () => err("the test has no images"),
});

export type MemorySpill = {
  readonly spill: Spill;
  /** What was kept, by path. */
  readonly files: () => Readonly<Record<string, string>>;
  /** How many files are open. */
  readonly open: () => number;
};

export function memorySpill(): MemorySpill {
  const kept = new Map<string, Uint8Array[]>();
  let open = 0;
  return {
    spill: {
      create: (callId, name) => {
        const path = `/kept/${callId}.${name}`;
        const chunks: Uint8Array[] = [];
        kept.set(path, chunks);
        open += 1;
        return ok({
          path,
          write: (bytes) => void chunks.push(bytes),
          close: async () => {
            open -= 1;
            return undefined;
          },
        });
      },
    },
    files: () =>
      Object.fromEntries([...kept].map(([path, chunks]) => [path, Buffer.concat(chunks).toString()])),
    open: () => open,
  };
}
