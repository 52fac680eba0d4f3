import { readdirSync, readFileSync } from "node:fs";
import type { FileSink, Subprocess } from "bun";
import { openPipe } from "./pipe.ts";

/** A process in its own group, with pipes. The one place that starts processes. */
export type Spawned = {
  readonly pid: number;
  readonly stdout: ReadableStream<Uint8Array>;
  readonly stderr: ReadableStream<Uint8Array>;
  readonly exited: Promise<Exit>;
  /** SIGTERM to the whole group, SIGKILL after the grace. Settles when the group is gone. */
  readonly end: () => Promise<void>;
  readonly killNow: () => void;
  /** Whether any process of the group is left. */
  readonly alive: () => boolean;
  /** Only with `stdin: "pipe"`. */
  readonly stdin?: ChildInput;
};

export type Exit = {
  readonly code: number | null;
  readonly signal: string | null;
  /** Why nobody knows how it ended: the place where it ran is out of reach. */
  readonly lost?: string;
  /** What had to be done so that it could run, in words for the model and the user. */
  readonly notices?: readonly string[];
};

/** What a program reads. Writing to one that is gone does nothing: its end says why. */
export type ChildInput = {
  /** Settles when the program has taken it, so that a slow one slows the writer down. */
  readonly write: (bytes: string | Uint8Array) => Promise<void>;
  readonly close: () => void;
};

export type StartOptions = {
  readonly stdin: "empty" | "pipe";
  /** `bound`: whatever the program starts ends with it, also what leaves its process group. */
  readonly family?: "bound";
};

type Session = "own" | "shared";

export type SpawnOptions = {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** `shared`: the program keeps our terminal and gets what is typed there; signals reach only itself. */
  readonly session?: Session;
};

const GRACE_MS = 2000;

/** Throws when the program cannot be started. */
export function spawnGroup(
  argv: readonly string[],
  { cwd, env, session = "own" }: SpawnOptions,
  { stdin, family }: StartOptions = { stdin: "empty" },
): Spawned {
  const detached = session === "own";
  const surroundings = { cwd, env: { ...env }, detached };
  const piped =
    stdin === "empty" && family === "bound" ? spawnWithPipes(argv, surroundings, session) : undefined;
  if (piped) return piped;
  const common = { ...surroundings, stdout: "pipe", stderr: "pipe" } as const;
  if (stdin === "empty") {
    const child = Bun.spawn([...argv], { ...common, stdin: "ignore" });
    return spawnedOf(child, session, child);
  }
  const child = Bun.spawn([...argv], { ...common, stdin: "pipe" });
  return { ...spawnedOf(child, session, child), stdin: inputOf(child.stdin) };
}

type Surroundings = {
  readonly cwd: string;
  readonly env: Record<string, string>;
  readonly detached: boolean;
};

/** Undefined where the system has no pipes for us. */
function spawnWithPipes(
  argv: readonly string[],
  surroundings: Surroundings,
  session: Session,
): Spawned | undefined {
  using out = openPipe();
  using err = openPipe();
  if (!out || !err) return undefined;
  const ends = { stdin: "ignore", stdout: out.writeFd, stderr: err.writeFd } as const;
  const child = Bun.spawn([...argv], { ...surroundings, ...ends });
  return spawnedOf(child, session, { stdout: out.bytes(), stderr: err.bytes() });
}

function inputOf(sink: FileSink): ChildInput {
  return {
    write: async (bytes) => {
      try {
        sink.write(bytes);
        await sink.flush();
      } catch {
        // The reader is gone; whoever waits for the program learns that from its end.
      }
    },
    close: () => void Promise.resolve(sink.end()).catch(() => {}),
  };
}

function spawnedOf(
  child: Subprocess,
  session: Session,
  { stdout, stderr }: Pick<Spawned, "stdout" | "stderr">,
): Spawned {
  // A negative number is a process group for the system.
  const whom = session === "own" ? -child.pid : child.pid;
  return {
    pid: child.pid,
    stdout,
    stderr,
    exited: child.exited.then(() => ({
      code: child.exitCode,
      signal: child.signalCode === null ? null : String(child.signalCode),
    })),
    end: () => endAll(child, whom),
    killNow: () => void sendSignal(whom, "SIGKILL"),
    alive: () => isAlive(whom),
  };
}

async function endAll(child: Subprocess, whom: number): Promise<void> {
  sendSignal(whom, "SIGTERM");
  const deadline = performance.now() + GRACE_MS;
  for (let pauseMs = 1; isAlive(whom) && performance.now() < deadline; pauseMs = Math.min(50, pauseMs * 2)) {
    await Bun.sleep(pauseMs);
  }
  sendSignal(whom, "SIGKILL");
  await child.exited;
}

/** A process that ended but was not collected by its parent does not count as alive. */
function isAlive(whom: number): boolean {
  if (!sendSignal(whom, 0)) return false;
  return process.platform !== "linux" || whom > 0 || hasLivingMember(-whom);
}

function hasLivingMember(group: number): boolean {
  return readdirSync("/proc").some((name) => {
    if (!/^\d+$/.test(name)) return false;
    try {
      // pid (name) state parent group …: the name may hold anything, so reading starts behind its last bracket.
      const stat = readFileSync(`/proc/${name}/stat`, "latin1");
      const [state, , processGroup] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
      return Number(processGroup) === group && state !== "Z" && state !== "X";
    } catch {
      return false; // it ended while we were looking
    }
  });
}

/** False when no process is left to get it. */
function sendSignal(whom: number, signal: "SIGTERM" | "SIGKILL" | 0): boolean {
  try {
    process.kill(whom, signal);
    return true;
  } catch {
    return false; // ESRCH: gone already, which is what was wanted
  }
}
