import { expect, test } from "bun:test";
import fc from "fast-check";
import type { Envelope, Event } from "../../core/event.ts";
import { repair } from "../../core/history.ts";
import { type ApprovalId, approvalId, type TaskId, taskId } from "../../core/id.ts";
import type { Message } from "../../core/message.ts";
import type { Runtime } from "../../core/runtime/actor.ts";
import { type Command, type Input, initialState, step } from "../../core/runtime/state.ts";
import { ALLOWED, deniedBy } from "../fakes/approver.ts";
import { memoryStore, type SavedEntry } from "../fakes/store.ts";
import { actTool, echoTool } from "../fakes/tools.ts";
import { anyTurn } from "./any-turn.ts";
import { newRuntime } from "./run-runtime.ts";

/** What a front end may do at a moment, chosen without knowing what goes on. */
type Move =
  | { readonly type: "command"; readonly command: Command }
  | { readonly type: "approve_newest"; readonly allow: boolean }
  | { readonly type: "cancel_newest" }
  | { readonly type: "let_run"; readonly ticks: number };

const submit: Command = {
  type: "submit_prompt",
  message: { role: "user", content: [{ type: "text", text: "go" }] },
};

const command: fc.Arbitrary<Command> = fc.oneof(
  { weight: 8, arbitrary: fc.constant(submit) },
  {
    weight: 2,
    arbitrary: fc.record({ id: fc.integer({ min: 1, max: 9 }), allow: fc.boolean() }).map(
      ({ id, allow }): Command => ({
        type: "approve",
        approval_id: approvalId(id),
        decision: allow ? ALLOWED : deniedBy("user", "no"),
      }),
    ),
  },
  {
    weight: 2,
    arbitrary: fc
      .integer({ min: 1, max: 5 })
      .map((id): Command => ({ type: "cancel_task", task_id: taskId(id) })),
  },
  {
    weight: 2,
    arbitrary: fc
      .constantFrom("ask", "all", "none")
      .map((type): Command => ({ type: "set_approval_policy", policy: { type } })),
  },
  { weight: 1, arbitrary: fc.constant<Command>({ type: "shutdown" }) },
);

const move: fc.Arbitrary<Move> = fc.oneof(
  { weight: 6, arbitrary: command.map((made): Move => ({ type: "command", command: made })) },
  { weight: 4, arbitrary: fc.boolean().map((allow): Move => ({ type: "approve_newest", allow })) },
  { weight: 1, arbitrary: fc.constant<Move>({ type: "cancel_newest" }) },
  { weight: 8, arbitrary: fc.nat(80).map((ticks): Move => ({ type: "let_run", ticks })) },
);

test("startRuntime() keeps its promises under any interleaving of commands", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(anyTurn, { minLength: 60, maxLength: 60 }),
      fc.array(move, { minLength: 1, maxLength: 60, size: "max" }),
      async (script, moves) => {
        const memory = memoryStore();
        const { runtime, envelopes, requests } = newRuntime({
          script,
          tools: [actTool([]), echoTool],
          store: memory.store,
        });
        for (const one of moves) await play(runtime, envelopes, one);
        runtime.send({ type: "shutdown" });
        await runtime.stopped;

        expect(envelopes.map(({ seq }) => seq)).toEqual(envelopes.map((_, index) => index + 1));
        const events = envelopes.map(({ event }) => event);
        expect(overlappingTasks(events)).toEqual([]);
        expect(answersOf(events)).toEqual(callsOf(events));
        expect(events.filter(({ type }) => type === "stopped").length).toBe(1);
        for (const { messages } of requests) expect(repair(messages)).toEqual([...messages]);
        for (const { entries } of memory.sessions) {
          expect(repair(messagesOf(entries))).toEqual([...messagesOf(entries)]);
          expect(entries.map(({ parentId }) => parentId)).toEqual(
            entries.map((_, index) => entries[index - 1]?.id ?? null),
          );
        }
      },
    ),
    { numRuns: 200 },
  );
});

test("step() answers or performs every command and never has two tasks", () => {
  const input: fc.Arbitrary<Input> = fc.oneof(
    command,
    fc.constant<Input>({ type: "approval_opened" }),
    fc.constant<Input>({ type: "task_ended" }),
  );
  fc.assert(
    fc.property(fc.array(input, { maxLength: 60, size: "max" }), (inputs) => {
      let state = initialState({ type: "ask" });
      let running = 0;
      for (const one of inputs) {
        const [next, effects] = step(state, one);
        running += effects.filter(({ type }) => type === "start_task").length;
        if (one.type === "task_ended") running = 0;
        expect(running).toBe(next.active === undefined ? 0 : 1);
        if (["submit_prompt", "approve", "cancel_task"].includes(one.type)) expect(effects).not.toEqual([]);
        if (effects.some(({ type }) => type === "stop"))
          expect(next).toMatchObject({ active: undefined, stopping: true });
        state = next;
      }
    }),
    { numRuns: 200 },
  );
});

async function play(runtime: Runtime, envelopes: readonly Envelope[], one: Move): Promise<void> {
  const events = envelopes.map(({ event }) => event);
  switch (one.type) {
    case "command":
      return runtime.send(one.command);
    case "approve_newest": {
      const approval_id = newestApproval(events);
      const decision = one.allow ? ALLOWED : deniedBy("nobody", "nobody is there");
      if (approval_id) runtime.send({ type: "approve", approval_id, decision });
      return;
    }
    case "cancel_newest": {
      const task_id = newestTask(events);
      if (task_id) runtime.send({ type: "cancel_task", task_id });
      return;
    }
    case "let_run":
      for (let tick = 0; tick < one.ticks; tick++) await Promise.resolve();
  }
}

const newestApproval = (events: readonly Event[]): ApprovalId | undefined =>
  events
    .flatMap((event) =>
      event.family === "task" && event.type === "waiting_approval" ? [event.approval.approval_id] : [],
    )
    .at(-1);

const newestTask = (events: readonly Event[]): TaskId | undefined =>
  events
    .flatMap((event) => (event.family === "task" && event.type === "started" ? [event.task_id] : []))
    .at(-1);

/** Tasks that began while another ran, or ended without having begun; empty when all is well. */
function overlappingTasks(events: readonly Event[]): readonly string[] {
  let active: TaskId | undefined;
  const wrong: string[] = [];
  for (const event of events) {
    if (event.family !== "task") continue;
    if (event.type === "started") {
      if (active !== undefined) wrong.push(`${event.task_id} began while ${active} ran`);
      active = event.task_id;
    }
    if (event.type === "completed" || event.type === "failed" || event.type === "cancelled") {
      if (active !== event.task_id) wrong.push(`${event.task_id} ended while ${active} ran`);
      active = undefined;
    }
  }
  return active === undefined ? wrong : [...wrong, `${active} never ended`];
}

const callsOf = (events: readonly Event[]): readonly string[] =>
  events.flatMap((event) =>
    event.family === "tool" && event.type === "call_requested" ? [event.call.id] : [],
  );

const answersOf = (events: readonly Event[]): readonly string[] =>
  events.flatMap((event) =>
    event.family === "tool" && event.type === "result" ? [event.message.tool_call_id] : [],
  );

const messagesOf = (entries: readonly SavedEntry[]): readonly Message[] =>
  entries.flatMap((entry): readonly Message[] => {
    if (entry.type !== "message") return [];
    if (entry.role !== "assistant") {
      const { id, parentId, ts, type, ...message } = entry;
      return [message];
    }
    const { id, parentId, ts, type, usage, profile, model, ...message } = entry;
    return [message];
  });
