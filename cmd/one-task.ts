import type { Output } from "../adapters/host/output.ts";
import { after } from "../adapters/host/timer.ts";
import type { Paint } from "../adapters/output/paint.ts";
import { formatDuration } from "../core/duration.ts";
import type { Event, Sink, TaskEvent } from "../core/event.ts";
import { failure } from "../core/failure.ts";
import type { TaskId } from "../core/id.ts";
import type { UserMessage } from "../core/message.ts";
import { EXIT_CODES, errorLines } from "./exit.ts";
import type { App } from "./wire.ts";

export type OneTask = {
  /** Watches how the task goes; belongs behind the sinks that show it. */
  readonly sink: Sink;
  /** Submits the prompt and returns the exit code when everything is closed. */
  readonly run: (app: App, message: UserMessage) => Promise<number>;
};

export type OneTaskSettings = {
  readonly stderr: Output;
  readonly paint: Paint;
  readonly timeoutMs: number | undefined;
};

type Stop =
  | { readonly type: "interrupted" | "terminated" }
  | { readonly type: "timeout"; readonly afterMs: number };
type TaskEnd = TaskEvent & { readonly type: "completed" | "failed" | "cancelled" };

/** Drives the runtime for one prompt: approvals, signals, the time limit, the exit code. */
export function runOneTask(settings: OneTaskSettings): OneTask {
  let running: App | undefined;
  let active: TaskId | undefined;
  let stop: Stop | undefined;
  let finish: (end: TaskEnd) => void = () => {};
  const ended = new Promise<TaskEnd>((resolve) => {
    finish = resolve;
  });

  const onTaskEvent = (event: TaskEvent): void => {
    if (event.type === "started") {
      active = event.task_id;
      if (stop) cancel(stop);
    }
    if (event.type === "waiting_approval") void answerApproval(event);
    if (event.type === "completed" || event.type === "failed" || event.type === "cancelled") finish(event);
  };

  const answerApproval = async ({ approval }: TaskEvent & { type: "waiting_approval" }): Promise<void> => {
    const { askOnTerminal } = await import("./tty-approval.ts");
    const decision = await askOnTerminal(approval, settings.paint);
    running?.runtime.send({ type: "approve", approval_id: approval.approval_id, decision });
  };

  const cancel = (why: Stop): void => {
    if (stop && why.type !== "timeout" && active) {
      // A second signal waits for nothing.
      running?.killNow();
      process.exit(why.type === "terminated" ? 143 : 130);
    }
    stop ??= why;
    if (active) running?.runtime.send({ type: "cancel_task", task_id: active });
  };

  const run = async (app: App, message: UserMessage): Promise<number> => {
    running = app;
    const release = listen(cancel, settings.timeoutMs);
    app.runtime.send({ type: "submit_prompt", message });
    const end = await Promise.race([ended, app.runtime.stopped.then(() => undefined)]);
    app.runtime.send({ type: "shutdown" });
    await app.runtime.stopped;
    await app.close();
    release();
    return end === undefined ? EXIT_CODES.internal : conclude(end, stop, settings.stderr);
  };

  const sink: Sink = ({ event }: { readonly event: Event }) => {
    if (event.family === "task") onTaskEvent(event);
    // The executable starts with a reluctant JIT, which is right for start-up only (scripts/build.ts).
    if (event.family === "model" && event.type === "request_started") Bun.unsafe.setJITPolicy(1);
  };
  return { sink, run };
}

/** Calls `cancel` on a signal or when the time is up; the result takes that back. */
function listen(cancel: (why: Stop) => void, timeoutMs: number | undefined): () => void {
  const onInterrupt = () => cancel({ type: "interrupted" });
  const onTerminate = () => cancel({ type: "terminated" });
  process.on("SIGINT", onInterrupt);
  process.on("SIGTERM", onTerminate);
  process.on("SIGHUP", onTerminate);
  const stopTimer =
    timeoutMs === undefined
      ? () => {}
      : after(timeoutMs, () => cancel({ type: "timeout", afterMs: timeoutMs }));
  return () => {
    stopTimer();
    process.off("SIGINT", onInterrupt);
    process.off("SIGTERM", onTerminate);
    process.off("SIGHUP", onTerminate);
  };
}

function conclude(end: TaskEnd, stop: Stop | undefined, stderr: Output): number {
  switch (end.type) {
    case "completed":
      if (!end.totals.unapproved) return 0;
      stderr.write(
        errorLines({
          message: `Not approved: ${end.totals.denials.map((denial) => denial.subject).join("; ")}`,
          hint: "run it on a terminal, or give --approve all or a duration",
        }),
      );
      return EXIT_CODES.approval;
    case "failed":
      stderr.write(errorLines(end.failure));
      return EXIT_CODES[end.failure.class];
    case "cancelled":
      if (stop?.type === "timeout") {
        const why = failure("limit", `Stopped after ${formatDuration(stop.afterMs)}: the limit of --timeout`);
        stderr.write(errorLines(why));
        return EXIT_CODES.limit;
      }
      stderr.write(errorLines({ message: stop?.type === "terminated" ? "Terminated" : "Interrupted" }));
      return stop?.type === "terminated" ? 143 : EXIT_CODES.interrupted;
  }
}
