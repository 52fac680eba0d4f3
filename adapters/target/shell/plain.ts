import { type Mailbox, mailbox } from "../../../core/mailbox.ts";
import type { RunEnd, RunEvent, RunRequest } from "../../../core/ports/target.ts";
import type { Exit, Spawned } from "../../host/spawn.ts";
import { after } from "../../host/timer.ts";
import type { Transport } from "../transport/transport.ts";

export type Shell = (request: RunRequest, signal: AbortSignal) => AsyncIterable<RunEvent>;

/** How long a background child may keep the pipes open after the shell itself has ended. */
const PIPE_GRACE_MS = 200;

/** Runs each command with its own `sh -c`; stdout and stderr stay apart, stdin is empty. */
export const plainShell = (transport: Transport): Shell =>
  async function* (request, signal) {
    signal.throwIfAborted();
    const started = transport.start(["/bin/sh", "-c", request.command], {
      stdin: "empty",
      family: "bound",
    });
    if (!started.ok) {
      yield { type: "failed", detail: started.error };
      return;
    }
    const child = started.value;
    const events = mailbox<RunEvent>();
    const end = waitForEnd(child, request.timeoutMs, signal, events);
    for (let taken = await events.take(); taken.length > 0; taken = await events.take()) yield* taken;
    const ended = await end;
    signal.throwIfAborted();
    yield ended;
  };

/** Pumps the output until the command has ended one way or another, then closes the mailbox. */
async function waitForEnd(
  child: Spawned,
  timeoutMs: number,
  signal: AbortSignal,
  events: Mailbox<RunEvent>,
): Promise<RunEnd> {
  const pumped = Promise.all([pump(child.stdout, "stdout", events), pump(child.stderr, "stderr", events)]);
  let stopped: RunEnd | undefined;
  const stop = (why: RunEnd) => {
    stopped ??= why;
    void child.end();
  };
  const onAbort = () => stop({ type: "killed", signal: "cancel" });
  const cancelTimer = after(timeoutMs, () => stop({ type: "timed_out", afterMs: timeoutMs }));
  signal.addEventListener("abort", onAbort, { once: true });
  if (signal.aborted) onAbort();

  const exit = await child.exited;
  cancelTimer();
  signal.removeEventListener("abort", onAbort);
  if (stopped) await child.end();
  else if (!(await pumpedInTime(pumped, events))) {
    const text = "A background process still holds the output; it goes on until buddy exits";
    events.push({ type: "notice", text });
  }
  for (const text of exit.notices ?? []) events.push({ type: "notice", text });
  events.close();
  return stopped ?? endOf(exit);
}

function endOf({ code, signal, lost }: Exit): RunEnd {
  if (lost !== undefined) return { type: "failed", detail: lost };
  return signal === null ? { type: "exited", code: code ?? 0 } : { type: "killed", signal };
}

async function pump(
  stream: ReadableStream<Uint8Array>,
  type: "stdout" | "stderr",
  events: Mailbox<RunEvent>,
): Promise<void> {
  for await (const bytes of stream) await events.put({ type, bytes });
}

/** Whether all output came; a reader that is slow to take what is there does not count as silence. */
async function pumpedInTime(pumped: Promise<unknown>, events: Mailbox<RunEvent>): Promise<boolean> {
  while (!(await settledWithin(pumped, PIPE_GRACE_MS))) if (!events.isWaiting()) return false;
  return true;
}

/** Whether the work ended in time; it goes on either way. */
async function settledWithin(work: Promise<unknown>, ms: number): Promise<boolean> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(false), ms);
  });
  const inTime = await Promise.race([work.then(() => true), late]);
  clearTimeout(timer);
  return inTime;
}
