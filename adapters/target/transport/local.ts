import { err, ok } from "../../../core/result.ts";
import { reasonOf } from "../../host/errno.ts";
import { endMarked, MARK_NAME, signalMarked } from "../../host/marked.ts";
import { type Spawned, type SpawnOptions, type StartOptions, spawnGroup } from "../../host/spawn.ts";
import { startWatchdog, type Watchdog } from "../../host/watchdog.ts";
import type { Transport } from "./transport.ts";

export function localTransport(place: SpawnOptions): Transport {
  // Groups are kept after their leader is gone: a background child may still live in one.
  const started = new Set<Spawned>();
  const bound = boundCommands(place);

  const start = (argv: readonly string[], options: StartOptions | undefined): Spawned => {
    const spawned =
      options?.family === "bound" ? bound.start(argv, options) : spawnGroup(argv, place, options);
    started.add(spawned);
    void spawned.exited.then(() => {
      if (spawned.alive()) return;
      started.delete(spawned);
      bound.watch(started);
    });
    bound.watch(started);
    return spawned;
  };

  return {
    summary: "local",
    cwd: place.cwd,
    start: (argv, options) => {
      try {
        return ok(start(argv, options));
      } catch (error) {
        return err(`Cannot start ${argv[0]} in "${place.cwd}": ${reasonOf(error)}`);
      }
    },
    killNow: () => {
      for (const spawned of started) spawned.killNow();
      bound.killNow();
    },
    close: async () => {
      await Promise.all([...started].map((spawned) => spawned.end()));
      started.clear();
      await bound.close();
    },
  };
}

/** Commands whose whole family ends with them, or with us, wherever its members have gone. */
function boundCommands(place: SpawnOptions) {
  const family = crypto.randomUUID();
  let count = 0;
  let watchdog: Watchdog | undefined;
  return {
    start: (argv: readonly string[], options: StartOptions): Spawned => {
      count += 1;
      const mark = `${family}.${count}.`;
      const spawned = spawnGroup(argv, { ...place, env: { ...place.env, [MARK_NAME]: mark } }, options);
      watchdog ??= startWatchdog(family);
      return { ...spawned, end: () => spawned.end().then(() => endMarked(mark)) };
    },
    watch: (groups: ReadonlySet<Spawned>) => watchdog?.watch([...groups].map(({ pid }) => pid)),
    killNow: () => {
      if (watchdog === undefined) return;
      signalMarked(family, "SIGKILL");
      watchdog.close();
    },
    close: async () => {
      if (watchdog === undefined) return;
      await endMarked(family);
      watchdog.close();
      watchdog = undefined;
    },
  };
}
