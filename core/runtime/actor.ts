import { formatDuration } from "../duration.ts";
import type { Event, Sink } from "../event.ts";
import { type Failure, failure } from "../failure.ts";
import { type LoopDeps, runTask, type Task } from "../loop.ts";
import type { ApprovalPolicy, ConfirmRules } from "../policy/approval.ts";
import type { DenyRules } from "../policy/refusal.ts";
import type { Store } from "../ports/store.ts";
import { unreachable } from "../result.ts";
import type { RunReport } from "../run-report.ts";
import type { EntryRedaction } from "../session.ts";
import { approvalDesk } from "./approval-desk.ts";
import { emitter } from "./emitter.ts";
import { sessionKeeper } from "./keeper.ts";
import { type ModelSource, sessionCommands } from "./session-commands.ts";
import { type Command, type Effect, type Input, initialState, lastApproval, step } from "./state.ts";

export type RuntimeDeps = Pick<
  LoopDeps,
  "tools" | "target" | "host" | "services" | "system" | "maxIterations" | "parallelTools" | "hooks" | "rules"
> & {
  readonly version: string;
  readonly policy: ApprovalPolicy;
  readonly confirm: ConfirmRules;
  readonly deny: DenyRules;
  readonly queueMode: "one" | "all";
  readonly models: ModelSource;
  /** Absent: nothing is saved. */
  readonly store: Store | undefined;
  readonly sinks: readonly Sink[];
  readonly redact: EntryRedaction;
};

export type Runtime = {
  readonly send: (command: Command) => void;
  readonly emit: (event: Event) => void;
  /** Settles when the runtime has stopped; rejects on a bug. */
  readonly stopped: Promise<void>;
};

/** The one actor: takes commands, performs what the pure state machine says, tells everything as events. */
export function startRuntime(deps: RuntimeDeps): Runtime {
  const stopping = deferred();
  const told = deps.hooks?.sink((event) => out.emitNext(event));
  const sinks = told ? [...deps.sinks, told] : deps.sinks;
  const out = emitter(deps.host, sinks, deps.redact.known, {
    hasSecrets: deps.redact.hasKnown ?? false,
  });
  const keeper = sessionKeeper({
    ...deps,
    out,
    header: () => ({
      type: "session",
      v: 1,
      cwd: deps.target.cwd,
      target: deps.target.summary,
      buddy: deps.version,
    }),
  });
  const commands = sessionCommands({ ...deps, out, keeper });
  const approvals = approvalDesk({
    ...deps,
    policy: () => state.policy,
    openApproval: () => {
      apply({ type: "approval_opened" });
      return lastApproval(state);
    },
  });
  let state = initialState(deps.policy);
  let abort = new AbortController();
  let change = new AbortController();
  let stopped: Failure | undefined;

  const apply = (input: Input): void => {
    const [next, effects] = step(state, input);
    state = next;
    for (const effect of effects) perform(effect);
  };

  const perform = (effect: Effect): void => {
    switch (effect.type) {
      case "emit":
        void out.emit(effect.event);
        return;
      case "start_task":
        work(effect.task).then(() => apply({ type: "task_ended" }), crash);
        return;
      case "abort_task":
        abort.abort(new Error("Cancelled"));
        return;
      case "arm_timeout":
        armTimeout(effect.duration_ms, abort);
        return;
      case "settle_approval":
        approvals.settle(effect.approval_id, effect.decision);
        return;
      case "run_session_command":
        change = new AbortController();
        commands
          .run(effect.command, change.signal)
          .then(() => apply({ type: "session_command_done" }), crash);
        return;
      case "abort_session_command":
        change.abort(new Error("Cancelled"));
        return;
      case "take_up":
        apply(effect.command);
        return;
      case "stop":
        stop(effect.report).then(stopping.resolve, crash);
        return;
      default:
        unreachable(effect);
    }
  };

  const work = async (task: Task): Promise<void> => {
    abort = new AbortController();
    stopped = undefined;
    await keeper.ensureFile();
    const loop: LoopDeps = {
      ...deps,
      ...commands.current(),
      history: keeper.history,
      approver: approvals.approver,
      queue: { take },
      whyStopped: () => stopped,
    };
    for await (const event of runTask(loop, task, abort.signal)) {
      const pending = out.emit(event);
      if (pending) await pending;
    }
    await keeper.tellSaved();
    abort.abort(); // lets go of the timer, if one was armed
  };

  const take: LoopDeps["queue"]["take"] = (as) => {
    const waiting = as === "steer" ? state.steering : state.followUps;
    const taken = deps.queueMode === "one" ? waiting.slice(0, 1) : waiting;
    if (taken.length > 0) apply({ type: "messages_taken", as, count: taken.length });
    return taken;
  };

  /** A limit set anew counts from now; the earlier one is then without effect. */
  let timeouts = 0;
  const armTimeout = (durationMs: number, task: AbortController): void => {
    timeouts += 1;
    const own = timeouts;
    deps.host.wait(durationMs, task.signal).then(
      () => {
        if (own !== timeouts || task.signal.aborted) return;
        stopped = failure(
          "limit",
          `Stopped after ${formatDuration(durationMs)}: the time limit of this task`,
        );
        task.abort(new Error("Timed out"));
      },
      () => {}, // the task ended before its time was up
    );
  };

  /** Whoever goes on with the session must not find it taken by one that is no more. */
  const crash = (error: unknown): void =>
    void keeper.close().then(
      () => stopping.reject(error),
      () => stopping.reject(error),
    );

  const stop = async (report: RunReport | undefined): Promise<void> => {
    const unsaved = await keeper.close();
    if (unsaved) {
      const why = failure("internal", `The session was not saved: ${unsaved.detail}`);
      await out.emit({ family: "error", type: "error", failure: why });
    }
    await out.emit({ family: "lifecycle", type: "stopped", ...(report ? { report } : {}) });
  };

  return { send: apply, emit: (event) => void out.emit(event), stopped: stopping.promise };
}

type Deferred = {
  readonly promise: Promise<void>;
  readonly resolve: () => void;
  readonly reject: (reason: unknown) => void;
};

function deferred(): Deferred {
  let resolve: () => void = () => {};
  let reject: (reason: unknown) => void = () => {};
  const promise = new Promise<void>((yes, no) => {
    resolve = yes;
    reject = no;
  });
  return { promise, resolve: () => resolve(), reject: (reason) => reject(reason) };
}
