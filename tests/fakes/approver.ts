import type { ApprovalRequest, Decision } from "../../core/event.ts";
import { approvalId } from "../../core/id.ts";
import { type ApprovalPolicy, judge } from "../../core/policy/approval.ts";
import type { Approver } from "../../core/ports/approver.ts";
import type { Host } from "../../core/ports/host.ts";

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
    judge: (need) => judge(need, { shell: true, file: true }, policy, host.monotonicMs()),
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

export const deniedBy = (by: "user" | "nobody", reason: string): Decision => ({
  type: "denied",
  by,
  reason,
});
