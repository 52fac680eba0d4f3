import { err, ok } from "../../../core/result.ts";
import { reasonOf } from "../../host/errno.ts";
import { type Spawned, spawnGroup } from "../../host/spawn.ts";
import type { Transport } from "./transport.ts";

export function localTransport(place: {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}): Transport {
  // Groups are kept after their leader is gone: a background child may still live in one.
  const started = new Set<Spawned>();
  return {
    summary: "local",
    cwd: place.cwd,
    start: (argv, options) => {
      try {
        const spawned = spawnGroup(argv, place, options);
        started.add(spawned);
        void spawned.exited.then(() => {
          if (!spawned.alive()) started.delete(spawned);
        });
        return ok(spawned);
      } catch (error) {
        return err(`Cannot start ${argv[0]} in "${place.cwd}": ${reasonOf(error)}`);
      }
    },
    killNow: () => {
      for (const spawned of started) spawned.killNow();
    },
    close: async () => {
      await Promise.all([...started].map((spawned) => spawned.end()));
      started.clear();
    },
  };
}
