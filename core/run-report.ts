import type { Failure, FailureClass } from "./failure.ts";
import { NO_USAGE, type Usage } from "./message.ts";
import type { Denial, TaskTotals } from "./task-totals.ts";

/** What a run of one task came to, for scripts: printed with a JSON output format, and part of its last event. */
export type RunReport = {
  readonly session_id: string | null;
  /** `completed` only when the exit code is 0. */
  readonly status: "completed" | "failed" | "cancelled";
  readonly exit_code: number;
  readonly result: string;
  readonly error: ReportedError | null;
  readonly usage: Usage;
  readonly cost_usd: number | null;
  readonly turns: number;
  readonly tool_calls: number;
  readonly denials: readonly Denial[];
  readonly duration_ms: number;
  /** Null when the run ended before a model was chosen. */
  readonly model: string | null;
  readonly profile: string | null;
};

/** Every field is always there. */
export type ReportedError = {
  readonly class: FailureClass;
  readonly message: string;
  readonly hint: string | null;
  readonly retryable: boolean;
  readonly http_status: number | null;
  readonly retry_after_ms: number | null;
  readonly request_id: string | null;
};

/** What is known of a run when it ends. */
export type RunFacts = {
  readonly exitCode: number;
  readonly why: Failure | undefined;
  readonly result: string;
  readonly totals: TaskTotals | undefined;
  readonly durationMs: number;
  readonly sessionId: string | undefined;
  readonly model: string | undefined;
  readonly profile: string | undefined;
};

export function runReport({ exitCode, why, result, totals, ...facts }: RunFacts): RunReport {
  return {
    session_id: facts.sessionId ?? null,
    status: exitCode === 0 ? "completed" : why?.class === "interrupted" ? "cancelled" : "failed",
    exit_code: exitCode,
    result,
    error: why ? reportedError(why) : null,
    usage: totals?.usage ?? NO_USAGE,
    cost_usd: totals ? totals.cost_usd : 0,
    turns: totals?.turns ?? 0,
    tool_calls: totals?.tool_calls ?? 0,
    denials: totals?.denials ?? [],
    duration_ms: Math.round(facts.durationMs),
    model: facts.model ?? null,
    profile: facts.profile ?? null,
  };
}

const reportedError = (why: Failure): ReportedError => ({
  class: why.class,
  message: why.message,
  hint: why.hint ?? null,
  retryable: why.retryable ?? false,
  http_status: why.http_status ?? null,
  retry_after_ms: why.retry_after_ms ?? null,
  request_id: why.request_id ?? null,
});
