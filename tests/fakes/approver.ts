import type { ApprovalRequest, Decision, Denied } from "../../core/event.ts";
import { approvalId } from "../../core/id.ts";
import { type ApprovalPolicy, type ConfirmRules, judge } from "../../core/policy/approval.ts";
import type { DenyRules } from "../../core/policy/refusal.ts";
import type { Approver } from "../../core/ports/approver.ts";
import type { Host } from "../../core/ports/host.ts";

/** Asks about everything. */
export const CONFIRM_ALL: ConfirmRules = { shell: true, file: true, url: true };

/** What is refused even so: URLs that are not public, commands that no system survives. */
export const DENY_LITTLE: DenyRules = {
  shell: { home: "/home/u", denylist: [] },
  urls: { allowedDomains: undefined, blockedDomains: [] },
};

export type ScriptedApprover = {
  readonly approver: Approver;
  /** What was asked, in order. */
  readonly asked: readonly ApprovalRequest[];
};

/** Policy decides as in a run; under `ask` the answers come from the script, and a question too many throws. */
export function scriptedApprover(
  host: Host,
  policy: ApprovalPolicy,
  ...answers: readonly Decision[]
): ScriptedApprover {
  const asked: ApprovalRequest[] = [];
  const approver: Approver = {
    judge: async (need) => judge(need, CONFIRM_ALL, policy, host.monotonicMs()),
    ask: (question) => {
      const request = { approval_id: approvalId(asked.length + 1), ...question };
      const decision = answers[asked.length];
      asked.push(request);
      if (decision === undefined) throw new Error(`The approver script has no answer ${asked.length}`);
      return {
        request,
        answer: async (signal) => {
          signal.throwIfAborted();
          return decision;
        },
      };
    },
  };
  return { approver, asked };
}

export const ALLOWED: Decision = { type: "allowed", by: "user" };

export const deniedBy = (by: Denied["by"], reason: string): Denied => ({
  type: "denied",
  by,
  reason,
});
