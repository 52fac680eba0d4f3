import { approveStep, type BatchTally, type Step } from "./approve-step.ts";
import type { Event } from "./event.ts";
import type { History } from "./history.ts";
import type { HookRunner } from "./hooks.ts";
import type { TaskId } from "./id.ts";
import { mailbox } from "./mailbox.ts";
import { type Message, type Part, type ToolCall, type ToolMessage, text } from "./message.ts";
import type { Approver } from "./ports/approver.ts";
import type { Host } from "./ports/host.ts";
import type { FinishReason } from "./ports/model.ts";
import type { Target } from "./ports/target.ts";
import { prepareCall } from "./prepare-call.ts";
import { err } from "./result.ts";
import type { TaskRules } from "./task-rules.ts";
import {
  type Need,
  type PreparedCall,
  type ToolLimits,
  type ToolOutput,
  type ToolServices,
  type Toolset,
  toolCrashed,
  toolFailure,
} from "./tool.ts";

export type BatchDeps = {
  readonly tools: Toolset;
  readonly target: Target;
  readonly host: Host;
  readonly approver: Approver;
  readonly limits: ToolLimits;
  readonly services: ToolServices;
  readonly parallelTools: boolean;
  readonly history: History;
  readonly context: { readonly added: (message: Message) => void };
  /** Absent when no extension has any. */
  readonly hooks?: HookRunner | undefined;
  readonly rules?: Pick<TaskRules, "onDeny"> | undefined;
};

export type Batch = {
  readonly taskId: TaskId;
  readonly calls: readonly ToolCall[];
  readonly finish: FinishReason;
  /** How often exactly these calls have failed in a row just before. */
  readonly earlierFailures: number;
  readonly tally: BatchTally;
};

export type BatchEnd = { readonly allFailed: boolean };

/** From this failure on in a row, the model is told to change course. */
const TELL_AFTER = 3;

/**
 * The calls of one turn. Every call gets exactly one result, in the model's order, whatever happens to it;
 * on abort the rest get "cancelled" results before the abort goes on.
 */
export async function* runBatch(
  deps: BatchDeps,
  batch: Batch,
  signal: AbortSignal,
): AsyncGenerator<Event, BatchEnd> {
  for (const call of batch.calls) yield { family: "tool", type: "call_requested", call };
  const steps = await Promise.all(batch.calls.map((call, index) => newStep(deps, batch, call, index)));
  try {
    if (deps.parallelTools && steps.every((step) => step.prepared?.parallel)) {
      for (const step of steps) yield* settleStep(deps, batch, step, signal);
      yield* execute(deps, batch, steps, signal);
    } else {
      for (const step of steps) {
        yield* settleStep(deps, batch, step, signal);
        yield* execute(deps, batch, [step], signal);
      }
    }
  } catch (error) {
    if (!signal.aborted) throw error;
    for (const step of steps) step.output ??= toolFailure("Cancelled before it ended");
    yield* publish(deps, batch, steps);
    throw error;
  }
  yield* publish(deps, batch, steps);
  return { allFailed: steps.every((step) => step.output?.isError) };
}

async function newStep(deps: BatchDeps, batch: Batch, call: ToolCall, index: number): Promise<Step> {
  const prepared = await prepareCall(deps.tools, call, { index, finish: batch.finish });
  const step = { call, asked: call, started: false };
  if (!prepared.ok) return { ...step, prepared: undefined, output: toolFailure(prepared.error) };
  return { ...step, prepared: prepared.value, output: undefined };
}

/** Extensions first, so that what is judged and approved is what runs. */
async function* settleStep(
  deps: BatchDeps,
  batch: Batch,
  step: Step,
  signal: AbortSignal,
): AsyncGenerator<Event> {
  if (isHalted(deps, batch)) return;
  if (deps.hooks) yield* askExtensions(deps, deps.hooks, batch, step, signal);
  yield* approveStep(deps, batch, step, signal);
}

/** A call was not approved, and the run is to end with that: what has not begun does not begin. */
const isHalted = ({ rules }: BatchDeps, { tally }: Batch): boolean =>
  rules?.onDeny === "fail" && tally.unapproved;

async function* askExtensions(
  deps: BatchDeps,
  hooks: HookRunner,
  { finish }: Batch,
  step: Step,
  signal: AbortSignal,
): AsyncGenerator<Event> {
  if (step.prepared === undefined) return;
  const { value, events } = await hooks.beforeToolCall(step.call, signal);
  yield* events;
  if (value.type === "unchanged") return;
  const prepared =
    value.type === "changed"
      ? await prepareCall(deps.tools, value.call, { index: 0, finish })
      : err(value.reason);
  if (value.type === "changed") step.asked = value.call;
  step.prepared = prepared.ok ? prepared.value : undefined;
  if (!prepared.ok) step.output = toolFailure(prepared.error);
}

/** Runs the steps that have no output yet, side by side; their progress comes out as it happens. */
async function* execute(
  deps: BatchDeps,
  batch: Batch,
  steps: readonly Step[],
  signal: AbortSignal,
): AsyncGenerator<Event> {
  signal.throwIfAborted();
  if (isHalted(deps, batch))
    for (const step of steps) step.output ??= toolFailure("Not run: a call of this turn was not approved");
  const events = mailbox<Event>();
  const running: Promise<void>[] = [];
  for (const step of steps) {
    if (step.prepared === undefined || step.output !== undefined) continue;
    const { call, prepared } = step;
    const need = prepared.need ? { need: withoutDiff(prepared.need) } : {};
    // What a sink does with this event (saving it) is done before the call runs.
    yield { family: "tool", type: "started", call_id: call.id, name: call.name, ...need };
    // Whoever saw the event may have cancelled the task.
    if (signal.aborted) break;
    step.started = true;
    batch.tally.toolCalls += 1;
    running.push(executeStep(deps, step, prepared, events.push, signal));
  }
  void Promise.all(running).finally(events.close);
  for (let taken = await events.take(); taken.length > 0; taken = await events.take()) yield* taken;
  signal.throwIfAborted();
}

async function executeStep(
  deps: BatchDeps,
  step: Step,
  prepared: PreparedCall,
  emit: (event: Event) => void,
  signal: AbortSignal,
): Promise<void> {
  const { id, name } = step.call;
  const startedMs = deps.host.monotonicMs();
  const ran = await guarded(() =>
    prepared.execute({
      callId: id,
      signal,
      target: deps.target,
      host: deps.host,
      limits: deps.limits,
      services: deps.services,
      emit: ({ type, text }) => emit({ family: "tool", type, call_id: id, text }),
    }),
  );
  const duration_ms = Math.round(deps.host.monotonicMs() - startedMs);
  const hooked = await deps.hooks?.afterToolCall(step.asked, ran, signal);
  if (signal.aborted) return;
  hooked?.events.forEach(emit);
  const output = hooked?.value ?? ran;
  step.output = output;
  emit({
    family: "tool",
    type: "completed",
    call_id: id,
    name,
    duration_ms,
    is_error: output.isError,
    summary: output.summary,
    ...(output.diff === undefined ? {} : { diff: output.diff }),
  });
}

/** It was shown to whoever approved, and comes again with the end of the call. */
const withoutDiff = (need: Need): Need => (need.kind === "file" ? { ...need, diff: "" } : need);

/** A tool's own crash is a result the model sees, never the end of the task. */
async function guarded(execute: () => Promise<ToolOutput>): Promise<ToolOutput> {
  try {
    return await execute();
  } catch (error) {
    return toolFailure(toolCrashed(error));
  }
}

function* publish(deps: BatchDeps, batch: Batch, steps: readonly Step[]): Generator<Event> {
  for (const step of steps) {
    const message = resultMessage(deps.host.unixMs(), batch, step);
    deps.history.push(message);
    deps.context.added(message);
    const refused = step.started || step.output === undefined ? {} : { refused: step.output.summary };
    yield { family: "tool", type: "result", message, ...refused };
  }
}

function resultMessage(unixMs: number, batch: Batch, step: Step): ToolMessage {
  const output = step.output ?? toolFailure("No result");
  const failures = output.isError ? batch.earlierFailures + 1 : 0;
  const note =
    failures >= TELL_AFTER
      ? {
          note: `This same call has failed ${failures} times in a row: change course instead of repeating it`,
        }
      : {};
  const envelope = {
    harness_timestamp: { source: "harness", unix_millis: unixMs },
    result: { ...output.result, ...note },
  };
  const content: readonly Part[] = [text(JSON.stringify(envelope)), ...(output.images ?? [])];
  return {
    role: "tool",
    tool_call_id: step.call.id,
    name: step.call.name,
    content,
    is_error: output.isError,
  };
}
