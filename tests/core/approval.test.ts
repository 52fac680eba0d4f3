import { expect, test } from "bun:test";
import { judge } from "../../core/policy/approval.ts";
import { needFor } from "../fakes/tools.ts";

const need = needFor("rm x");
const ALLOWED = { type: "allowed", by: "policy" } as const;
const CONFIRM = { shell: true, file: true };

test("judge() allows what the rules do not ask about, whatever the policy", () => {
  for (const type of ["ask", "none", "all"] as const) {
    expect(judge(need, { shell: false, file: false }, { type }, 0)).toEqual(ALLOWED);
  }
});

test("judge() asks under ask, allows under all and denies under none", () => {
  expect(judge(need, CONFIRM, { type: "ask" }, 0)).toBe("ask");
  expect(judge(need, CONFIRM, { type: "all" }, 0)).toEqual(ALLOWED);
  expect(judge(need, CONFIRM, { type: "none" }, 0)).toEqual({
    type: "denied",
    by: "policy",
    reason: "The approval policy is none: nothing is approved",
  });
});

test("judge() allows in a window until it closes, then asks", () => {
  const policy = { type: "window", untilMs: 1000 } as const;
  expect([0, 999.9, 1000, 5000].map((now) => judge(need, CONFIRM, policy, now))).toEqual([
    ALLOWED,
    ALLOWED,
    "ask",
    "ask",
  ]);
});
