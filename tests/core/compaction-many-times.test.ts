import { describe, expect, test } from "bun:test";
import { type CompactionDeps, sent } from "../../core/compaction.ts";
import { splitSummary } from "../../core/compaction-summary.ts";
import { budgetOf, contextMeter, needsCompaction } from "../../core/context.ts";
import { failure } from "../../core/failure.ts";
import { type Message, textOf, userMessage } from "../../core/message.ts";
import type { Model, ModelEvent, ModelRequest } from "../../core/ports/model.ts";
import { assistant, call } from "../fakes/model.ts";
import { compacted, isWhole, result } from "./conversations.ts";

const PATH = "/srv/billing/exports/2026-q3/ledger-final.csv";
const ID = "3f2b8c1e-9d4a-4e6b-8f10-2a7c5d9e0b13";
const RULE = "Never write outside /srv/billing, and always keep amounts in cents.";
const SHORT = `Reconcile ${PATH} with run ${ID}. ${RULE}`;

const textIn = (message: Message | undefined) =>
  message === undefined || message.role === "assistant" ? (message?.content ?? "") : textOf(message.content);

type Asked = { readonly request: ModelRequest; readonly current: string | undefined };

/** Remembers that there was work, and little of it: no path, no id, no rule. */
function forgetfulModel(answer: (asked: Asked, count: number) => ModelEvent) {
  const asked: Asked[] = [];
  async function* ask(request: ModelRequest): AsyncGenerator<ModelEvent> {
    const words = textIn(request.messages[0]);
    const current = /<current_summary>\n([\s\S]*?)\n<\/current_summary>/.exec(words)?.[1];
    asked.push({ request, current });
    yield answer({ request, current }, asked.length);
  }
  const model: Model = { profile: "test", model: "forgetful-1", ask };
  return { model, asked };
}

const lossy = (_asked: Asked, count: number): ModelEvent => ({
  type: "replied",
  reply: {
    message: assistant(
      `Goal:\nreconcile a ledger\nState of the work:\n${"some rows were checked. ".repeat(20)}(${count})`,
    ),
    finish: "stop",
  },
});

const BUDGET = budgetOf({ context: 8192, contextBudget: 0, maxOutputTokens: 0 });
const FIXED = 1400;

type Sent = { readonly messages: readonly Message[]; readonly used: number };

/** The loop in short: two hundred turns with a call each, now and then a word of the user. */
async function twoHundredTurns(model: Model, first: string) {
  const deps: CompactionDeps = {
    model,
    summaryWindow: 8192,
    budget: BUDGET,
    compactAt: 0.8,
    fixedTokens: FIXED,
  };
  let messages: readonly Message[] = [userMessage(first)];
  let summary = "";
  let meter = meterOf(messages);
  const requests: Sent[] = [];
  const summaries: string[] = [];
  const notices: string[] = [];
  const add = (...more: readonly Message[]) => {
    messages = [...messages, ...more];
    more.forEach(meter.added);
  };
  for (let turn = 1; turn <= 200; turn++) {
    if (needsCompaction(meter.used(), BUDGET, 0.8)) {
      const done = await compacted(deps, { messages, previousSummary: summary, usedTokens: meter.used() });
      if (done.kind === "cannot_fit") throw new Error(done.detail);
      if (done.kind === "compacted") {
        ({ summary, keptMessages: messages } = done);
        meter = meterOf(sent(summary, messages));
        summaries.push(summary);
        if (done.notice) notices.push(done.notice);
      }
    }
    requests.push({ messages: sent(summary, messages), used: meter.used() });
    add(
      assistant(`Step ${turn}`, [
        call(`c${turn}`, "run_shell", { command: `check --rows ${turn} /data/part-${turn}.csv` }),
      ]),
    );
    add(result(`c${turn}`, `/data/part-${turn}.csv row-${turn} ok\n`.repeat(20 + ((turn * 37) % 60))));
    if (turn % 7 === 0)
      add(assistant("Done so far."), userMessage(`Go on with "part ${turn}" in /data/part-${turn}.csv`));
  }
  return { requests, summaries, notices };
}

function meterOf(messages: readonly Message[]) {
  const meter = contextMeter(FIXED);
  messages.forEach(meter.added);
  return meter;
}

function expectKept(requests: readonly Sent[], exact: readonly string[]) {
  expect(requests).toHaveLength(200);
  for (const { messages, used } of requests) {
    const whole = messages.map(textIn).join("\n");
    expect(exact.filter((value) => !whole.includes(value))).toEqual([]);
    expect(used).toBeLessThanOrEqual(BUDGET);
    expect(isWhole(messages)).toBe(true);
  }
}

describe("compact(), two hundred turns in a window of 8192 tokens", () => {
  test("keeps path, id and rule of the first message in every request, whatever the model forgets", async () => {
    const { model } = forgetfulModel(lossy);
    const { requests, summaries, notices } = await twoHundredTurns(model, SHORT);
    expectKept(requests, [SHORT]);
    expect(summaries.length).toBeGreaterThan(20);
    expect(notices).toEqual([]);
  });

  test("folds each summary into the next", async () => {
    const { model, asked } = forgetfulModel(lossy);
    const { summaries } = await twoHundredTurns(model, SHORT);
    const narratives = summaries.map((summary) => splitSummary(summary).narrative);
    expect(asked.map(({ current }) => current)).toEqual([undefined, ...narratives.slice(0, -1)]);
  });

  test("keeps them when no summary is ever made", async () => {
    const { model } = forgetfulModel(() => ({ type: "failed", failure: failure("model", "overloaded") }));
    const { requests, summaries, notices } = await twoHundredTurns(model, SHORT);
    expectKept(requests, [SHORT]);
    expect(notices).toHaveLength(summaries.length);
  });

  test("keeps them when the first message is long and they are deep inside", async () => {
    const talk = "The books of last quarter do not add up and nobody knows why. ".repeat(60);
    const first = `Reconcile the ledger. ${talk}It is ${PATH} and the run is ${ID}. ${RULE} ${talk}`;
    const { requests } = await twoHundredTurns(forgetfulModel(lossy).model, first);
    expectKept(requests, [PATH, ID, RULE]);
  });

  test("asks for no summary that its model could not read", async () => {
    const { model, asked } = forgetfulModel(lossy);
    await twoHundredTurns(model, SHORT);
    for (const { request } of asked) {
      expect((request.system.length + textIn(request.messages[0]).length) / 3).toBeLessThan(8192);
    }
  });
});
