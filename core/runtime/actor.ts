import type { ApprovalRequest, Decision, Event, Sink } from "../event.ts";
import { failure } from "../failure.ts";
import { type History, historyOf } from "../history.ts";
import { type ApprovalId, type SessionId, sessionId } from "../id.ts";
import { type LoopDeps, runTask, type Task } from "../loop.ts";
import { type ApprovalPolicy, type ConfirmRules, judge } from "../policy/approval.ts";
import type { Approver, PendingApproval } from "../ports/approver.ts";
import type { SessionLog, Store } from "../ports/store.ts";
import { recordTo } from "../record.ts";
import { unreachable } from "../result.ts";
import type { EntryRedaction } from "../session.ts";
import { emitter } from "./emitter.ts";
import { type Command, type Effect, type Input, initialState, lastApproval, step } from "./state.ts";

export type RuntimeDeps = Omit<LoopDeps, "history" | "approver"> & {
  readonly version: string;
  readonly policy: ApprovalPolicy;
  readonly confirm: ConfirmRules;
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
  let resolveStopped: () => void = () => {};
  let rejectStopped: (reason: unknown) => void = () => {};
  const stopped = new Promise<void>((resolve, reject) => {
    resolveStopped = resolve;
    rejectStopped = reject;
  });
  const out = emitter(deps.host, deps.sinks, deps.redact.known);
  const history: History = historyOf();
  const answers = new Map<ApprovalId, (decision: Decision) => void>();
  let state = initialState(deps.policy);
  let abort = new AbortController();
  let log: SessionLog | undefined;

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
        work(effect.task).then(() => apply({ type: "task_ended" }), rejectStopped);
        return;
      case "abort_task":
        abort.abort(new Error("Cancelled"));
        return;
      case "settle_approval":
        answers.get(effect.approval_id)?.(effect.decision);
        answers.delete(effect.approval_id);
        return;
      case "stop":
        stop().then(resolveStopped, rejectStopped);
        return;
      default:
        unreachable(effect);
    }
  };

  const ask = (question: Omit<ApprovalRequest, "approval_id">): PendingApproval => {
    apply({ type: "approval_opened" });
    const request = { approval_id: lastApproval(state), ...question };
    const answered = new Promise<Decision>((resolve) => answers.set(request.approval_id, resolve));
    return { request, answer: (signal) => orAborted(answered, signal) };
  };

  const approver: Approver = {
    judge: (need) => judge(need, deps.confirm, state.policy, deps.host.monotonicMs()),
    ask,
  };

  const work = async (task: Task): Promise<void> => {
    abort = new AbortController();
    await openSession();
    const loop: LoopDeps = { ...deps, history, approver };
    for await (const event of runTask(loop, task, abort.signal)) {
      const pending = out.emit(event);
      if (pending) await pending;
    }
  };

  const openSession = async (): Promise<void> => {
    if (log !== undefined || deps.store === undefined) return;
    const created = await deps.store.create({
      type: "session",
      v: 1,
      id: newSessionId(),
      created_at: new Date(deps.host.unixMs()).toISOString(),
      cwd: deps.target.cwd,
      target: deps.target.summary,
      buddy: deps.version,
    });
    if (!created.ok) {
      const message = `This session is not saved: ${created.error.detail}`;
      await out.emit({ family: "warning", type: "warning", code: "session_not_saved", message });
      return;
    }
    log = created.value.log;
    out.recordWith(recordTo(log, deps.redact));
    const { notice } = created.value;
    if (notice)
      await out.emit({ family: "warning", type: "warning", code: "session_place", message: notice });
    await out.emit({ family: "session", type: "created", id: log.id, path: log.path });
  };

  const newSessionId = (): SessionId => sessionId(deps.host.unixMs(), deps.host.random);

  const stop = async (): Promise<void> => {
    const unsaved = out.unsaved();
    await log?.close();
    if (unsaved) {
      const why = failure("internal", `The session was not saved: ${unsaved.detail}`);
      await out.emit({ family: "error", type: "error", failure: why });
    }
    await out.emit({ family: "lifecycle", type: "stopped" });
  };

  return {
    send: apply,
    emit: (event) => void out.emit(event),
    stopped,
  };
}

/** An answer, or the abort if that comes first. */
function orAborted<T>(answered: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(signal.reason);
    if (signal.aborted) return onAbort();
    signal.addEventListener("abort", onAbort, { once: true });
    answered.then(resolve, reject).finally(() => signal.removeEventListener("abort", onAbort));
  });
}
