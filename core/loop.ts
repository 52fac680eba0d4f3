import { type BatchDeps, runBatch } from "./batch.ts";
import type { Price } from "./catalogue.ts";
import { addCost, costOf } from "./cost.ts";
import type { Denial, Event, TaskTotals } from "./event.ts";
import { type Failure, failure } from "./failure.ts";
import type { History } from "./history.ts";
import type { TaskId } from "./id.ts";
import {
  type AssistantMessage,
  addUsage,
  NO_USAGE,
  type ToolCall,
  type Usage,
  type UserMessage,
} from "./message.ts";
import type { Model, Reply } from "./ports/model.ts";
import { unreachable } from "./result.ts";

export type LoopDeps = BatchDeps & {
  readonly model: Model;
  readonly history: History;
  readonly system: string;
  readonly maxIterations: number;
  /** What the model costs; null when that is not known. */
  readonly price: Price | null;
};

export type Task = { readonly id: TaskId; readonly message: UserMessage };

/**
 * One task: ask the model, run the tools it calls, until it answers. Ends with exactly one
 * `task/completed`, `failed` or `cancelled`; the history is valid for every provider at each event.
 */
export async function* runTask(deps: LoopDeps, task: Task, signal: AbortSignal): AsyncGenerator<Event> {
  const progress = newProgress();
  deps.history.push(task.message);
  yield { family: "task", type: "started", task_id: task.id, message: task.message };
  try {
    while (true) {
      const end = yield* runTurn(deps, task, progress, signal);
      if (end === undefined) continue;
      const totals = totalsOf(progress);
      if (end.failure === undefined) {
        yield { family: "task", type: "completed", task_id: task.id, result: end.result, totals };
      } else {
        const { failure: why, result } = end;
        yield { family: "task", type: "failed", task_id: task.id, failure: why, result, totals };
      }
      return;
    }
  } catch (error) {
    if (!signal.aborted) throw error;
    yield { family: "task", type: "cancelled", task_id: task.id, totals: totalsOf(progress) };
  }
}

type TurnEnd = { readonly result: string; readonly failure?: Failure } | undefined;

/** One model response and the calls it asks for. Returns how the task ended, or nothing when it goes on. */
async function* runTurn(
  deps: LoopDeps,
  task: Task,
  progress: Progress,
  signal: AbortSignal,
): AsyncGenerator<Event, TurnEnd> {
  if (progress.turns >= deps.maxIterations) {
    const message = `Stopped after ${progress.turns} model calls: the limit of max_iterations`;
    return {
      result: progress.lastText,
      failure: failure("limit", message, { hint: "raise it with --max-iterations N" }),
    };
  }
  progress.turns += 1;
  const reply = yield* askModel(deps, progress.turns, signal);
  if ("class" in reply) return { result: progress.lastText, failure: reply };

  const message = withUsableIds(reply.message, progress.seenIds, progress.turns);
  if (isEmpty(message)) return retryEmpty(progress);
  progress.emptyReplies = 0;
  progress.usage = addUsage(progress.usage, reply.usage ?? NO_USAGE);
  progress.cost = addCost(progress.cost, reply.usage ? costOf(reply.usage, deps.price) : null);
  if (message.content !== "") progress.lastText = message.content;

  deps.history.push(message);
  yield {
    family: "model",
    type: "message",
    message,
    ...(reply.usage ? { usage: reply.usage } : {}),
    model: deps.model.model,
    profile: deps.model.profile,
  };
  if (reply.usage) {
    const { usage: total, cost: cost_usd } = progress;
    yield { family: "metrics", type: "tokens", turn: reply.usage, total, cost_usd };
  }
  if (message.tool_calls.length === 0) return answerOf(reply, message);

  return yield* runCalls(deps, task, progress, reply, message.tool_calls, signal);
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
): AsyncGenerator<Event, TurnEnd> {
  const key = JSON.stringify(calls.map((call) => [call.name, call.arguments]));
  const earlierFailures = key === progress.failedCalls ? progress.failures : 0;
  const batch = { taskId: task.id, calls, finish: reply.finish, earlierFailures };
  const ran = yield* runBatch(deps, batch, signal);
  progress.toolCalls += ran.executed;
  progress.denials.push(...ran.denials);
  progress.unapproved ||= ran.unapproved;
  progress.failedCalls = ran.allFailed ? key : undefined;
  progress.failures = ran.allFailed ? earlierFailures + 1 : 0;
  if (progress.failures < STOP_AFTER_FAILURES) return undefined;
  const message = `The model repeated the same failing call ${progress.failures} times`;
  return { result: progress.lastText, failure: failure("limit", message) };
}

/** Streams one reply. A failure is returned, never thrown. */
async function* askModel(
  deps: LoopDeps,
  turn: number,
  signal: AbortSignal,
): AsyncGenerator<Event, Reply | Failure> {
  yield { family: "model", type: "request_started", turn };
  const request = {
    system: deps.system,
    tools: deps.tools.specs,
    messages: deps.history.messages,
  };
  for await (const event of deps.model.ask(request, signal)) {
    switch (event.type) {
      case "text_delta":
      case "reasoning_delta":
        yield { family: "model", type: event.type, text: event.text };
        break;
      case "withdrawn":
        yield { family: "model", type: "delta_withdrawn" };
        break;
      case "notice":
        yield { family: "warning", type: "warning", code: "model_notice", message: event.text };
        break;
      case "retrying":
        yield { family: "model", ...event };
        break;
      case "replied":
        return event.reply;
      case "failed":
        return event.failure;
      default:
        unreachable(event);
    }
  }
  throw new Error("Model port ended without a closing event");
}

function answerOf(reply: Reply, message: AssistantMessage): TurnEnd {
  if (reply.finish === "content_filter") {
    return {
      result: message.content,
      failure: failure("model", "The provider cut the answer off: content filter"),
    };
  }
  if (reply.finish === "length") {
    return {
      result: message.content,
      failure: failure("limit", "The answer was cut off: the model's output limit was reached", {
        hint: "raise max_output_tokens of the profile, or ask for less at once",
      }),
    };
  }
  return { result: message.content };
}

/** One empty reply is asked again, a second one ends the task. */
function retryEmpty(progress: Progress): TurnEnd {
  progress.emptyReplies += 1;
  if (progress.emptyReplies < 2) return undefined;
  return {
    result: progress.lastText,
    failure: failure("model", "The model gave an empty response twice", { retryable: true }),
  };
}

/** What a task has used and seen so far; lives as long as the task. */
type Progress = {
  turns: number;
  toolCalls: number;
  usage: Usage;
  /** Null once something in it is not known. */
  cost: number | null;
  lastText: string;
  emptyReplies: number;
  failures: number;
  failedCalls: string | undefined;
  unapproved: boolean;
  readonly denials: Denial[];
  readonly seenIds: Set<string>;
};

const newProgress = (): Progress => ({
  turns: 0,
  toolCalls: 0,
  usage: NO_USAGE,
  cost: 0,
  lastText: "",
  emptyReplies: 0,
  failures: 0,
  failedCalls: undefined,
  unapproved: false,
  denials: [],
  seenIds: new Set(),
});

const totalsOf = (progress: Progress): TaskTotals => ({
  usage: progress.usage,
  cost_usd: progress.cost,
  turns: progress.turns,
  tool_calls: progress.toolCalls,
  denials: progress.denials,
  unapproved: progress.unapproved,
});

const isEmpty = (message: AssistantMessage): boolean =>
  message.content.trim() === "" && message.tool_calls.length === 0;

const LONGEST_ID = 256;

/** Ids tie results to calls: one that is empty, endless, unprintable or already used is replaced. */
function withUsableIds(message: AssistantMessage, seen: Set<string>, turn: number): AssistantMessage {
  let changed = false;
  const calls = message.tool_calls.map((call, index) => {
    const usable = /^[\x21-\x7e]+$/.test(call.id) && call.id.length <= LONGEST_ID && !seen.has(call.id);
    const id = usable ? call.id : `call_${turn}_${index}`;
    seen.add(id);
    changed ||= !usable;
    return usable ? call : { ...call, id };
  });
  return changed ? { ...message, tool_calls: calls } : message;
}
