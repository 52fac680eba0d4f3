import type { Decision } from "../event.ts";
import type { Need } from "../tool.ts";

/** What the user said about being asked. `until` is on the monotonic clock. */
export type ApprovalPolicy =
  | { readonly type: "ask" }
  | { readonly type: "all" }
  | { readonly type: "none" }
  | { readonly type: "window"; readonly untilMs: number };

/** Which kinds of need are asked about at all; `risky`: those that are not known to be harmless. */
export type ConfirmRules = Readonly<Record<Exclude<Need["kind"], "shell">, boolean>> & {
  readonly shell: boolean | "risky";
};

/**
 * How careful to be with a need that no rule denies. `always`: asked about even where nothing of its kind is;
 * `person`: nobody can tell what it is, so no policy approves it unseen, only somebody who was asked.
 */
export type Caution = "harmless" | "usual" | "always" | "person";

/** A decision, or `ask`: a person has to answer. */
export function judge(
  need: Need,
  rules: ConfirmRules,
  policy: ApprovalPolicy,
  monotonicMs: number,
  caution: Caution = "usual",
): Decision | "ask" {
  if (!isAskedAbout(rules[need.kind], caution)) return ALLOWED;
  switch (policy.type) {
    case "all":
      return caution === "person" ? UNREADABLE : ALLOWED;
    case "none":
      return { type: "denied", by: "policy", reason: "The approval policy is none: nothing is approved" };
    case "window":
      if (monotonicMs >= policy.untilMs) return "ask";
      return caution === "person" ? UNREADABLE : ALLOWED;
    case "ask":
      return "ask";
  }
}

/** Whoever approves everything is not there to look: the model has to say what it means. */
const UNREADABLE: Decision = {
  type: "denied",
  by: "rule",
  reason:
    "It cannot be read as a shell would read it, so nobody can tell what it would run. Check quotes, brackets and " +
    "here-documents, or put it into a file and run that",
};

const ALLOWED: Decision = { type: "allowed", by: "policy" };

function isAskedAbout(rule: boolean | "risky", caution: Caution): boolean {
  if (caution === "always" || caution === "person") return true;
  return rule === "risky" ? caution !== "harmless" : rule;
}
