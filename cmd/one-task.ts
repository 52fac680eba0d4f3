import { systemHost } from "../adapters/host/host.ts";
import type { Output } from "../adapters/host/output.ts";
import type { Paint } from "../adapters/output/paint.ts";
import type { Event, Sink, TaskEvent } from "../core/event.ts";
import { type Failure, failure } from "../core/failure.ts";
import type { TaskId } from "../core/id.ts";
import type { UserMessage } from "../core/message.ts";
import { runReport } from "../core/run-report.ts";
import type { SessionCommand } from "../core/runtime/state.ts";
import { EXIT_CODES, errorLines } from "./exit.ts";
import { type SignalCode, type Signals, signalWords } from "./signals.ts";
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
  readonly signals: Signals;
  readonly timeoutMs: number | undefined;
  /** Which conversation the prompt goes on; undefined: a new one. */
  readonly session: SessionCommand | undefined;
  /** Nobody reads the output any more. */
  readonly isAbandoned?: () => boolean;
  /** What is to be done with the answer besides showing it; may fail the run. */
  readonly keep?: (end: TaskEvent & { readonly type: "completed" | "failed" }) => Failure | undefined;
};

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
  const facts = runFacts();

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
    facts.note(event);
    if (event.family === "task") onTaskEvent(event);
    if (event.family === "session" && (event.type === "resumed" || event.type === "forked"))
      opened.fire(undefined);
    if (event.family === "error") opened.fire(event.failure);
    if (settings.isAbandoned?.() && signalled === undefined) onSignal(141);
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
    settings.signals.takenBy(onSignal);
    const { outcome, why, exitCode } = await finish(app, message).finally(app.close);
    settings.signals.release();
    if (why && outcome?.type !== "not_opened" && exitCode !== 141) settings.stderr.write(errorLines(why));
    return exitCode;
  };

  const finish = async (app: App, message: UserMessage) => {
    const crashed = app.runtime.stopped.then(() => undefined);
    const outcome = await Promise.race([attempt(app, message), crashed]);
    const concluded = conclude(outcome, signalled, settings.keep);
    app.runtime.send({ type: "shutdown", report: facts.report(concluded) });
    await app.runtime.stopped;
    return { outcome, ...concluded };
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

type Concluded = {
  readonly exitCode: number;
  readonly why: Failure | undefined;
  readonly end: TaskEnd | undefined;
};

/** What the report says besides how the task ended. */
function runFacts() {
  let [sessionId, model, profile]: (string | undefined)[] = [];
  return {
    note: (event: Event): void => {
      if (event.family === "session" && "path" in event) sessionId = event.id;
      if (event.type === "config_loaded" || event.type === "profile_switched") ({ model, profile } = event);
    },
    report: ({ exitCode, why, end }: Concluded) =>
      runReport({
        exitCode,
        why,
        result: end && "result" in end ? end.result : "",
        totals: end?.totals,
        durationMs: systemHost.monotonicMs(),
        sessionId,
        model,
        profile,
      }),
  };
}

function conclude(
  outcome: Outcome | undefined,
  signalled: SignalCode | undefined,
  keep: OneTaskSettings["keep"],
): Concluded {
  const failed = (why: Failure, end?: TaskEnd): Concluded => ({ exitCode: EXIT_CODES[why.class], why, end });
  if (outcome === undefined)
    return failed(failure("internal", "The runtime stopped before the task had ended"));
  if (outcome.type !== "ended") return failed(outcome.why);
  const { end } = outcome;
  if (end.type === "cancelled") {
    const exitCode = signalled ?? 130;
    return { exitCode, why: failure("interrupted", signalWords(exitCode)), end };
  }
  const unkept = keep?.(end);
  if (end.type === "failed") return failed(end.failure, end);
  if (unkept) return failed(unkept, end);
  if (!end.totals.unapproved) return { exitCode: 0, why: undefined, end };
  const message = `Not approved: ${end.totals.denials.map((denial) => denial.subject).join("; ")}`;
  const hint = "run it on a terminal, or give --approve all or a duration";
  return failed(failure("approval", message, { hint }), end);
}
