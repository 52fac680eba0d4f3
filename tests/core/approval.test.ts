import { expect, test } from "bun:test";
import { judge } from "../../core/policy/approval.ts";
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
