import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { type CompactionDeps, compact, sent } from "../../core/compaction.ts";
import { sum } from "../../core/compaction-plan.ts";
import { contextUse } from "../../core/context.ts";
import { failure } from "../../core/failure.ts";
import { type Message, textOf, userMessage } from "../../core/message.ts";
import type { Model } from "../../core/ports/model.ts";
import { estimateTokens } from "../../core/tokens.ts";
import {
  assistant,
  call,
  fails,
  hangs,
  replies,
  type ScriptedTurn,
  scriptedModel,
  USAGE,
} from "../fakes/model.ts";
import { compacted, conversation, isWhole, result } from "./conversations.ts";

const depsOf = (model: Model, more: Partial<CompactionDeps> = {}): CompactionDeps => ({
  model,
  summaryWindow: 8192,
  budget: 8192,
  compactAt: 0.8,
  fixedTokens: 1000,
  ...more,
});

const long = Array.from({ length: 40 }, (_, index) => [
  userMessage(`Question ${index} about /srv/app-${index}/main.conf`),
  assistant(`Answer ${index}: ${"well ".repeat(150)}`),
]).flat();
const input = { messages: long, usedTokens: 1000 + sum(long.map(estimateTokens)) };

const textsOf = (messages: readonly Message[]) =>
  messages
    .map((message) => (message.role === "assistant" ? message.content : textOf(message.content)))
    .join("\n");

describe("compact()", () => {
  test("puts the model's summary and the exact values in place of the older part", async () => {
    const { model, requests } = scriptedModel(replies({ content: "Goal: answer", usage: USAGE }));
    const done = await compacted(depsOf(model), input);
    if (done.kind !== "compacted") throw new Error(done.kind);
    expect(done.summary).toStartWith(
      "Goal: answer\n\nKept word for word:\n- first request: Question 0 about",
    );
    expect(done.keptMessages).toEqual(long.slice(done.firstKeptIndex));
    expect(sum(done.keptMessages.map(estimateTokens))).toBeWithin(1500, 2049);
    expect(done.tokensBefore).toBe(input.usedTokens);
    expect(done.tokensAfter).toBe(1000 + contextUse(sent(done.summary, done.keptMessages), undefined));
    expect(done.usage).toEqual(USAGE);
    expect(done.notice).toBeUndefined();
    expect(1000 + sum((requests[0]?.messages ?? []).map(estimateTokens))).toBeLessThan(8192);
  });

  const bad: readonly (readonly [string, ScriptedTurn, string])[] = [
    ["fails", fails(failure("model", "overloaded")), "overloaded"],
    ["says nothing", replies({ content: " \n" }), "the model wrote none"],
    ["says far too much", replies({ content: "x".repeat(100_000) }), "the model wrote 100000 characters"],
  ];
  test.each(bad)("drops the oldest with a notice when the model %s", async (_what, turn, why) => {
    const previousSummary = "Goal: keep me\n\nKept word for word:\n- first request: Use /keep/this.conf";
    const done = await compacted(depsOf(scriptedModel(turn).model), { ...input, previousSummary });
    if (done.kind !== "compacted") throw new Error(done.kind);
    expect(done.notice).toBe(
      `The oldest ${done.firstKeptIndex} messages were left out without a summary: ${why}`,
    );
    expect(done.summary).toStartWith(
      "Goal: keep me\n\n[Here messages were left out without a summary.]\n\nKept word for word:\n- first request: Use /keep/this.conf\n",
    );
  });

  test("shortens a summary that is a little too long", async () => {
    const { model } = scriptedModel(replies({ content: `Goal: a\n${"x".repeat(8000)}\nOpen items: b` }));
    const done = await compacted(depsOf(model), input);
    if (done.kind !== "compacted") throw new Error(done.kind);
    expect(done.notice).toBeUndefined();
    expect(done.summary).toContain("Goal: a\n");
    expect(done.summary).toContain("characters left out");
    expect(done.summary).toContain("Open items: b\n\nKept word for word:");
  });

  test("asks no model when there is nothing older, and keeps what was exact in the words it cut", async () => {
    const paste = `Read this. ${"word ".repeat(20_000)} Never touch /srv/secret/x.key. ${"word ".repeat(20_000)}`;
    const done = await compacted(depsOf(scriptedModel().model), {
      messages: [userMessage(paste)],
      usedTokens: 60_000,
    });
    if (done.kind !== "compacted") throw new Error(done.kind);
    expect(done).toMatchObject({ firstKeptIndex: 0 });
    expect(done.summary).toContain("Never touch /srv/secret/x.key.");
    expect(textsOf(done.keptMessages)).toContain("characters left out");
  });

  test("cuts a result of a megabyte inside", async () => {
    const asked = assistant("", [call("c1", "run_shell", { command: "cat big" })]);
    const messages = [userMessage("look at /a/b.c"), asked, result("c1", "z".repeat(1_000_000))];
    const { model } = scriptedModel(replies({ content: "Goal: look" }));
    const done = await compacted(depsOf(model), { messages, usedTokens: 251_000 });
    if (done.kind !== "compacted") throw new Error(done.kind);
    expect(done.tokensAfter).toBeLessThan(8192);
    expect(done.keptMessages[0]).toEqual(asked);
    expect(textsOf(sent(done.summary, done.keptMessages))).toContain("look at /a/b.c");
  });

  test("keeps less when responses reported more than the estimate", async () => {
    const kept = async (usedTokens: number) => {
      const { model } = scriptedModel(replies({ content: "Goal: answer" }));
      const done = await compacted(depsOf(model), { messages: long, usedTokens });
      return done.kind === "compacted" ? done.keptMessages.length : -1;
    };
    expect(await kept(input.usedTokens * 2)).toBeLessThan((await kept(input.usedTokens)) * 0.7);
  });

  test("does not take hidden reasoning for a system prompt that fills the window", async () => {
    const { model } = scriptedModel();
    const hello = { messages: [userMessage("hello")], usedTokens: 8100 };
    expect(await compacted(depsOf(model, { fixedTokens: 2700 }), hello)).toEqual({ kind: "nothing_to_cut" });
  });

  test("says when there is nothing to cut, and when nothing can make it fit", async () => {
    const { model } = scriptedModel();
    const hello = { messages: [userMessage("hello")], usedTokens: 1005 };
    expect(await compacted(depsOf(model), hello)).toEqual({ kind: "nothing_to_cut" });
    expect(await compacted(depsOf(model, { fixedTokens: 8000 }), { ...hello, usedTokens: 8005 })).toEqual({
      kind: "cannot_fit",
      detail:
        "The conversation does not fit into 8192 tokens even when compacted: the system prompt and the tools alone leave no room",
    });
  });

  test("says so when what cannot be cut is too much", async () => {
    const calls = Array.from({ length: 1500 }, (_, index) => call(`c${index}`, "time"));
    const messages = [assistant("", calls), ...calls.map(({ id }) => result(id, "12:00"))];
    expect(await compacted(depsOf(scriptedModel().model), { messages, usedTokens: 30_000 })).toEqual({
      kind: "cannot_fit",
      detail:
        "The conversation does not fit into 8192 tokens even when compacted: nothing in the conversation can be cut",
    });
  });

  test("passes on what the model port has to tell", async () => {
    const retrying = { type: "retrying", attempt: 1, of: 3, wait_ms: 10, reason: "429" } as const;
    const notice = { type: "notice", text: "odd" } as const;
    const failed = { type: "failed", failure: failure("model", "no") } as const;
    const { model } = scriptedModel([retrying, { type: "text_delta", text: "Go" }, notice, failed]);
    const events = await Array.fromAsync(compact(depsOf(model), input, new AbortController().signal));
    expect(events).toEqual([
      { family: "model", ...retrying },
      { family: "warning", type: "warning", code: "model_notice", message: "odd" },
    ]);
  });

  test("throws when aborted", async () => {
    const abort = new AbortController();
    const { model } = scriptedModel(hangs(() => abort.abort(new Error("stop"))));
    expect(compacted(depsOf(model), input, abort.signal)).rejects.toThrow("stop");
  });

  test("ends with what fits and is valid for every provider, or says that it cannot fit", async () => {
    const sizes = fc.record({
      budget: fc.integer({ min: 100, max: 20_000 }),
      fixedTokens: fc.integer({ min: 0, max: 4000 }),
      compactAt: fc.double({ min: 0.1, max: 1, noNaN: true }),
      more: fc.integer({ min: 0, max: 30_000 }),
      summary: fc.string({ maxLength: 4000 }),
    });
    await fc.assert(
      fc.asyncProperty(conversation, sizes, async (messages, { more, summary, ...size }) => {
        const usedTokens = size.fixedTokens + sum(messages.map(estimateTokens)) + more;
        const deps = depsOf(scriptedModel(replies({ content: summary })).model, size);
        const done = await compacted(deps, { messages, usedTokens });
        if (done.kind === "nothing_to_cut") expect(usedTokens - more).toBeLessThanOrEqual(size.budget);
        if (done.kind !== "compacted") return;
        expect(done.tokensAfter).toBeLessThanOrEqual(size.budget);
        expect(isWhole(sent(done.summary, done.keptMessages))).toBe(true);
        expect(done.keptMessages[0]?.role).not.toBe("tool");
      }),
    );
  });

  test("takes time in proportion to the length of the conversation", async () => {
    const timeMs = async (turns: number) => {
      const messages = Array.from({ length: turns }, (_, index) => [
        assistant("", [call(`c${index}`, "run_shell", { command: `ls /dir-${index}` })]),
        result(`c${index}`, `/dir-${index}/file-${index}.txt `.repeat(20)),
      ]).flat();
      const startedMs = performance.now();
      await compacted(depsOf(scriptedModel(replies({ content: "Goal" })).model), { messages, usedTokens: 1 });
      return performance.now() - startedMs;
    };
    await timeMs(1000);
    expect(await timeMs(20_000)).toBeLessThan((await timeMs(2000)) * 40 + 50);
  });
});
