import { fstatSync, statSync, writeSync } from "node:fs";
import { errnoOf, reasonOf } from "./errno.ts";

/** A standard stream, written synchronously: nothing is lost when the process exits right after. */
export type Output = {
  /** `closed`: nobody reads any more. What else goes wrong throws on stdout; on stderr there is nobody to tell. */
  readonly write: (text: string) => "written" | "closed";
  readonly isTerminal: () => boolean;
};

export function outputTo(fd: 1 | 2): Output {
  let terminal: boolean | undefined;
  let closed = false;
  return {
    write: (text) => {
      if (closed) return "closed";
      const trouble = writeAll(fd, Buffer.from(text));
      closed = trouble !== undefined;
      if (trouble && fd === 1 && !GONE.has(errnoOf(trouble))) {
        throw new OutputFailure(`Cannot write to standard output: ${reasonOf(trouble)}`);
      }
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

/** Errors that mean: whoever read this has left. */
const GONE = new Set(["EPIPE", "EBADF", "EIO"]);

/** A class because it has to be told from bugs where it is caught. */
export class OutputFailure extends Error {}

/** What stopped the writing, if anything did. */
function writeAll(fd: number, bytes: Uint8Array): unknown {
  for (let done = 0; done < bytes.length; ) {
    try {
      done += writeSync(fd, bytes, done);
    } catch (error) {
      if (errnoOf(error) !== "EAGAIN") return error;
      Bun.sleepSync(1); // a pipe someone else made non-blocking is full: wait for its reader
    }
  }
  return undefined;
}
