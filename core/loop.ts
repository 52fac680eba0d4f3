import { askModel, withUsableIds } from "./ask-model.ts";
import type { BatchDeps } from "./batch.ts";
import type { Price } from "./catalogue.ts";
import { addCost, costOf } from "./cost.ts";
import type { AddedAs, Event, QueuedAs } from "./event.ts";
import { type Failure, failure } from "./failure.ts";
import { type ContextKeeper, fitContext, makeRoom, phase, type Spent } from "./fit-context.ts";
import type { HookRunner } from "./hooks.ts";
import type { TaskId } from "./id.ts";
import {
  type AssistantMessage,
  addUsage,
  type Message,
  NO_USAGE,
  type ToolCall,
  type UserMessage,
} from "./message.ts";
import type { Model, ModelRequest, Reply } from "./ports/model.ts";
import { charge, newProgress, type Progress, totalsOf } from "./progress.ts";
import { afterEmpty, answerOf, isEmpty, type TaskEnd } from "./reply-end.ts";
import {
  limitReached,
  MAX_REPAIRS,
  repairMessage,
  stoppedByDenial,
  type TaskRules,
  wrapUpMessage,
  wrongAnswer,
} from "./task-rules.ts";

export type LoopDeps = BatchDeps & {
  readonly model: Model;
  readonly system: string;
  readonly maxIterations: number;
  /** What the model costs; null when that is not known. */
  readonly price: Price | null;
  readonly context: ContextKeeper;
  readonly queue: MessageQueue;
  readonly rules?: TaskRules | undefined;
  /** Why the signal fired, when that was not the user's wish. */
  readonly whyStopped: () => Failure | undefined;
};

/** Messages for a running task. Taking removes them. */
export type MessageQueue = { readonly take: (as: QueuedAs) => readonly UserMessage[] };

export type Task = { readonly id: TaskId; readonly message: UserMessage };

/**
 * One task: ask the model, run the tools it calls, until it answers. Ends with exactly one
 * `task/completed`, `failed` or `cancelled`; the history is valid for every provider at each event.
 */
export async function* runTask(deps: LoopDeps, task: Task, signal: AbortSignal): AsyncGenerator<Event> {
  const progress = newProgress();
  for (const message of deps.history.messages) {
    if (message.role === "assistant") for (const call of message.tool_calls) progress.seenIds.add(call.id);
  }
  deps.history.push(task.message);
  deps.context.added(task.message);
  yield { family: "task", type: "started", task_id: task.id, message: task.message };
  try {
    yield closing(task, progress, yield* work(deps, task, progress, signal));
  } catch (error) {
    if (!signal.aborted) throw error;
    const why = deps.whyStopped();
    const end = { result: progress.lastText, ...(why ? { failure: why } : {}) };
    if (why) yield closing(task, progress, end);
    else yield { family: "task", type: "cancelled", task_id: task.id, totals: totalsOf(progress) };
  }
}

function closing(task: Task, progress: Progress, { result, failure: why }: TaskEnd): Event {
  const common = { family: "task", task_id: task.id, result, totals: totalsOf(progress) } as const;
  return why ? { ...common, type: "failed", failure: why } : { ...common, type: "completed" };
}

/** Turn after turn, with what the user says meanwhile, until there is an end. */
async function* work(
  deps: LoopDeps,
  task: Task,
  progress: Progress,
  signal: AbortSignal,
): AsyncGenerator<Event, TaskEnd> {
  while (true) {
    const reached = limitReached(deps, progress);
    if (reached) yield* add(deps, task, wrapUpMessage(), "wrap_up");
    const fit = yield* fitContext(deps, signal);
    spend(progress, fit.spent);
    if (reached) return yield* wrapUp(deps, progress, reached, signal);
    if (fit.failure) return { result: progress.lastText, failure: fit.failure };
    const end = yield* runTurn(deps, task, progress, signal);
    if (end?.failure) return end;
    const added = yield* takeQueued(deps, task, end ? "follow_up" : "steer");
    if (!end || added) continue;
    const checked = yield* checkAnswer(deps, task, progress, end);
    if (checked) return checked;
  }
}

/** One last turn without tools: whatever comes of it, the limit is why the task ends. */
async function* wrapUp(
  deps: LoopDeps,
  progress: Progress,
  reached: Failure,
  signal: AbortSignal,
): AsyncGenerator<Event, TaskEnd> {
  const reply = yield* request(deps, progress, { toolUse: "none" }, signal);
  if (!("class" in reply)) {
    const message = { ...reply.message, tool_calls: [] };
    if (!isEmpty(message)) yield* takeReply(deps, progress, reply, message);
  }
  const checked = deps.rules?.answer?.check(progress.lastText);
  return { result: checked?.ok ? checked.value : progress.lastText, failure: reached };
}

/** An answer that has to be a document goes back to the model while it is not. Nothing: the task goes on. */
async function* checkAnswer(
  deps: LoopDeps,
  task: Task,
  progress: Progress,
  end: TaskEnd,
): AsyncGenerator<Event, TaskEnd | undefined> {
  const rule = deps.rules?.answer;
  if (rule === undefined) return end;
  const checked = rule.check(end.result);
  if (checked.ok) return { result: checked.value };
  if (progress.repairs >= MAX_REPAIRS) return { result: end.result, failure: wrongAnswer(checked.error) };
  progress.repairs += 1;
  yield* add(deps, task, repairMessage(checked.error, rule.schema), "repair");
  return undefined;
}

async function* add(deps: LoopDeps, task: Task, message: UserMessage, as: AddedAs): AsyncGenerator<Event> {
  deps.history.push(message);
  deps.context.added(message);
  yield { family: "task", type: "message_added", task_id: task.id, message, as };
}

async function* takeQueued(deps: LoopDeps, task: Task, as: QueuedAs): AsyncGenerator<Event, boolean> {
  // A task that would end takes everything that was said to it, whenever it was to be said.
  const messages =
    as === "follow_up" ? [...deps.queue.take("steer"), ...deps.queue.take(as)] : deps.queue.take(as);
  for (const message of messages) yield* add(deps, task, message, as);
  return messages.length > 0;
}

/** One model response and the calls it asks for. Returns how the task ended, or nothing when it goes on. */
async function* runTurn(
  deps: LoopDeps,
  task: Task,
  progress: Progress,
  signal: AbortSignal,
): AsyncGenerator<Event, TaskEnd | undefined> {
  const reply = yield* request(deps, progress, {}, signal);
  if ("class" in reply) return yield* afterFailure(deps, progress, reply, signal);

  const message = withUsableIds(reply.message, progress.seenIds, progress.turns);
  if (isEmpty(message)) {
    spend(progress, spentOn(deps, reply));
    return afterEmpty(progress, reply);
  }
  progress.emptyReplies = 0;
  yield* takeReply(deps, progress, reply, message);
  if (message.tool_calls.length === 0) return answerOf(reply, message);
  return yield* runCalls(deps, task, progress, reply, message.tool_calls, signal);
}

/** Asks the model, with the conversation as it is. */
async function* request(
  deps: LoopDeps,
  progress: Progress,
  more: Pick<ModelRequest, "toolUse">,
  signal: AbortSignal,
): AsyncGenerator<Event, Reply | Failure> {
  progress.turns += 1;
  yield { family: "model", type: "request_started", turn: progress.turns };
  const messages = deps.hooks
    ? yield* hookedMessages(deps.hooks, deps.history.messages, signal)
    : deps.history.messages;
  const outputSchema = deps.rules?.answer?.schema;
  const asked: ModelRequest = {
    system: deps.system,
    tools: deps.tools.specs,
    messages,
    ...(outputSchema ? { outputSchema } : {}),
    ...more,
  };
  const askedMs = deps.host.monotonicMs();
  const reply = yield* askModel(deps.model, asked, signal);
  yield phase("model", deps.host.monotonicMs() - askedMs);
  return reply;
}

/** What extensions make of the conversation for this one request. */
async function* hookedMessages(
  hooks: HookRunner,
  messages: readonly Message[],
  signal: AbortSignal,
): AsyncGenerator<Event, readonly Message[]> {
  const { value, events } = await hooks.beforeModelCall(messages, signal);
  yield* events;
  return value;
}

/** A conversation that did not fit is shortened and tried again, once. */
async function* afterFailure(
  deps: LoopDeps,
  progress: Progress,
  why: Failure,
  signal: AbortSignal,
): AsyncGenerator<Event, TaskEnd | undefined> {
  if (why.class === "context" && !progress.overflowed) {
    progress.overflowed = true;
    const room = yield* makeRoom(deps, undefined, signal);
    spend(progress, room.spent);
    if (room.made) return undefined;
  }
  return { result: progress.lastText, failure: why };
}

async function* takeReply(
  deps: LoopDeps,
  progress: Progress,
  reply: Reply,
  message: AssistantMessage,
): AsyncGenerator<Event> {
  const { usage } = reply;
  progress.cost = usage ? progress.cost : null;
  spend(progress, spentOn(deps, reply));
  if (message.content !== "") progress.lastText = message.content;
  deps.history.push(message);
  deps.context.added(message);
  // Where nothing is reported, limits count what the conversation is estimated to hold.
  if (!usage)
    charge(progress, {
      usage: { ...NO_USAGE, input_tokens: deps.context.used(), total_tokens: deps.context.used() },
      price: deps.price,
    });
  const { model, profile } = deps.model;
  yield { family: "model", type: "message", message, ...(usage ? { usage } : {}), model, profile };
  if (!usage) return;
  deps.context.reported(usage.total_tokens);
  yield { family: "metrics", type: "tokens", turn: usage, total: progress.usage, cost_usd: progress.cost };
  yield { family: "metrics", type: "context", used: deps.context.used(), limit: deps.context.limit };
}

const spentOn = ({ price }: LoopDeps, { usage }: Reply): Spent | undefined => usage && { usage, price };

function spend(progress: Progress, spent: Spent | undefined): void {
  if (!spent) return;
  progress.usage = addUsage(progress.usage, spent.usage);
  charge(progress, spent);
  progress.cost = addCost(progress.cost, costOf(spent.usage, spent.price));
}

const STOP_AFTER_FAILURES = 5;

/** The calls of the turn; the same ones failing again and again end the task. */
async function* runCalls(
  deps: LoopDeps,
  task: Task,
  progress: Progress,
  reply: Reply,
  calls: readonly ToolCall[],
  signal: AbortSignal,
): AsyncGenerator<Event, TaskEnd | undefined> {
  const key = JSON.stringify(calls.map((call) => [call.name, call.arguments]));
  const earlierFailures = key === progress.failedCalls ? progress.failures : 0;
  const batch = { taskId: task.id, calls, finish: reply.finish, earlierFailures, tally: progress };
  const startedMs = deps.host.monotonicMs();
  const { runBatch } = await import("./batch.ts");
  const ran = yield* runBatch(deps, batch, signal);
  yield phase("tools", deps.host.monotonicMs() - startedMs);
  if (deps.rules?.onDeny === "fail" && progress.unapproved)
    return { result: progress.lastText, failure: stoppedByDenial(progress) };
  progress.failedCalls = ran.allFailed ? key : undefined;
  progress.failures = ran.allFailed ? earlierFailures + 1 : 0;
  if (progress.failures < STOP_AFTER_FAILURES) return undefined;
  const message = `The model repeated the same failing call ${progress.failures} times`;
  return { result: progress.lastText, failure: failure("limit", message) };
}
