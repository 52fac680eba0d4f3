import { fstatSync, statSync, writeSync } from "node:fs";
import { errnoOf } from "./errno.ts";

/** A standard stream, written synchronously: nothing is lost when the process exits right after. */
export type Output = {
  /** `closed`: nobody reads any more. Any other failure throws. */
  readonly write: (text: string) => "written" | "closed";
  readonly isTerminal: () => boolean;
};

export function outputTo(fd: 1 | 2): Output {
  let terminal: boolean | undefined;
  let closed = false;
  return {
    write: (text) => {
      if (!closed) closed = !writeAll(fd, Buffer.from(text));
      return closed ? "closed" : "written";
    },
    isTerminal: () => {
      terminal ??= isTerminal(fd);
      return terminal;
    },
  };
}

/** process.stdout.isTTY would cost several milliseconds at start-up: it builds Node streams. */
export function isTerminal(fd: number): boolean {
  try {
    const stat = fstatSync(fd);
    if (!stat.isCharacterDevice() || stat.rdev === statSync("/dev/null").rdev) return false;
  } catch {
    return false; // a closed descriptor is no terminal
  }
  return require("node:tty").isatty(fd);
}

function writeAll(fd: number, bytes: Uint8Array): boolean {
  for (let done = 0; done < bytes.length; ) {
    try {
      done += writeSync(fd, bytes, done);
    } catch (error) {
      const errno = errnoOf(error);
      if (errno === "EPIPE" || errno === "EBADF") return false;
      if (errno !== "EAGAIN") throw error;
      Bun.sleepSync(1); // a pipe someone else made non-blocking is full: wait for its reader
    }
  }
  return true;
}
