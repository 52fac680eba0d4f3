import { expect, test } from "bun:test";
import { type ApprovalPolicy, judge } from "../../core/policy/approval.ts";
import { CONFIRM_ALL } from "../fakes/approver.ts";
import { needFor } from "../fakes/tools.ts";

const need = needFor("rm x");
const ALLOWED = { type: "allowed", by: "policy" } as const;

test("judge() allows what the rules do not ask about, whatever the policy", () => {
  for (const type of ["ask", "none", "all"] as const) {
    expect(judge(need, { ...CONFIRM_ALL, shell: false }, { type }, 0)).toEqual(ALLOWED);
  }
});

test("judge() asks under ask, allows under all and denies under none", () => {
  expect(judge(need, CONFIRM_ALL, { type: "ask" }, 0)).toBe("ask");
  expect(judge(need, CONFIRM_ALL, { type: "all" }, 0)).toEqual(ALLOWED);
  expect(judge(need, CONFIRM_ALL, { type: "none" }, 0)).toEqual({
    type: "denied",
    by: "policy",
    reason: "The approval policy is none: nothing is approved",
  });
});

test("judge() allows in a window until it closes, then asks", () => {
  const policy = { type: "window", untilMs: 1000 } as const;
  expect([0, 999.9, 1000, 5000].map((now) => judge(need, CONFIRM_ALL, policy, now))).toEqual([
    ALLOWED,
    ALLOWED,
    "ask",
    "ask",
  ]);
});

test("judge() asks about a URL only where the rules say so", () => {
  const url = { ...needFor("https://example.com/"), kind: "url" } as const;
  expect(judge(url, CONFIRM_ALL, { type: "ask" }, 0)).toBe("ask");
  expect(judge(url, { ...CONFIRM_ALL, url: false }, { type: "ask" }, 0)).toEqual(ALLOWED);
});

test("judge() asks by risky about everything but what is harmless", () => {
  const rules = { ...CONFIRM_ALL, shell: "risky" } as const;
  const judged = (["harmless", "usual", "always", "person"] as const).map((caution) =>
    judge(need, rules, { type: "ask" }, 0, caution),
  );
  expect(judged).toEqual([ALLOWED, "ask", "ask", "ask"]);
});

test("judge() asks about what needs care even where nothing of its kind is asked about", () => {
  const rules = { ...CONFIRM_ALL, shell: false };
  expect(judge(need, rules, { type: "ask" }, 0, "always")).toBe("ask");
  expect(judge(need, rules, { type: "all" }, 0, "always")).toEqual(ALLOWED);
  expect(judge(need, rules, { type: "none" }, 0, "always")).toMatchObject({ type: "denied", by: "policy" });
});

test("judge() leaves what nobody can read to a person, and approves it unseen under no policy", () => {
  const judged = (policy: ApprovalPolicy) => judge(need, CONFIRM_ALL, policy, 0, "person");
  const windows = [{ type: "all" }, { type: "window", untilMs: 9 }] as const;
  for (const policy of windows) expect(judged(policy)).toMatchObject({ type: "denied", by: "rule" });
  expect([judged({ type: "ask" }), judged({ type: "window", untilMs: 0 })]).toEqual(["ask", "ask"]);
});
