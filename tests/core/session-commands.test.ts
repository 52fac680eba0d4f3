import { describe, expect, test } from "bun:test";
import type { Event } from "../../core/event.ts";
import { plainBundle } from "../fakes/context.ts";
import { hangs, says, scriptedModel } from "../fakes/model.ts";
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
});
