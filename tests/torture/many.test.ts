import { expect, test } from "bun:test";
import { readdirSync, readlinkSync } from "node:fs";
import * as v from "valibot";
import { systemHost } from "../../adapters/host/host.ts";
import { sessionFiles } from "../../adapters/store/session-files.ts";
import { makeLongSession, makeManySessions } from "../../bench/made-sessions.ts";
import { summarize } from "../../bench/statistics.ts";
import type { Model, ModelEvent, ModelRequest } from "../../core/ports/model.ts";
import { err } from "../../core/result.ts";
import { inDirectory } from "../adapters/in-directory.ts";
import { configFor, newEndpoint, newPlace, runBuddy } from "../cmd/run-buddy.ts";
import { isEnd, newRuntime } from "../core/run-runtime.ts";
import { plainBundle } from "../fakes/context.ts";
import { says } from "../fakes/endpoint.ts";
import { assistant, call } from "../fakes/model.ts";
import { echoTool } from "../fakes/tools.ts";

const TURNS = 1000;
const TURNS_OF_A_TASK = 10;
const MB = 1_000_000;

test(
  `startRuntime() does not grow in ${TURNS} turns`,
  () =>
    inDirectory({}, async (cwd) => {
      const { model, ownMs, turns } = meteredModel();
      const window = { context: 20_000, contextBudget: 0, maxOutputTokens: 0 };
      const { submit, seen, finish } = newRuntime({
        host: systemHost,
        store: sessionFiles({ cwd, stateDir: undefined, prefer: "project" }),
        tools: [echoTool],
        maxIterations: TURNS_OF_A_TASK + 1,
        models: {
          first: { ...plainBundle(model), context: { window, compactAt: 0.8 } },
          chosenBy: "default",
          find: async () => err({ class: "usage", message: "There is no other model" }),
        },
      });
      const heaps: number[] = [];
      for (let task = 1; turns() < TURNS; task++) {
        submit(`task ${task}`);
        await seen((event) => isEnd(event) && "task_id" in event && event.task_id === `t${task}`);
        await Bun.sleep(0);
        if (turns() === TURNS / 2 || turns() === TURNS) heaps.push(heapBytes());
        if (turns() === TURNS / 2) expect(openBelow(cwd).length).toBeLessThanOrEqual(1);
      }
      await finish();
      expect(openBelow(cwd)).toEqual([]);
      const [half = 0, end = 0] = heaps;
      const first = summarize(ownMs.slice(0, 100))?.median ?? 0;
      const last = summarize(ownMs.slice(-100))?.median ?? 0;
      console.log(`${TURNS} turns: ${JSON.stringify({ half, end, first, last })}`);
      expect(end).toBeLessThan(half * 1.5 + 8 * MB);
      expect(last).toBeLessThan(first * 2);
    }),
  60_000,
);

/** Nine calls, then an answer, over and over. What passes between a reply and the next request is noted. */
function meteredModel() {
  const ownMs: number[] = [];
  let turns = 0;
  let repliedMs: number | undefined;
  async function* ask(request: ModelRequest): AsyncGenerator<ModelEvent> {
    if (request.tools.length === 0) {
      yield { type: "replied", reply: { message: assistant("Goal:\ngo on"), finish: "stop" } };
      repliedMs = undefined; // what a summary takes is not what a turn takes
      return;
    }
    if (repliedMs !== undefined) ownMs.push(performance.now() - repliedMs);
    turns += 1;
    const ends = turns % TURNS_OF_A_TASK === 0;
    const text = `turn ${turns} ${"and on ".repeat(40)}`;
    const message = ends ? assistant(text) : assistant("", [call(`c${turns}`, "echo", { text })]);
    repliedMs = ends ? undefined : performance.now();
    yield { type: "replied", reply: { message, finish: ends ? "stop" : "tool_calls" } };
  }
  const model: Model = { profile: "test", model: "metered-1", ask };
  return { model, ownMs, turns: () => turns };
}

function heapBytes(): number {
  Bun.gc(true);
  return process.memoryUsage().heapUsed;
}

/** Files below a directory that this process holds open. */
function openBelow(dir: string): readonly string[] {
  return readdirSync("/proc/self/fd").flatMap((fd) => {
    try {
      const path = readlinkSync(`/proc/self/fd/${fd}`);
      return path.startsWith(dir) ? [path] : [];
    } catch {
      return []; // the one that reads the list
    }
  });
}

const longBody = v.looseObject({ messages: v.array(v.unknown()) });

test("exec resumes a session of 10,000 messages", async () => {
  await using endpoint = newEndpoint([says("still here")]);
  using place = newPlace(configFor(endpoint.url, "context_limit = 10000000\n"));
  const id = makeLongSession(place.cwd, 10_000);
  const startedMs = performance.now();
  const ran = await runBuddy(place, ["exec", "--quiet", "--resume", id, "and now?"]);
  console.log(`resume of 10,000 messages: ${Math.round(performance.now() - startedMs)} ms`);
  expect([ran.code, ran.stdout, ran.stderr]).toEqual([0, "still here\n", ""]);
  // And the system prompt and the new one.
  expect(v.parse(longBody, endpoint.requests[0]?.body).messages).toHaveLength(10_002);
}, 30_000);

test("sessions lists 5,000 sessions", async () => {
  using place = newPlace();
  makeManySessions(place.cwd, 5_000);
  const startedMs = performance.now();
  const ran = await runBuddy(place, ["sessions", "--json"]);
  console.log(
    `list of 5,000 sessions: ${Math.round(performance.now() - startedMs)} ms, reading them back included`,
  );
  const rows = v.parse(
    v.array(v.looseObject({ turns: v.literal(1), title: v.literal("Question 0") })),
    JSON.parse(ran.stdout),
  );
  expect([ran.code, rows.length]).toEqual([0, 5_000]);
}, 30_000);
