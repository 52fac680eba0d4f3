import type { Decision } from "../event.ts";
import type { Need } from "../tool.ts";

/** What the user said about being asked. `until` is on the monotonic clock. */
export type ApprovalPolicy =
  | { readonly type: "ask" }
  | { readonly type: "all" }
  | { readonly type: "none" }
  | { readonly type: "window"; readonly untilMs: number };

/** Which kinds of need are asked about at all. */
export type ConfirmRules = Readonly<Record<Need["kind"], boolean>>;

/** A decision, or `ask`: a person has to answer. */
export function judge(
  need: Need,
  rules: ConfirmRules,
  policy: ApprovalPolicy,
  monotonicMs: number,
): Decision | "ask" {
  if (!rules[need.kind]) return { type: "allowed", by: "policy" };
  switch (policy.type) {
    case "all":
      return { type: "allowed", by: "policy" };
    case "none":
      return { type: "denied", by: "policy", reason: "The approval policy is none: nothing is approved" };
    case "window":
      return monotonicMs < policy.untilMs ? { type: "allowed", by: "policy" } : "ask";
    case "ask":
      return "ask";
  }
}
