import type { Decision, Denial, Denied, Event } from "./event.ts";
import type { TaskId } from "./id.ts";
import type { ToolCall } from "./message.ts";
import type { Approver } from "./ports/approver.ts";
import type { Target } from "./ports/target.ts";
import { settleCall } from "./settle-call.ts";
import { type Need, type PreparedCall, type ToolOutput, type ToolServices, toolFailure } from "./tool.ts";

/** One call on its way: prepared or already refused, then with its output. */
export type Step = {
  /** As the model made it. */
  readonly call: ToolCall;
  /** As it runs: an extension may have changed it. */
  asked: ToolCall;
  prepared: (PreparedCall & { readonly parallel: boolean }) | undefined;
  output: ToolOutput | undefined;
  started: boolean;
};

/** Counted as it happens, so that it is right also when the batch is cancelled. */
export type BatchTally = { toolCalls: number; unapproved: boolean; readonly denials: Denial[] };

export type ApproveDeps = {
  readonly approver: Approver;
  readonly target: Target;
  readonly services: ToolServices;
};

type ApproveTask = { readonly taskId: TaskId; readonly tally: BatchTally };

/** Policy first, then a person. A denied step has its output afterwards. */
export async function* approveStep(
  deps: ApproveDeps,
  task: ApproveTask,
  step: Step,
  signal: AbortSignal,
): AsyncGenerator<Event> {
  yield* settleNeed(deps, task, step, signal);
  const need = step.output === undefined ? step.prepared?.need : undefined;
  if (need === undefined) return;
  const decision = await deps.approver.judge(need);
  if (decision === "ask") yield* askUser(deps, task, step, need, signal);
  else yield* decideUnasked(task, step, need.subject, decision);
}

/** A call that depends on what the target has becomes the call that is judged, or fails, or is refused. */
async function* settleNeed(
  { target, services }: ApproveDeps,
  task: ApproveTask,
  step: Step,
  signal: AbortSignal,
): AsyncGenerator<Event> {
  const { prepared } = step;
  if (prepared === undefined) return;
  const settled = await settleCall(prepared, { target, rules: services.files }, signal);
  switch (settled.type) {
    case "ready":
      step.prepared = { ...settled.call, parallel: prepared.parallel };
      return;
    case "failed":
      step.output = toolFailure(settled.message);
      return;
    case "denied": {
      const { subject, reason } = settled;
      yield* decideUnasked(task, step, subject, { type: "denied", by: "rule", reason });
    }
  }
}

async function* askUser(
  { approver, target }: ApproveDeps,
  task: ApproveTask,
  step: Step,
  need: Need,
  signal: AbortSignal,
): AsyncGenerator<Event> {
  const { taskId } = task;
  const { id: call_id, name: tool } = step.call;
  const pending = approver.ask({ call_id, tool, need, target: target.summary, cwd: target.cwd });
  const approval = pending.request;
  yield { family: "task", type: "waiting_approval", task_id: taskId, approval };
  const decision = await pending.answer(signal);
  yield { family: "task", type: "approval_settled", task_id: taskId, approval, decision };
  if (decision.type === "denied") deny(task, step, need.subject, decision);
  else if (decision.subject !== undefined) await changeSubject(approver, task, step, decision.subject);
}

/** What the user wrote instead runs without another question, but not against a rule; the model is told of it. */
async function changeSubject(
  approver: Approver,
  task: ApproveTask,
  step: Step,
  subject: string,
): Promise<void> {
  const { prepared } = step;
  const changed = prepared?.withSubject?.(subject);
  if (prepared === undefined || changed?.need === undefined) {
    const reason = `The user wanted to change this call, which ${step.call.name} does not allow`;
    return deny(task, step, subject, { type: "denied", by: "user", reason });
  }
  const judged = await approver.judge(changed.need);
  if (judged !== "ask" && judged.type === "denied" && judged.by === "rule") {
    return deny(task, step, subject, judged);
  }
  const note = `The user changed this before it ran, to: ${subject}`;
  step.prepared = {
    ...changed,
    parallel: prepared.parallel,
    execute: async (context) => {
      const output = await changed.execute(context);
      return { ...output, result: { changed_by_user: note, ...output.result } };
    },
  };
}

/** The model is told, and so is whoever reads the result. Only a missing approval makes the run a failure. */
function deny({ tally }: ApproveTask, step: Step, subject: string, { by, reason }: Denied): void {
  step.output = toolFailure(`Denied: ${reason}`);
  tally.denials.push({ tool: step.call.name, subject, reason });
  tally.unapproved ||= by === "policy" || by === "nobody";
}

function* decideUnasked(
  task: ApproveTask,
  step: Step,
  subject: string,
  decision: Decision,
): Generator<Event> {
  const { id: call_id, name: tool } = step.call;
  if (decision.type === "denied") deny(task, step, subject, decision);
  yield { family: "task", type: "decided", task_id: task.taskId, call_id, tool, subject, decision };
}
