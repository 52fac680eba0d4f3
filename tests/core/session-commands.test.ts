import { describe, expect, test } from "bun:test";
import type { Event } from "../../core/event.ts";
import { entryId } from "../../core/id.ts";
import { userMessage } from "../../core/message.ts";
import { plainBundle } from "../fakes/context.ts";
import { assistant, hangs, says, scriptedModel } from "../fakes/model.ts";
import { memoryStore } from "../fakes/store.ts";
import { isEnd, newRuntime, type RunningRuntime } from "./run-runtime.ts";

const warnings = (events: readonly Event[]) =>
  events.flatMap((event) => (event.family === "warning" ? [event.message] : []));
const errors = (events: readonly Event[]) =>
  events.flatMap((event) => (event.family === "error" ? [event.failure.message] : []));

/** The task has ended, and the runtime has noticed: it does so right after the event. */
async function ended({ seen }: RunningRuntime, task = "t1"): Promise<void> {
  await seen((event) => isEnd(event) && "task_id" in event && event.task_id === task);
  await Bun.sleep(0);
}

describe("startRuntime() and session commands", () => {
  test("a shutdown ends a compaction whose model is silent", async () => {
    const asked = Promise.withResolvers<void>();
    const { model } = scriptedModel(says("one"), says("two"), hangs(asked.resolve));
    const window = { context: 4000, contextBudget: 0, maxOutputTokens: 0 };
    const running = newRuntime({
      models: {
        first: { ...plainBundle(model), context: { window, compactAt: 1 } },
        chosenBy: "default",
        find: async () => ({ ok: false, error: { class: "usage", message: "none" } }),
      },
    });
    running.submit("a long story ".repeat(600));
    await ended(running);
    running.submit("and another");
    await ended(running, "t2");
    running.runtime.send({ type: "session_compact" });
    await asked.promise;
    const events = await running.finish();
    expect(errors(events)).toEqual(["Stopped before the conversation was compacted"]);
    expect(events.some(({ type }) => type === "compacted")).toBe(false);
    expect(events.at(-1)).toEqual({ family: "lifecycle", type: "stopped" });
  });

  test("a name for a session that is not there yet is refused, not lost", async () => {
    const { store } = memoryStore();
    const { runtime, finish } = newRuntime({ store });
    runtime.send({ type: "session_rename", title: "mine" });
    const events = await finish();
    expect([errors(events), events.some(({ type }) => type === "titled")]).toEqual([
      ["There is no session to rename yet"],
      false,
    ]);
  });

  test("a name is refused where nothing is saved", async () => {
    const { runtime, finish } = newRuntime();
    runtime.send({ type: "session_rename", title: "mine" });
    expect(errors(await finish())).toEqual(["Sessions are turned off in this run"]);
  });

  test("leaving a session that could not be saved says so", async () => {
    const memory = memoryStore();
    const running = newRuntime({ store: memory.store, script: [says("one")] });
    memory.fail("append", "the disk is full");
    running.submit("hi");
    await ended(running);
    running.runtime.send({ type: "session_new" });
    const events = await running.finish();
    expect(warnings(events)).toEqual([
      "The session is not saved: the disk is full",
      "The session that was open was not saved: the disk is full",
    ]);
  });

  test("says where a copy lies when that is not the usual place", async () => {
    const memory = memoryStore({ notice: "it is saved elsewhere" });
    const running = newRuntime({ store: memory.store, script: [says("one")] });
    running.submit("hi");
    await ended(running);
    running.runtime.send({ type: "session_fork" });
    expect(warnings(await running.finish())).toEqual(["it is saved elsewhere", "it is saved elsewhere"]);
  });

  test("the tip moves back to an earlier entry, and the conversation branches there", async () => {
    const memory = memoryStore();
    const running = newRuntime({ store: memory.store, script: [says("one"), says("two"), says("three")] });
    running.submit("first");
    await ended(running);
    running.submit("second");
    await ended(running, "t2");
    running.runtime.send({ type: "session_move", entry_id: entryId(1) });
    running.submit("second again");
    await ended(running, "t3");
    const events = await running.finish();
    expect(events).toContainEqual({
      family: "session",
      type: "moved",
      entry_id: entryId(1),
      messages: 2,
    });
    expect(running.requests[2]?.messages).toEqual([
      userMessage("first"),
      assistant("one"),
      userMessage("second again"),
    ]);
    expect(memory.sessions[0]?.entries.map(({ id, parentId, type }) => [id, parentId, type])).toEqual([
      [entryId(0), null, "message"],
      [entryId(1), entryId(0), "message"],
      [entryId(2), entryId(1), "message"],
      [entryId(3), entryId(2), "message"],
      [entryId(4), entryId(3), "leaf"],
      [entryId(5), entryId(1), "message"],
      [entryId(6), entryId(5), "message"],
    ]);
  });

  test("the tip moves to before the first entry", async () => {
    const memory = memoryStore();
    const running = newRuntime({ store: memory.store, script: [says("one"), says("two")] });
    running.submit("first");
    await ended(running);
    running.runtime.send({ type: "session_move", entry_id: null });
    running.submit("anew");
    await ended(running, "t2");
    await running.finish();
    expect(running.requests[1]?.messages).toEqual([userMessage("anew")]);
    expect(memory.sessions[0]?.entries.at(3)).toMatchObject({ parentId: null });
  });

  test.each([
    ["an entry that is not there", entryId(99), /^Session "[^"]+" has no entry "002r"$/],
    ["a disk that is full", entryId(0), /^The session is not saved: its tip stays$/],
  ])("a move to %s is refused, and the conversation stays", async (what, to, why) => {
    const memory = memoryStore();
    const running = newRuntime({ store: memory.store, script: [says("one"), says("two")] });
    if (what === "a disk that is full") memory.fail("append", "disk full");
    running.submit("first");
    await ended(running);
    running.runtime.send({ type: "session_move", entry_id: to });
    running.submit("second");
    await ended(running, "t2");
    const events = await running.finish();
    expect(errors(events)[0]).toMatch(why);
    expect(running.requests[1]?.messages).toHaveLength(3);
  });

  test("a move where no session is open is refused", async () => {
    const { runtime, finish } = newRuntime();
    runtime.send({ type: "session_move", entry_id: null });
    expect(errors(await finish())).toEqual(["There is no session open"]);
  });
});
