import { readdirSync, readFileSync } from "node:fs";

/**
 * Commands carry a mark in their environment, which everything that they start inherits. It finds what has left the
 * process group (`setsid`, daemons). A program that empties its environment as well is not found.
 */
export const MARK_NAME = "BUDDY_RUN";

const GRACE_MS = 1000;
/** What a kill does not end waits for the kernel, and nobody can wait for that. */
const KILL_MS = 2000;

/** Ends whatever carries a mark that begins so: politely, then not. Settles when nothing is left that can be ended. */
export async function endMarked(mark: string): Promise<void> {
  const startedMs = performance.now();
  for (let count = signalMarked(mark, "SIGTERM"); count > 0; count = livingMarked(mark).length) {
    const passedMs = performance.now() - startedMs;
    if (passedMs > GRACE_MS + KILL_MS) return;
    if (passedMs > GRACE_MS) signalMarked(mark, "SIGKILL");
    await Bun.sleep(5);
  }
}

/** How many there were. */
export function signalMarked(mark: string, signal: "SIGTERM" | "SIGKILL"): number {
  const pids = livingMarked(mark);
  for (const pid of pids) {
    try {
      process.kill(pid, signal);
    } catch {
      // it ended by itself, which is what was wanted
    }
  }
  return pids.length;
}

/** Linux only: elsewhere nobody can look into the environment of a process so cheaply. */
function livingMarked(mark: string): readonly number[] {
  if (process.platform !== "linux") return [];
  const wanted = `${MARK_NAME}=${mark}`;
  return readdirSync("/proc").flatMap((name) => {
    if (!/^\d+$/.test(name)) return [];
    try {
      const environ = readFileSync(`/proc/${name}/environ`, "latin1");
      const isMarked = environ.startsWith(wanted) || environ.includes(`\0${wanted}`);
      return isMarked ? [Number(name)] : [];
    } catch {
      return []; // it ended while we were looking, or belongs to somebody else
    }
  });
}
