import { describe, expect, test } from "bun:test";
import type { Event } from "../../core/event.ts";
import { failure } from "../../core/failure.ts";
import { type ContextSettings, contextKeeper, makeRoom } from "../../core/fit-context.ts";
import { historyOf } from "../../core/history.ts";
import { userMessage } from "../../core/message.ts";
import { err, ok } from "../../core/result.ts";
import { fakeHost } from "../fakes/host.ts";
import { assistant, replies, scriptedModel, USAGE } from "../fakes/model.ts";

const OWN_PRICE = { input: 2, output: 2 };
const OTHER_PRICE = { input: 1, output: 1 };
const SUMMARY = replies({ content: "Goal: a story", usage: USAGE });

/** Makes room in a conversation that two models could summarise. */
async function makingRoom(summariser: NonNullable<ContextSettings["summariser"]>) {
  const { model, requests } = scriptedModel(SUMMARY);
  const window = { context: 4000, contextBudget: 0, maxOutputTokens: 0 };
  const context = contextKeeper({ window, compactAt: 0.5, summariser }, "", []);
  const history = historyOf(
    Array.from({ length: 20 }, (_, index) => [
      userMessage(`Part ${index}`),
      assistant("well ".repeat(100)),
    ]).flat(),
  );
  context.restart(history.messages, undefined);
  const deps = { host: fakeHost(), model, price: OWN_PRICE, history, context };
  const work = makeRoom(deps, undefined, new AbortController().signal);
  const events: Event[] = [];
  let next = await work.next();
  for (; !next.done; next = await work.next()) events.push(next.value);
  const warnings = events.flatMap((event) => (event.family === "warning" ? [event.message] : []));
  return { room: next.value, asked: requests.length, warnings };
}

describe("makeRoom() and the model that writes summaries", () => {
  test("the named one writes them, at its own price", async () => {
    const other = scriptedModel(SUMMARY);
    const found = ok({ model: other.model, window: 100_000, price: OTHER_PRICE });
    expect(await makingRoom(async () => found)).toEqual({
      room: { made: true, detail: "", spent: { usage: USAGE, price: OTHER_PRICE } },
      asked: 0,
      warnings: [],
    });
    expect(other.requests).toHaveLength(1);
  });

  test("one that cannot be had is told, and the model of the conversation writes them", async () => {
    expect(await makingRoom(async () => err(failure("auth", "no key")))).toEqual({
      room: { made: true, detail: "", spent: { usage: USAGE, price: OWN_PRICE } },
      asked: 1,
      warnings: ['The compact_model cannot be used (no key); "test" writes the summary'],
    });
  });
});
