import type { Target } from "../../core/ports/target.ts";
import type { TargetPlace } from "./open.ts";

/** The machine buddy runs on, opened by the first thing that is asked of it: many runs use no tool. */
export function lazyLocal(place: TargetPlace): Target {
  let opened: Target | undefined;
  const open = async (): Promise<Target> => {
    const { openLocalTarget } = await import("./open.ts");
    opened ??= openLocalTarget(place);
    return opened;
  };
  return {
    summary: "local",
    cwd: place.cwd,
    run: async function* (request, signal) {
      yield* (await open()).run(request, signal);
    },
    resolvePath: async (path, signal) => (await open()).resolvePath(path, signal),
    stat: async (path, signal) => (await open()).stat(path, signal),
    readFile: async function* (path, signal) {
      yield* (await open()).readFile(path, signal);
    },
    writeFile: async (path, bytes, options, signal) => (await open()).writeFile(path, bytes, options, signal),
    timeZone: async (signal) => (await open()).timeZone(signal),
    close: async () => opened?.close(),
    killNow: () => opened?.killNow(),
  };
}
