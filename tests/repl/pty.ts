// The executable on a bare pseudo-terminal, for what goes over the line byte by byte.
import { BUDDY, type Place } from "../cmd/run-buddy.ts";

export type Pty = AsyncDisposable & {
  readonly pid: number;
  readonly write: (text: string) => void;
  /** Everything that came out so far. */
  readonly output: () => string;
  /** Settles as soon as what came out since the last call has a match. */
  readonly sees: (text: string) => Promise<void>;
  readonly exited: Promise<number>;
};

const PATIENCE_MS = 10_000;

export function openPty(
  place: Place,
  command: readonly string[] = [BUDDY],
  env: Readonly<Record<string, string>> = {},
): Pty {
  let out = "";
  let seen = 0;
  const waiting = new Set<() => void>();
  const child = Bun.spawn([...command], {
    cwd: place.cwd,
    env: {
      HOME: place.home,
      PATH: process.env.PATH ?? "",
      TERM: "xterm-256color",
      USER: "me",
      BUDDY,
      ...env,
    },
    terminal: {
      cols: 80,
      rows: 24,
      data: (_terminal, data) => {
        out += Buffer.from(data).toString();
        for (const look of waiting) look();
      },
    },
  });
  return {
    pid: child.pid,
    write: (text) => void child.terminal?.write(text),
    output: () => out,
    sees: (text) =>
      new Promise((resolve, reject) => {
        const timer = setTimeout(() => {
          waiting.delete(look);
          reject(new Error(`Never came: ${text}\n${JSON.stringify(out.slice(seen))}`));
        }, PATIENCE_MS);
        const look = () => {
          const at = out.indexOf(text, seen);
          if (at === -1) return;
          seen = at + text.length;
          clearTimeout(timer);
          waiting.delete(look);
          resolve();
        };
        waiting.add(look);
        look();
      }),
    exited: child.exited,
    [Symbol.asyncDispose]: async () => {
      child.kill("SIGKILL");
      await child.exited;
      child.terminal?.close();
    },
  };
}
