import type { ApprovalRequest, Decision } from "../event.ts";
import type { Need } from "../tool.ts";

/** Who says yes or no to a call. */
export type Approver = {
  /** What policy says without asking anyone. */
  readonly judge: (need: Need) => Promise<Decision | "ask">;
  /** Opens a question; it is shown by an event and answered by a command. */
  readonly ask: (question: Omit<ApprovalRequest, "approval_id">) => PendingApproval;
};

export type PendingApproval = {
  readonly request: ApprovalRequest;
  readonly answer: (signal: AbortSignal) => Promise<Decision>;
};
