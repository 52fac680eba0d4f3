import { describe, expect, test } from "bun:test";
import type { NamedHooks } from "../../core/extension.ts";
import { hookRunner } from "../../core/hooks.ts";
import { type Message, userMessage } from "../../core/message.ts";
import { fakeHost } from "../fakes/host.ts";
import { asksFor, assistant, call, says, USAGE } from "../fakes/model.ts";
import { echoTool } from "../fakes/tools.ts";
import { completed, PROMPT, resultOf } from "./expected-events.ts";
import { named, never, ofCalls, warning } from "./named-hooks.ts";
import { newLoop, runLoop } from "./run-loop.ts";
import { isEnd, newRuntime } from "./run-runtime.ts";

describe("beforeModelCall", () => {
  const ask = async (hooks: readonly NamedHooks[], before: readonly Message[] = []) => {
    const host = fakeHost();
    const loop = newLoop({ script: [says("ok")], before, host, hooks: hookRunner(host, hooks) });
    const events = await runLoop(loop);
    return { events, sent: loop.requests[0]?.messages, history: loop.history.messages };
  };

  test("adds and drops messages of this request only", async () => {
    const note = userMessage("the screen shows a prompt");
    const old = userMessage("old");
    const { sent, history } = await ask(
      named(
        { beforeModelCall: (messages) => [...messages, note] },
        { beforeModelCall: async (messages) => messages.slice(1) },
      ),
      [old],
    );
    expect(sent).toEqual([PROMPT, note]);
    expect(history).toEqual([old, PROMPT, assistant("ok")]);
  });

  test("cannot leave a call without its result, nor a result without its call", async () => {
    const made = call("c9", "echo", { text: "x" });
    const result = resultOf(made, { echoed: "x" });
    const before = [userMessage("one"), assistant("", [made]), result];
    const dropped = (role: Message["role"]) =>
      ask(
        named({ beforeModelCall: (messages) => messages.filter((message) => message.role !== role) }),
        before,
      );
    expect((await dropped("assistant")).sent).toEqual([userMessage("one"), PROMPT]);
    expect((await dropped("tool")).sent?.map(({ role }) => role)).toEqual([
      "user",
      "assistant",
      "tool",
      "user",
    ]);
  });

  test("is skipped with a warning when it throws or leaves nothing", async () => {
    const { events, sent } = await ask(
      named({ beforeModelCall: () => [] }, { beforeModelCall: () => Promise.reject("odd") }),
    );
    expect(sent).toEqual([PROMPT]);
    expect(ofCalls(events)).toEqual([
      warning('The hook beforeModelCall of the extension "e1" was skipped: it left no message'),
      warning('The hook beforeModelCall of the extension "e2" was skipped: odd'),
    ]);
    expect(events.at(-1)).toMatchObject({ type: "completed", result: "ok" });
  });
});

describe("onEvent", () => {
  const run = async (host: ReturnType<typeof fakeHost>, hooks: readonly NamedHooks[]) => {
    const runtime = newRuntime({
      script: [asksFor("echo", { text: "hi" }), says("ok")],
      tools: [echoTool],
      host,
      hooks: hookRunner(host, hooks),
    });
    runtime.submit("do it");
    await runtime.seen(isEnd);
    await runtime.finish();
    return runtime.envelopes;
  };

  test("sees every envelope in order", async () => {
    const seen: number[] = [];
    const envelopes = await run(
      fakeHost(),
      named({
        onEvent: async ({ seq }) => {
          await Promise.resolve();
          seen.push(seq);
        },
      }),
    );
    expect(seen).toEqual(envelopes.map(({ seq }) => seq));
  });

  test("cannot break the run: its first failure is one warning, and its last", async () => {
    const host = fakeHost();
    const calls = { throws: 0, hangs: 0 };
    const envelopes = await run(
      host,
      named(
        {
          onEvent: () => {
            calls.throws += 1;
            throw new Error("a bug");
          },
        },
        {
          onEvent: ({ seq }) => {
            calls.hangs += 1;
            if (seq < 4) return;
            setImmediate(() => host.advance(10_000));
            return never();
          },
        },
      ),
    );
    const events = envelopes.map(({ event }) => event);
    expect(calls).toEqual({ throws: 1, hangs: 4 });
    expect(events.filter(({ family }) => family === "warning")).toEqual([
      warning('The hook onEvent of the extension "e1" was skipped: a bug. It is told of no further events'),
      warning(
        'The hook onEvent of the extension "e2" was skipped: it took longer than 10s. It is told of no further events',
      ),
    ]);
    expect(events.at(-1)).toEqual({ family: "lifecycle", type: "stopped" });
    expect(events).toContainEqual(completed("ok", { usage: USAGE, turns: 2, tool_calls: 1 }));
    expect(envelopes.map(({ seq }) => seq)).toEqual(envelopes.map((_, index) => index + 1));
  });

  test("says nothing after the last event", async () => {
    const envelopes = await run(
      fakeHost(),
      named({
        onEvent: ({ event }) => {
          if (event.family === "lifecycle") throw new Error("late");
        },
      }),
    );
    expect(envelopes.at(-1)?.event).toEqual({ family: "lifecycle", type: "stopped" });
    expect(envelopes.filter(({ event }) => event.family === "warning")).toEqual([]);
  });
});
