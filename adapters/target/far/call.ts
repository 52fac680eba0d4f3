import { constants } from "node:os";
import type { Result } from "../../../core/result.ts";
import type { Exit, Spawned, StartOptions } from "../../host/spawn.ts";
import { orAfter } from "../../host/timer.ts";
import type { Keeper } from "./keeper.ts";
import type { Session } from "./sessions.ts";
import { wordFilter } from "./words.ts";

/** A call that is under way on the far side. */
export type Begun = {
  readonly session: Session;
  readonly keeper: Keeper;
  readonly notices: readonly string[];
};

export type Call = {
  /** What its processes carry in their environment; nothing if what it starts may stay. */
  readonly mark: string;
  /** What begins the words of `call.sh` in its output. */
  readonly sign: string;
  readonly begun: Promise<Result<Begun, string>>;
  readonly stdin: StartOptions["stdin"];
  /** Called when the session can be used again. */
  readonly onFree: (session: Session) => void;
  /** Called when the other side does not answer. */
  readonly onSilence: () => void;
  /** In words for the model: why it did not run, or that nobody knows how it ended. */
  readonly explain: (how: "no directory" | "not started" | "went away", words: string) => string;
};

/** Longer than the far side gives a process to go in peace, shorter than a user who pressed Ctrl-C is willing to wait. */
const FAREWELL_MS = 2800;
const LOOK_MS = 300;
const LINGER_MS = 100;
const DRAIN_MS = 1000;
const MAX_WORDS = 4000;

/** A program on the far side, as if it were one here. */
export function programOf(call: Call): Spawned {
  const started = Promise.withResolvers<number>();
  const streams = { stdout: filtered(call, "stdout", onWord), stderr: filtered(call, "stderr", onWord) };
  const ends = new Map<StreamName, number>();
  const said = Promise.withResolvers<{ readonly code: number; readonly left: boolean }>();
  let noDirectory = false;
  let over = false;

  function onWord(stream: StreamName, word: string): void {
    if (word.startsWith("s")) started.resolve(Number(word.slice(1)));
    if (word.startsWith("n")) noDirectory = true;
    if (!word.startsWith("e")) return;
    const [code, left] = word.slice(1).split(" ");
    ends.set(stream, Number(code));
    if (left === "none") streams[stream].close();
    // Each stream brings all of the program's output before this word, so both have to have it.
    if (ends.size === 2) said.resolve({ code: Number(code), left: left !== "none" });
  }

  const clientEnded = async ({ session, keeper }: Begun): Promise<Exit> => {
    await session.exited;
    await orAfter(DRAIN_MS, Promise.all([streams.stdout.drained, streams.stderr.drained]));
    const [code] = ends.values();
    if (code !== undefined) return exitOf(code);
    const words = streams.stderr.before();
    if (noDirectory) return lost(call.explain("no directory", words));
    if (!streams.stderr.begun()) return lost(call.explain("not started", words));
    await orAfter(LOOK_MS, keeper.gone);
    return keeper.alive() ? { code: null, signal: "SIGKILL" } : lost(call.explain("went away", words));
  };
  /** Where the far side could not tell: a client may take its time, or a child in the background has more to say. */
  const settleOutput = async ({ session, keeper }: Begun): Promise<void> => {
    if ((await orAfter(LINGER_MS, session.exited)) === "done") return;
    if (await keeper.hasLeft(call.mark)) return;
    streams.stdout.close();
    streams.stderr.close();
  };
  const programEnded = async (begun: Begun): Promise<Exit> => {
    const { code, left } = await said.promise;
    if (left) await settleOutput(begun);
    else if (call.stdin === "empty") call.onFree(begun.session);
    return exitOf(code);
  };
  const exited = async (): Promise<Exit> => {
    const begun = await call.begun;
    if (!begun.ok) return lost(begun.error);
    const { notices } = begun.value;
    const exit = await Promise.race([programEnded(begun.value), clientEnded(begun.value)]);
    over = true;
    return notices.length === 0 ? exit : { ...exit, notices };
  };
  const endThere = async ({ session, keeper }: Begun): Promise<void> => {
    const group = await Promise.race([started.promise, session.exited.then(() => 0)]);
    await (call.mark === "" ? session.killNow() : keeper.end(call.mark, group));
    await session.exited;
  };
  let ending: Promise<void> | undefined;
  const end = (): Promise<void> => {
    ending ??= endOnce();
    return ending;
  };
  const endOnce = async (): Promise<void> => {
    const begun = await call.begun;
    if (!begun.ok) return;
    if ((await orAfter(FAREWELL_MS, endThere(begun.value))) === "late") call.onSilence();
    begun.value.session.killNow();
    await begun.value.session.exited;
  };
  return {
    pid: 0,
    stdout: streams.stdout.stream,
    stderr: streams.stderr.stream,
    exited: exited(),
    end,
    killNow: () => void end(),
    alive: () => !over,
    ...(call.stdin === "pipe" ? { stdin: inputOf(call) } : {}),
  };
}

type StreamName = "stdout" | "stderr";

const END = { done: true } as const;

function inputOf({ begun }: Call): NonNullable<Spawned["stdin"]> {
  return {
    write: async (bytes) => {
      const known = await begun;
      if (known.ok) await known.value.session.stdin.write(bytes);
    },
    close: () => void begun.then((known) => known.ok && known.value.session.stdin.close()),
  };
}

/** The program's output without the words of ours, and without what was said before it began. */
function filtered(
  { sign, begun }: Call,
  name: StreamName,
  onWord: (stream: StreamName, word: string) => void,
) {
  const drained = Promise.withResolvers<void>();
  const closed = Promise.withResolvers<typeof END>();
  let isClosed = false;
  let hasBegun = false;
  let before = "";
  const note = (bytes: Uint8Array): void => {
    before = (before + Buffer.from(bytes).toString()).slice(-MAX_WORDS);
  };
  const filter = wordFilter(sign, (word, skipped) => {
    const wasBegun = hasBegun;
    if (!wasBegun) note(skipped);
    if (word.startsWith("s")) hasBegun = true;
    onWord(name, word);
    return wasBegun ? "keep" : "drop";
  });
  const output = (bytes: Uint8Array): Uint8Array => {
    const passed = filter.push(bytes);
    if (hasBegun) return passed;
    note(passed);
    return passed.subarray(0, 0);
  };
  const stream = new ReadableStream<Uint8Array>({
    pull: async (controller) => {
      const known = await begun;
      if (!known.ok) return controller.close();
      const source = known.value.session[name === "stdout" ? "output" : "errors"];
      while (true) {
        const next = isClosed ? END : await Promise.race([source.next(), closed.promise]);
        if (next.done) {
          drained.resolve();
          const rest = filter.rest();
          if (rest.length > 0 && hasBegun) controller.enqueue(rest);
          return controller.close();
        }
        const bytes = output(next.value);
        if (bytes.length > 0) return controller.enqueue(bytes);
      }
    },
    cancel: () => drained.resolve(),
  });
  const close = () => {
    isClosed = true;
    closed.resolve(END);
  };
  return { stream, close, drained: drained.promise, before: () => before.trim(), begun: () => hasBegun };
}

const lost = (why: string): Exit => ({ code: null, signal: null, lost: why });

/** A shell tells a death by signal only as a number above 128. */
function exitOf(code: number): Exit {
  const name = Object.entries(constants.signals).find(([, number]) => number === code - 128)?.[0];
  return name === undefined ? { code, signal: null } : { code: null, signal: name };
}
