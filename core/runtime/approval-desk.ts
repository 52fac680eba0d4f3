import type { ApprovalRequest, Decision } from "../event.ts";
import type { ApprovalId } from "../id.ts";
import { type ApprovalPolicy, type ConfirmRules, judge } from "../policy/approval.ts";
import { type DenyRules, ruleOn } from "../policy/refusal.ts";
import type { Approver } from "../ports/approver.ts";
import type { Host } from "../ports/host.ts";
import type { Need } from "../tool.ts";

export type ApprovalDesk = {
  readonly approver: Approver;
  readonly settle: (id: ApprovalId, decision: Decision) => void;
};

export type DeskDeps = {
  readonly host: Host;
  readonly confirm: ConfirmRules;
  readonly deny: DenyRules;
  /** Asked each time: it may change while a task runs. */
  readonly policy: () => ApprovalPolicy;
  readonly openApproval: () => ApprovalId;
};

/** Where questions wait for their answers. */
export function approvalDesk({ host, confirm, deny, policy, openApproval }: DeskDeps): ApprovalDesk {
  const waiting = new Map<ApprovalId, { request: ApprovalRequest; answer: (decision: Decision) => void }>();
  // What the user allowed for the whole run: exactly this, nothing like it.
  const allowed = new Set<string>();

  const judgeNeed = async (need: Need): Promise<Decision | "ask"> => {
    const ruling = await ruleOn(need, deny);
    if (ruling.type === "denied") return { type: "denied", by: "rule", reason: ruling.reason };
    const judged = judge(need, confirm, policy(), host.monotonicMs(), ruling.caution);
    return judged === "ask" && allowed.has(keyOf(need))
      ? { type: "allowed", by: "user", scope: "session" }
      : judged;
  };

  const ask: Approver["ask"] = (question) => {
    const request = { approval_id: openApproval(), ...question };
    const answered = new Promise<Decision>((resolve) => {
      waiting.set(request.approval_id, { request, answer: resolve });
    });
    return { request, answer: (signal) => orAborted(answered, signal) };
  };

  const settle = (id: ApprovalId, decision: Decision): void => {
    const question = waiting.get(id);
    waiting.delete(id);
    if (decision.type === "allowed" && decision.scope === "session" && question) {
      allowed.add(keyOf(question.request.need));
    }
    question?.answer(decision);
  };

  return { approver: { judge: judgeNeed, ask }, settle };
}

const keyOf = (need: Need): string => JSON.stringify([need.kind, need.subject]);

/** An answer, or the abort if that comes first. */
function orAborted<T>(answered: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    // An answer that is there already counts: a shutdown denies, then aborts, and the denial is recorded.
    const onAbort = () => Promise.resolve().then(() => reject(signal.reason));
    if (signal.aborted) return reject(signal.reason);
    signal.addEventListener("abort", onAbort, { once: true });
    answered.then(resolve, reject).finally(() => signal.removeEventListener("abort", onAbort));
  });
}
