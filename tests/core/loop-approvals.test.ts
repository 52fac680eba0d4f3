import { describe, expect, test } from "bun:test";
import type { Decision, Denied, Event } from "../../core/event.ts";
import type { ApprovalPolicy } from "../../core/policy/approval.ts";
import type { Approver } from "../../core/ports/approver.ts";
import { ALLOWED, deniedBy, scriptedApprover } from "../fakes/approver.ts";
import { fakeHost } from "../fakes/host.ts";
import { call, replies, says, USAGE } from "../fakes/model.ts";
import { actTool, needFor } from "../fakes/tools.ts";
import {
  APPROVAL,
  approvalAsked,
  approvalSettled,
  completed,
  denial,
  errorOf,
  refused,
  requested,
  resultOf,
  T1,
  told,
  toolDone,
  toolStarted,
} from "./expected-events.ts";
import { newLoop, resultsIn, runLoop } from "./run-loop.ts";

const act = call("c1", "act", { what: "rm x" });
const unasked = (decision: Decision): Event => ({
  family: "task",
  type: "decided",
  task_id: T1,
  call_id: "c1",
  tool: "act",
  subject: "rm x",
  decision,
});

function actUnder(policy: ApprovalPolicy, ...answers: readonly Decision[]) {
  const host = fakeHost();
  const done: string[] = [];
  const { approver, asked } = scriptedApprover(host, policy, ...answers);
  const script = [replies({ calls: [act] }), says("ok")];
  const loop = newLoop({ script, tools: [actTool(done)], approver, host });
  return { host, done, asked, loop };
}

describe("asking a person", () => {
  test("runTask() asks before it runs a call, and runs it when allowed", async () => {
    const { loop, done, asked } = actUnder({ type: "ask" }, ALLOWED);
    const events = await runLoop(loop);
    expect(events.slice(3, 9)).toEqual([
      requested(act),
      approvalAsked,
      approvalSettled(ALLOWED),
      toolStarted(act, needFor("rm x")),
      toolDone(act),
      told(resultOf(act, { did: "rm x" })),
    ]);
    expect({ asked, done }).toEqual({ asked: [APPROVAL], done: ["rm x"] });
    expect(events.at(-1)).toEqual(completed("ok", { usage: USAGE, turns: 2, tool_calls: 1 }));
  });

  test("runTask() never runs a call that the user denied, and tells the model the user's words", async () => {
    const decision = deniedBy("user", "use trash instead");
    const { loop, done } = actUnder({ type: "ask" }, decision);
    const events = await runLoop(loop);
    expect(events.slice(3, 7)).toEqual([
      requested(act),
      approvalAsked,
      approvalSettled(decision),
      refused(act, "Denied: use trash instead"),
    ]);
    expect(events.at(-1)).toEqual(
      completed("ok", {
        usage: USAGE,
        turns: 2,
        denials: [denial("act", "rm x", "use trash instead")],
      }),
    );
    expect(done).toEqual([]);
  });

  test("runTask() says in the totals that nobody could be asked", async () => {
    const decision = deniedBy("nobody", "there is no terminal to ask on");
    const { loop, done } = actUnder({ type: "ask" }, decision);
    const events = await runLoop(loop);
    expect(resultsIn(events)).toEqual([errorOf(act, "Denied: there is no terminal to ask on")]);
    expect(events.at(-1)).toEqual(
      completed("ok", {
        usage: USAGE,
        turns: 2,
        denials: [denial("act", "rm x", "there is no terminal to ask on")],
        unapproved: true,
      }),
    );
    expect(done).toEqual([]);
  });

  test("runTask() asks for each call of a turn on its own", async () => {
    const host = fakeHost();
    const done: string[] = [];
    const no = deniedBy("user", "no");
    const { approver } = scriptedApprover(host, { type: "ask" }, no, ALLOWED);
    const other = call("c2", "act", { what: "ls" });
    const script = [replies({ calls: [act, other] }), says("ok")];
    const loop = newLoop({ script, tools: [actTool(done)], approver, host });
    expect(resultsIn(await runLoop(loop))).toEqual([
      errorOf(act, "Denied: no"),
      resultOf(other, { did: "ls" }),
    ]);
    expect(done).toEqual(["ls"]);
  });

  test("runTask() settles every approval of a parallel turn before the first call runs", async () => {
    const host = fakeHost();
    const done: string[] = [];
    const { approver } = scriptedApprover(host, { type: "ask" }, ALLOWED, ALLOWED);
    const other = call("c2", "act", { what: "ls" });
    const script = [replies({ calls: [act, other] }), says("ok")];
    const loop = newLoop({ script, tools: [actTool(done, "parallel")], approver, host });
    const doneAtQuestion: number[] = [];
    await runLoop(loop, undefined, (event) => {
      if (event.family === "task" && event.type === "waiting_approval") doneAtQuestion.push(done.length);
    });
    expect({ doneAtQuestion, done }).toEqual({ doneAtQuestion: [0, 0], done: ["rm x", "ls"] });
  });
});

describe("policy", () => {
  test.each([
    ["all", { type: "all" }],
    ["an open window", { type: "window", untilMs: 1 }],
  ] as const)("runTask() runs a call without asking under %s", async (_name, policy) => {
    const { loop, done, asked } = actUnder(policy);
    const events = await runLoop(loop);
    expect(events.slice(3, 8)).toEqual([
      requested(act),
      unasked({ type: "allowed", by: "policy" }),
      toolStarted(act, needFor("rm x")),
      toolDone(act),
      told(resultOf(act, { did: "rm x" })),
    ]);
    expect({ done, asked }).toEqual({ done: ["rm x"], asked: [] });
  });

  test("runTask() denies without asking under none, and says so in the totals", async () => {
    const { loop, done, asked } = actUnder({ type: "none" });
    const events = await runLoop(loop);
    const reason = "The approval policy is none: nothing is approved";
    expect(events.slice(3, 6)).toEqual([
      requested(act),
      unasked(deniedBy("policy", reason)),
      refused(act, `Denied: ${reason}`),
    ]);
    expect(events.at(-1)).toEqual(
      completed("ok", {
        usage: USAGE,
        turns: 2,
        denials: [denial("act", "rm x", reason)],
        unapproved: true,
      }),
    );
    expect({ done, asked }).toEqual({ done: [], asked: [] });
  });

  test("runTask() tells a rule's denial, which is no missing approval", async () => {
    const { loop, done } = actUnder({ type: "all" });
    const decision = deniedBy("rule", "never");
    const approver = { ...loop.deps.approver, judge: async () => decision };
    const events = await runLoop({ ...loop, deps: { ...loop.deps, approver } });
    expect(events.slice(4, 6)).toEqual([unasked(decision), refused(act, "Denied: never")]);
    expect(events.at(-1)).toEqual(
      completed("ok", { usage: USAGE, turns: 2, denials: [denial("act", "rm x", "never")] }),
    );
    expect(done).toEqual([]);
  });

  test("runTask() asks again when the window has closed", async () => {
    const { loop, host, asked } = actUnder({ type: "window", untilMs: 1000 }, ALLOWED);
    host.advance(1000);
    await runLoop(loop);
    expect(asked).toEqual([APPROVAL]);
  });
});

describe("a call that the user changes", () => {
  const changed = (subject: string): Decision => ({ type: "allowed", by: "user", scope: "once", subject });

  test("runs as changed, and the model is told", async () => {
    const { done, loop } = actUnder({ type: "ask" }, changed("rm y"));
    const events = await runLoop(loop);
    expect(done).toEqual(["rm y"]);
    const told = { changed_by_user: "The user changed this before it ran, to: rm y", did: "rm y" };
    expect(resultsIn(events)).toEqual([resultOf(act, told)]);
  });

  test("never runs against a rule", async () => {
    const deny: Denied = deniedBy("rule", "not this");
    const host = fakeHost();
    const done: string[] = [];
    const { approver } = scriptedApprover(host, { type: "ask" }, changed("forbidden"));
    const judge: Approver["judge"] = async (need) =>
      need.subject === "forbidden" ? deny : approver.judge(need);
    const script = [replies({ calls: [act] }), says("ok")];
    const loop = newLoop({ script, tools: [actTool(done)], approver: { ...approver, judge }, host });
    const events = await runLoop(loop);
    expect({ done, told: resultsIn(events).map((result) => result.is_error) }).toEqual({
      done: [],
      told: [true],
    });
  });
});
