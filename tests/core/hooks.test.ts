import { describe, expect, test } from "bun:test";
import type { HookedCall, NamedHooks } from "../../core/extension.ts";
import { hookRunner } from "../../core/hooks.ts";
import { scriptedApprover } from "../fakes/approver.ts";
import { fakeHost, START_UNIX_MS } from "../fakes/host.ts";
import { asksForAll, call, says } from "../fakes/model.ts";
import { actTool, echoTool, needFor, output } from "../fakes/tools.ts";
import {
  errorOf,
  info,
  refused,
  requested,
  resultOf,
  told,
  toolDone,
  toolStarted,
} from "./expected-events.ts";
import { named, never, ofCalls, warning } from "./named-hooks.ts";
import { newLoop, runLoop } from "./run-loop.ts";

const act = call("c1", "act", { what: "rm x" });

async function runCall(hooks: readonly NamedHooks[], host = fakeHost()) {
  const done: string[] = [];
  const { approver, asked } = scriptedApprover(host, { type: "ask" }, { type: "allowed", by: "user" });
  const loop = newLoop({
    script: [asksForAll(act), says("ok")],
    tools: [actTool(done)],
    host,
    approver,
    hooks: hookRunner(host, hooks),
  });
  return { done, asked, loop, events: () => runLoop(loop).then(ofCalls) };
}

test("hookRunner() is nothing when there are no hooks", () => {
  expect(hookRunner(fakeHost(), [])).toBeUndefined();
});

describe("beforeToolCall", () => {
  test("blocks with its reason: nobody is asked and nothing runs", async () => {
    const { done, asked, events } = await runCall(
      named({ beforeToolCall: () => ({ type: "block", reason: "not on Fridays" }) }),
    );
    const reason = 'Blocked by the extension "e1": not on Fridays';
    expect(await events()).toEqual([requested(act), refused(act, reason)]);
    expect({ done, asked }).toEqual({ done: [], asked: [] });
  });

  test("changes arguments before anyone is asked: what is approved is what runs", async () => {
    const seen: HookedCall[] = [];
    const kept = { what: "ls x" };
    const { done, asked, events } = await runCall(
      named(
        { beforeToolCall: () => ({ type: "change", arguments: kept }) },
        {
          beforeToolCall: (made) => {
            seen.push(made);
            kept.what = "rm -rf /";
            return undefined;
          },
        },
      ),
    );
    expect(await events()).toEqual([
      requested(act),
      info("c1", 'The extension "e1" changed the arguments'),
      toolStarted(act, needFor("ls x")),
      toolDone(act),
      told(resultOf(act, { did: "ls x" })),
    ]);
    expect(seen).toEqual([{ id: "c1", name: "act", arguments: { what: "ls x" } }]);
    expect(asked.map(({ need }) => need.subject)).toEqual(["ls x"]);
    expect(done).toEqual(["ls x"]);
  });

  test("cannot get arguments past the tool's schema or the rules for arguments", async () => {
    for (const [args, why] of [
      [{ what: 7 }, "Arguments of act: what must be string, not 7. The fields are: what"],
      [{ what: "ls\u0000" }, "Arguments of act: NUL in what (only newline and tab are allowed)"],
    ] as const) {
      const { done, asked, events } = await runCall(
        named({ beforeToolCall: () => ({ type: "change", arguments: args }) }),
      );
      const note = info("c1", 'The extension "e1" changed the arguments');
      expect(await events()).toEqual([requested(act), note, refused(act, why)]);
      expect({ done, asked }).toEqual({ done: [], asked: [] });
    }
  });

  test("blocks when it throws", async () => {
    const { done, events } = await runCall(
      named({
        beforeToolCall: () => {
          throw new Error("a bug");
        },
      }),
    );
    const reason = 'The extension "e1" could not check the call: a bug';
    expect(await events()).toEqual([requested(act), warning(reason), refused(act, reason)]);
    expect(done).toEqual([]);
  });

  test("blocks when its time is up, and its signal fires", async () => {
    const host = fakeHost(START_UNIX_MS - 300);
    const signals: AbortSignal[] = [];
    const { events } = await runCall(
      named({
        timeLimitMs: 300,
        beforeToolCall: (_call, signal) => {
          signals.push(signal);
          setImmediate(() => host.advance(300));
          return never();
        },
      }),
      host,
    );
    const reason = 'The extension "e1" could not check the call: it took longer than 300ms';
    expect(await events()).toEqual([requested(act), warning(reason), refused(act, reason)]);
    expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
    expect(host.waiting()).toBe(0);
  });

  test("is cut short when the task is cancelled", async () => {
    const host = fakeHost();
    const stop = new AbortController();
    const { loop, done } = await runCall(
      named({
        beforeToolCall: () => {
          setImmediate(() => stop.abort());
          return never();
        },
      }),
      host,
    );
    const events = await runLoop(loop, stop.signal);
    expect(events.at(-1)).toMatchObject({ family: "task", type: "cancelled" });
    expect(ofCalls(events)).toEqual([requested(act), refused(act, "Cancelled before it ended")]);
    expect({ done, waiting: host.waiting() }).toEqual({ done: [], waiting: 0 });
  });

  test("does not see a call that cannot run anyway", async () => {
    const seen: string[] = [];
    const loop = newLoop({
      script: [
        asksForAll(call("c1", "nothing"), call("c2", "echo", "{"), call("c3", "echo", "")),
        says("ok"),
      ],
      tools: [echoTool],
      hooks: hookRunner(fakeHost(), named({ beforeToolCall: ({ id }) => void seen.push(id) })),
    });
    await runLoop(loop);
    expect(seen).toEqual([]);
  });
});

describe("afterToolCall", () => {
  test("replaces the result, one extension after the other", async () => {
    const { events } = await runCall(
      named(
        { beforeToolCall: () => ({ type: "change", arguments: { what: "ls" } }) },
        { afterToolCall: ({ arguments: args }) => output({ from: args.what ?? "" }, "replaced") },
        { afterToolCall: (_call, before) => ({ ...before, result: { ...before.result, and: 2 } }) },
        { afterToolCall: () => undefined },
      ),
    );
    expect((await events()).slice(-2)).toEqual([
      toolDone(act, "replaced"),
      told(resultOf(act, { from: "ls", and: 2 })),
    ]);
  });

  test("is skipped with a warning when it throws or hangs", async () => {
    const host = fakeHost(START_UNIX_MS - 10_000);
    const { events } = await runCall(
      named(
        { afterToolCall: () => Promise.reject(new Error("a bug")) },
        {
          afterToolCall: () => {
            setImmediate(() => host.advance(10_000));
            return never();
          },
        },
      ),
      host,
    );
    expect((await events()).slice(2)).toEqual([
      warning('The hook afterToolCall of the extension "e1" was skipped: a bug'),
      warning('The hook afterToolCall of the extension "e2" was skipped: it took longer than 10s'),
      toolDone(act),
      told(resultOf(act, { did: "rm x" })),
    ]);
  });

  test("does not hold up a cancelled task", async () => {
    const stop = new AbortController();
    const { loop } = await runCall(
      named({
        afterToolCall: () => {
          setImmediate(() => stop.abort());
          return never();
        },
      }),
    );
    expect(ofCalls(await runLoop(loop, stop.signal)).at(-1)).toEqual(
      told(errorOf(act, "Cancelled before it ended")),
    );
  });
});
