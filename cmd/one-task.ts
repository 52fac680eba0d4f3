import type { Output } from "../adapters/host/output.ts";
import type { Paint } from "../adapters/output/paint.ts";
import type { Event, Sink, TaskEvent } from "../core/event.ts";
import { type Failure, failure } from "../core/failure.ts";
import type { TaskId } from "../core/id.ts";
import type { UserMessage } from "../core/message.ts";
import type { SessionCommand } from "../core/runtime/state.ts";
import { EXIT_CODES, errorLines, reportFailure } from "./exit.ts";
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
  /** Which conversation the prompt goes on; undefined: a new one. */
  readonly session: SessionCommand | undefined;
};

/** 130 or 143. */
type SignalCode = 130 | 143;
type TaskEnd = TaskEvent & { readonly type: "completed" | "failed" | "cancelled" };
type Outcome =
  | { readonly type: "ended"; readonly end: TaskEnd }
  /** The user was told why by an event. */
  | { readonly type: "not_opened"; readonly why: Failure }
  | { readonly type: "refused"; readonly why: Failure };

/** Drives the runtime for one prompt: session, approvals, signals, the time limit, the exit code. */
export function runOneTask(settings: OneTaskSettings): OneTask {
  let running: App | undefined;
  let active: TaskId | undefined;
  let signalled: SignalCode | undefined;
  const opened = signalOnce<Failure | undefined>();
  const ended = signalOnce<TaskEnd>();
  const refused = signalOnce<string>();

  const onTaskEvent = (event: TaskEvent): void => {
    if (event.type === "started") {
      active = event.task_id;
      const { timeoutMs: duration_ms } = settings;
      if (duration_ms !== undefined)
        running?.runtime.send({ type: "set_timeout", task_id: active, duration_ms });
      if (signalled) running?.runtime.send({ type: "cancel_task", task_id: active });
    }
    if (event.type === "rejected" && event.command === "submit_prompt") refused.fire(event.reason);
    if (event.type === "waiting_approval") void answerApproval(event);
    if (event.type === "completed" || event.type === "failed" || event.type === "cancelled")
      ended.fire(event);
  };

  const onEvent = (event: Event): void => {
    if (event.family === "task") onTaskEvent(event);
    if (event.family === "session" && (event.type === "resumed" || event.type === "forked"))
      opened.fire(undefined);
    if (event.family === "error") opened.fire(event.failure);
    // The executable starts with a reluctant JIT, which is right for start-up only (scripts/build.ts).
    if (event.family === "model" && event.type === "request_started") Bun.unsafe.setJITPolicy(1);
  };

  const answerApproval = async ({ approval }: TaskEvent & { type: "waiting_approval" }): Promise<void> => {
    const { askOnTerminal } = await import("./tty-approval.ts");
    const decision = await askOnTerminal(approval, settings.paint);
    running?.runtime.send({ type: "approve", approval_id: approval.approval_id, decision });
  };

  const onSignal = (code: SignalCode): void => {
    if (signalled) {
      // A second signal waits for nothing.
      running?.killNow();
      process.exit(code);
    }
    signalled = code;
    if (active) running?.runtime.send({ type: "cancel_task", task_id: active });
  };

  const attempt = async ({ runtime }: App, message: UserMessage): Promise<Outcome> => {
    if (settings.session) {
      runtime.send(settings.session);
      const why = await opened.fired;
      if (why) return { type: "not_opened", why };
    }
    runtime.send({ type: "submit_prompt", message });
    const why = refused.fired.then(
      (reason) => ({ type: "refused", why: failure("internal", reason) }) as const,
    );
    return Promise.race([why, ended.fired.then((end) => ({ type: "ended", end }) as const)]);
  };

  const run = async (app: App, message: UserMessage): Promise<number> => {
    running = app;
    const release = listen(onSignal);
    const crashed = app.runtime.stopped.then(() => undefined);
    const outcome = await Promise.race([attempt(app, message), crashed]);
    app.runtime.send({ type: "shutdown" });
    await app.runtime.stopped;
    await app.close();
    release();
    if (outcome === undefined) return EXIT_CODES.internal;
    if (outcome.type === "not_opened") return EXIT_CODES[outcome.why.class];
    if (outcome.type === "refused") return reportFailure(outcome.why, settings.stderr);
    return conclude(outcome.end, signalled ?? 130, settings.stderr);
  };

  return { sink: ({ event }) => onEvent(event), run };
}

function signalOnce<T>() {
  let fire: (value: T) => void = () => {};
  const fired = new Promise<T>((resolve) => {
    fire = resolve;
  });
  return { fired, fire: (value: T) => fire(value) };
}

/** Calls back on a signal; the result takes that back. */
function listen(onSignal: (code: SignalCode) => void): () => void {
  const onInterrupt = () => onSignal(130);
  const onTerminate = () => onSignal(143);
  process.on("SIGINT", onInterrupt);
  process.on("SIGTERM", onTerminate);
  process.on("SIGHUP", onTerminate);
  return () => {
    process.off("SIGINT", onInterrupt);
    process.off("SIGTERM", onTerminate);
    process.off("SIGHUP", onTerminate);
  };
}

function conclude(end: TaskEnd, signalCode: SignalCode, stderr: Output): number {
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
      return reportFailure(end.failure, stderr);
    case "cancelled":
      stderr.write(errorLines({ message: signalCode === 143 ? "Terminated" : "Interrupted" }));
      return signalCode;
  }
}
