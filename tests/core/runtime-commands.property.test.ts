import { expect, test } from "bun:test";
import fc from "fast-check";
import type { Envelope, Event } from "../../core/event.ts";
import { failure } from "../../core/failure.ts";
import { approvalId, entryId, taskId } from "../../core/id.ts";
import { userMessage } from "../../core/message.ts";
import type { Model, ModelEvent, ModelRequest } from "../../core/ports/model.ts";
import { err, ok } from "../../core/result.ts";
import type { Runtime } from "../../core/runtime/actor.ts";
import type { Command } from "../../core/runtime/state.ts";
import { messagesOn, readSession } from "../../core/session-tree.ts";
import { ALLOWED, deniedBy } from "../fakes/approver.ts";
import { plainBundle } from "../fakes/context.ts";
import { type FakeHost, fakeHost } from "../fakes/host.ts";
import type { ScriptedTurn } from "../fakes/model.ts";
import { type MemoryStore, memoryStore } from "../fakes/store.ts";
import { actTool, echoTool } from "../fakes/tools.ts";
import { anyTurn } from "./any-turn.ts";
import { isEnd, newRuntime } from "./run-runtime.ts";

/** What a front end may do at a moment. Numbers choose among what there is by then. */
type Move =
  | { readonly type: "send"; readonly command: Command }
  | { readonly type: "to_task"; readonly does: "cancel" | "limit" }
  | { readonly type: "to_approval"; readonly allow: boolean }
  | { readonly type: "to_session"; readonly does: "resume" | "fork"; readonly number: number }
  | { readonly type: "let_run"; readonly ticks: number }
  | { readonly type: "let_time_pass" };

const send = (command: Command): Move => ({ type: "send", command });
/** Long enough that a few of them can be compacted. */
const said = (text: string) => userMessage(`${text} ${"and on ".repeat(600)}`);

const fixed: readonly Move[] = [
  send({ type: "steer", message: said("rather so") }),
  send({ type: "follow_up", message: said("and then") }),
  send({ type: "approve", approval_id: approvalId(99), decision: ALLOWED }),
  send({ type: "cancel_task", task_id: taskId(99) }),
  send({ type: "set_timeout", task_id: taskId(99), duration_ms: 1000 }),
  send({ type: "set_approval_policy", policy: { type: "all" } }),
  send({ type: "set_approval_policy", policy: { type: "ask" } }),
  send({ type: "switch_model", wanted: "other" }),
  send({ type: "switch_model", wanted: "nobody" }),
  send({ type: "session_new" }),
  send({ type: "session_resume", ref: "nowhere" }),
  send({ type: "session_resume_last" }),
  send({ type: "session_fork" }),
  send({ type: "session_fork", ref: "last" }),
  send({ type: "session_move", entry_id: null }),
  send({ type: "session_move", entry_id: entryId(0) }),
  send({ type: "session_move", entry_id: entryId(2) }),
  send({ type: "session_rename", title: "a better name" }),
  send({ type: "session_compact" }),
  send({ type: "session_compact", instructions: "keep the paths" }),
  { type: "let_time_pass" },
  { type: "to_task", does: "cancel" },
  { type: "to_task", does: "limit" },
];

const move: fc.Arbitrary<Move> = fc.oneof(
  { weight: 8, arbitrary: fc.constant(send({ type: "submit_prompt", message: said("go") })) },
  { weight: 12, arbitrary: fc.constantFrom(...fixed) },
  { weight: 4, arbitrary: fc.boolean().map((allow): Move => ({ type: "to_approval", allow })) },
  {
    weight: 2,
    arbitrary: fc
      .record({ does: fc.constantFrom("resume" as const, "fork" as const), number: fc.nat(5) })
      .map((made): Move => ({ type: "to_session", ...made })),
  },
  { weight: 10, arbitrary: fc.nat(120).map((ticks): Move => ({ type: "let_run", ticks })) },
  { weight: 1, arbitrary: fc.constant(send({ type: "shutdown" })) },
);

test("startRuntime() keeps its promises under any interleaving of all commands", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(anyTurn, { minLength: 20, maxLength: 20 }),
      fc.array(move, { minLength: 1, maxLength: 60, size: "max" }),
      async (turns, moves) => {
        const memory = memoryStore();
        const host = fakeHost();
        const wrong: string[] = [];
        const models = savedModels(turns, memory, wrong);
        const { runtime, envelopes } = newRuntime({
          models,
          host,
          tools: [actTool([]), echoTool],
          store: memory.store,
          onEvent: (event) => wrong.push(...unsaved(event, memory)),
        });
        const sent: Command[] = [];
        const noted: Runtime = { ...runtime, send: (command) => [sent.push(command), runtime.send(command)] };
        for (const one of moves) await play(noted, host, memory, envelopes, one);
        noted.send({ type: "shutdown" });
        await inTime(runtime.stopped);

        const events = envelopes.map(({ event }) => event);
        expect(envelopes.map(({ seq }) => seq)).toEqual(envelopes.map((_, index) => index + 1));
        expect(wrong).toEqual([]);
        expect(tasksAtOnce(events)).toBeLessThanOrEqual(1);
        expect(count(events, isEnd)).toBe(count(events, is("task", "started")));
        expect(answers(events)).toEqual(questions(events));
        expect(count(events, is("lifecycle", "stopped"))).toBe(1);
        expectHeard(sent, events);
      },
    ),
    { numRuns: 250 },
  );
}, 60_000);

/** Two models that go by one script, and note when a conversation is not what the open session's file says. */
function savedModels(turns: readonly ScriptedTurn[], memory: MemoryStore, wrong: string[]) {
  let asked = 0;
  async function* ask(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelEvent> {
    signal.throwIfAborted();
    // A summary is asked for without tools; it is no conversation.
    if (request.tools.length > 0 && !Bun.deepEquals(request.messages, savedMessages(memory)))
      wrong.push(`Request ${asked + 1} is not what is saved`);
    const made = turns[asked++ % turns.length] ?? [];
    if (typeof made === "function") return yield* made(request, signal);
    for (const event of made) {
      signal.throwIfAborted();
      yield event;
    }
  }
  const model = (profile: string): Model => ({ profile, model: "scripted-1", ask });
  const window = { context: 10_000, contextBudget: 0, maxOutputTokens: 0 };
  const bundle = (profile: string) => ({
    ...plainBundle(model(profile)),
    context: { window, compactAt: 1 },
  });
  return {
    first: bundle("test"),
    chosenBy: "user" as const,
    find: async (wanted: string) =>
      wanted === "other" ? ok(bundle("other")) : err(failure("usage", "There is no such model")),
  };
}

const openSession = ({ sessions }: MemoryStore) => sessions.findLast((session) => !session.closed());

function savedMessages(memory: MemoryStore) {
  const { header, entries } = openSession(memory) ?? { header: undefined, entries: [] };
  const tree = readSession([...[header, ...entries].map((line) => JSON.stringify(line)), ""]);
  return tree.ok ? messagesOn(tree.value) : [];
}

/** What was shown although the last entry of the open session is something else. */
function unsaved(event: Event, memory: MemoryStore): readonly string[] {
  const wanted = entryFor(event);
  const last = openSession(memory)?.entries.at(-1);
  const found = last?.type === "message" ? last.role : last?.type;
  return wanted === undefined || found === wanted ? [] : [`${event.type} was shown after ${found} was saved`];
}

function entryFor(event: Event): string | undefined {
  if (is("task", "started")(event) || is("task", "message_added")(event)) return "user";
  if (is("task", "approval_settled")(event)) return "approval";
  if (is("model", "message")(event)) return "assistant";
  if (is("tool", "result")(event)) return "tool";
  if (is("session", "titled")(event)) return "title";
  return is("session", "compacted")(event) ? "compaction" : undefined;
}

async function play(
  runtime: Runtime,
  host: FakeHost,
  { sessions }: MemoryStore,
  envelopes: readonly Envelope[],
  one: Move,
): Promise<void> {
  const events = envelopes.map(({ event }) => event);
  switch (one.type) {
    case "send":
      return runtime.send(one.command);
    case "to_task": {
      const task_id = taskId(Math.max(1, count(events, is("task", "started"))));
      if (one.does === "cancel") return runtime.send({ type: "cancel_task", task_id });
      return runtime.send({ type: "set_timeout", task_id, duration_ms: 1000 });
    }
    case "to_approval": {
      const decision = one.allow ? ALLOWED : deniedBy("nobody", "nobody is there");
      const approval_id = approvalId(Math.max(1, count(events, is("task", "waiting_approval"))));
      return runtime.send({ type: "approve", approval_id, decision });
    }
    case "to_session": {
      const ref = sessions[one.number % Math.max(1, sessions.length)]?.header.id ?? "nowhere";
      return runtime.send({ type: `session_${one.does}`, ref });
    }
    case "let_time_pass":
      return host.advance(1000);
    case "let_run":
      for (let tick = 0; tick < one.ticks; tick++) await Promise.resolve();
  }
}

/** Each command has led to an event that says what became of it, except those whose effect is all there is to see. */
function expectHeard(sent: readonly Command[], events: readonly Event[]): void {
  const heard = (...types: readonly Command["type"][]) => {
    const commands = sent.filter(({ type }) => types.includes(type)).length;
    return commands - count(events, (event) => event.type === "rejected" && types.includes(commandOf(event)));
  };
  const all = (family: Event["family"], ...types: readonly string[]) =>
    count(events, (event) => event.family === family && types.includes(event.type));
  const queued = all("task", "queued");
  const returned = events.flatMap((event) => (event.type === "unqueued" ? event.messages : []));
  expect({
    submitted: heard("submit_prompt"),
    queued: heard("steer", "follow_up"),
    joinedOrReturned: queued,
    cancelled: heard("cancel_task"),
    changed:
      heard("switch_model", "session_resume", "session_resume_last") +
      heard("session_fork", "session_move", "session_rename", "session_compact"),
  }).toEqual({
    submitted: all("task", "started"),
    queued,
    joinedOrReturned: all("task", "message_added") + returned.length,
    cancelled: all("task", "cancelling"),
    changed:
      all("model", "profile_switched") +
      all("session", "resumed", "forked", "moved", "titled") +
      count(betweenTasks(events), is("session", "compacted")) +
      all("error", "error"),
  });
  expect(heard("approve")).toBeGreaterThanOrEqual(
    count(events, (event) => event.type === "approval_settled" && !shutDownDenied(event)),
  );
}

const shutDownDenied = (event: Event): boolean =>
  event.type === "approval_settled" &&
  event.decision.type === "denied" &&
  event.decision.reason === "buddy is shutting down";

const commandOf = (event: Event): Command["type"] =>
  COMMANDS.find((type) => event.type === "rejected" && event.command === type) ?? "shutdown";

const COMMANDS = [
  "submit_prompt",
  "steer",
  "follow_up",
  "approve",
  "cancel_task",
  "switch_model",
  "session_resume",
  "session_resume_last",
  "session_fork",
  "session_move",
  "session_rename",
  "session_compact",
] as const;

const is =
  (family: Event["family"], type: Event["type"]) =>
  (event: Event): boolean =>
    event.family === family && event.type === type;

const count = (events: readonly Event[], wanted: (event: Event) => boolean): number =>
  events.filter(wanted).length;

/** A task compacts of its own accord; between tasks that is done on command only. */
function betweenTasks(events: readonly Event[]): readonly Event[] {
  let running = false;
  return events.filter((event) => {
    if (event.family === "task" && (event.type === "started" || isEnd(event))) running = !isEnd(event);
    return !running;
  });
}

function tasksAtOnce(events: readonly Event[]): number {
  let running = 0;
  let most = 0;
  for (const event of events) {
    if (is("task", "started")(event)) running += 1;
    if (isEnd(event)) running -= 1;
    most = Math.max(most, running);
  }
  return most;
}

const questions = (events: readonly Event[]): readonly string[] =>
  events.flatMap((event) => (event.type === "call_requested" ? [event.call.id] : []));

const answers = (events: readonly Event[]): readonly string[] =>
  events.flatMap((event) =>
    event.family === "tool" && event.type === "result" ? [event.message.tool_call_id] : [],
  );

/** A runtime that does not stop must fail the test, not hang it. */
async function inTime(stopped: Promise<void>): Promise<void> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(new Error("The runtime did not stop")), 2000);
  await Promise.race([stopped, late.promise]).finally(() => clearTimeout(timer));
}
