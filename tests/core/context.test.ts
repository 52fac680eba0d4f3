import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { budgetOf, contextMeter, contextUse, fixedTokens, needsCompaction } from "../../core/context.ts";
import { userMessage } from "../../core/message.ts";
import { assistant } from "../fakes/model.ts";

describe("contextMeter()", () => {
  test("is the fixed part and an estimate until a response reports", () => {
    const meter = contextMeter(100);
    expect(meter.used()).toBe(100);
    meter.added(userMessage("abcd"));
    expect(meter.used()).toBe(105);
  });

  test("is the last report and an estimate of what came after it", () => {
    const meter = contextMeter(100);
    meter.added(userMessage("abcd"));
    meter.added(assistant("abcdefgh"));
    meter.reported(1000, 2);
    expect(meter.used()).toBe(1000);
    meter.added(userMessage("abcd"));
    expect(meter.used()).toBe(1005);
    meter.reported(1100, 3);
    expect(meter.used()).toBe(1100);
  });

  test("does not mind whether the report or its message comes first", () => {
    const meter = contextMeter();
    meter.added(userMessage("abcd"));
    meter.reported(1000, 2);
    expect(meter.used()).toBe(1000);
    meter.added(assistant("abcdefgh"));
    expect(meter.used()).toBe(1000);
    meter.added(userMessage("abcd"));
    expect(meter.used()).toBe(1005);
  });

  test("says at every message what contextUse() says of them all", () => {
    const steps = fc.array(fc.record({ text: fc.string(), total: fc.option(fc.nat(100_000)) }));
    fc.assert(
      fc.property(steps, (given) => {
        const meter = contextMeter();
        const messages = given.map(({ text }) => userMessage(text));
        let report: Parameters<typeof contextUse>[1];
        for (const [index, { total }] of given.entries()) {
          meter.added(messages[index] ?? userMessage(""));
          if (total !== null) report = { totalTokens: total, messageCount: index + 1 };
          if (report) meter.reported(report.totalTokens, report.messageCount);
          expect(meter.used()).toBe(contextUse(messages.slice(0, index + 1), report));
        }
      }),
    );
  });
});

test("fixedTokens() counts the system prompt and the tools", () => {
  const tools = [{ name: "time", description: "Tells the time", parameters: {} }];
  expect(fixedTokens("abcd", [])).toBe(2);
  expect(fixedTokens("", tools)).toBe(Math.ceil(JSON.stringify(tools).length / 4));
});

describe("budgetOf()", () => {
  test.each([
    ["the window", { context: 8192, contextBudget: 0, maxOutputTokens: 0 }, 8192],
    ["less what an answer may take", { context: 8192, contextBudget: 0, maxOutputTokens: 1000 }, 7192],
    ["half of it at least", { context: 8192, contextBudget: 0, maxOutputTokens: 100_000 }, 4096],
    ["no more than the cap", { context: 8192, contextBudget: 5000, maxOutputTokens: 1000 }, 5000],
    ["a cap above the window is none", { context: 8192, contextBudget: 9000, maxOutputTokens: 0 }, 8192],
  ])("%s", (_name, window, budget) => expect(budgetOf(window)).toBe(budget));
});

test("needsCompaction() begins above the share", () => {
  expect([799, 800, 801].map((used) => needsCompaction(used, 1000, 0.8))).toEqual([false, false, true]);
});
