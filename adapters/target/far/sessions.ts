import { ok, type Result } from "../../../core/result.ts";
import type { ChildInput, Spawned } from "../../host/spawn.ts";
import type { Link } from "../transport/link.ts";
import { programLine, WAITING_SHELL } from "./quote.ts";

/** A shell on the far side that was given its program. */
export type Session = Pick<Spawned, "exited" | "killNow" | "end"> & {
  /** The program's input. */
  readonly stdin: ChildInput;
  /** Its output. Reading goes on where the last reader stopped, because one shell can run many programs. */
  readonly output: AsyncIterableIterator<Uint8Array>;
  readonly errors: AsyncIterableIterator<Uint8Array>;
};

export type Sessions = {
  /** Gives a waiting shell its program: one way there, and the answer's way back. */
  readonly run: (script: string, words: readonly string[], input: "none" | "own") => Result<Session, string>;
  /** Takes back a shell whose program has ended and whose output was read to the end. */
  readonly giveBack: (session: Session) => void;
  /** Opens one ahead of need, while nobody waits for it. */
  readonly warm: () => void;
  /** Ends those that wait. */
  readonly close: () => void;
};

const MAX_WAITING = 2;

/** Shells on the far side. Some wait there before they are needed: opening one can take long. */
export function sessions(link: Link): Sessions {
  const waiting: Session[] = [];

  const open = (): Result<Session, string> => {
    const started = link.start(WAITING_SHELL, { stdin: "pipe" });
    if (!started.ok) return started;
    const { stdin, stdout, stderr, exited, killNow, end } = started.value;
    if (stdin === undefined) throw new Error("Link started a program without its standard input");
    const session = { stdin, exited, killNow, end, output: chunksOf(stdout), errors: chunksOf(stderr) };
    void exited.then(() => {
      stdin.close();
      const at = waiting.indexOf(session);
      if (at >= 0) waiting.splice(at, 1);
    });
    return ok(session);
  };

  return {
    run: (script, words, input) => {
      const ready = waiting.pop();
      const session = ready ? ok(ready) : open();
      if (session.ok) void session.value.stdin.write(programLine(script, words, input));
      return session;
    },
    giveBack: (session) => {
      if (waiting.length < MAX_WAITING) waiting.push(session);
      else session.stdin.close();
    },
    warm: () => {
      if (waiting.length > 0) return;
      const opened = open();
      // Whoever needs one will be told why there is none.
      if (opened.ok) waiting.push(opened.value);
    },
    close: () => {
      for (const session of waiting.splice(0)) session.stdin.close();
    },
  };
}

/** Like the iterator of the stream, but a reader that stops leaves it open. */
function chunksOf(stream: ReadableStream<Uint8Array>): AsyncIterableIterator<Uint8Array> {
  const chunks = stream[Symbol.asyncIterator]();
  const all: AsyncIterableIterator<Uint8Array> = {
    next: () => chunks.next(),
    [Symbol.asyncIterator]: () => all,
  };
  return all;
}
