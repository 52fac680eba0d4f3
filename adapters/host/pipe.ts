import { dlopen } from "bun:ffi";
import { closeSync } from "node:fs";

/** A pipe of the system. Disposing closes its writing end, and the reading end too when nobody reads. */
export type Pipe = Disposable & {
  /** The end to hand to a program. */
  readonly writeFd: number;
  /** What comes out, up to its end. */
  readonly bytes: () => ReadableStream<Uint8Array>;
};

/**
 * Bun hands programs sockets. On Linux a socket cannot be opened by its name, so `> /dev/stderr` fails there; a pipe can.
 * Undefined where that is no concern, or where there is no pipe to be had.
 */
export function openPipe(): Pipe | undefined {
  const fds = new Int32Array(2);
  if (process.platform !== "linux" || !makePipe(fds)) return undefined;
  const [readFd = -1, writeFd = -1] = fds;
  let read = false;
  return {
    writeFd,
    bytes: () => {
      read = true;
      return bytesOf(readFd);
    },
    [Symbol.dispose]: () => {
      closeSync(writeFd);
      if (!read) closeSync(readFd);
    },
  };
}

/** Of glibc; musl answers to that name as well. */
const C_LIBRARY = "libc.so.6";
const CLOSE_ON_EXEC = 0o2000000;

function makePipe(fds: Int32Array): boolean {
  try {
    const library = dlopen(C_LIBRARY, { pipe2: { args: ["ptr", "i32"], returns: "i32" } });
    const failed = library.symbols.pipe2(fds, CLOSE_ON_EXEC);
    library.close();
    return failed === 0;
  } catch {
    return false; // no such library: a socket is better than nothing
  }
}

/** Bun leaves a descriptor open that it did not open itself. */
function bytesOf(fd: number): ReadableStream<Uint8Array> {
  const reader = Bun.file(fd).stream().getReader();
  return new ReadableStream(
    {
      pull: async (controller) => {
        const { done, value } = await reader.read();
        if (!done) return controller.enqueue(value);
        closeSync(fd);
        controller.close();
      },
      cancel: async (reason) => {
        await reader.cancel(reason);
        closeSync(fd);
      },
    },
    { highWaterMark: 0 },
  );
}
