/** One word per exit code (docs: README, "Exit codes"). */
export type FailureClass =
  | "internal"
  | "usage"
  | "auth"
  | "approval"
  | "model"
  | "limit"
  | "context"
  | "target"
  | "schema"
  | "interrupted";

/** Why something could not be done, in words for the user. */
export type Failure = {
  readonly class: FailureClass;
  readonly message: string;
  readonly hint?: string;
  readonly retryable?: boolean;
  readonly http_status?: number;
  readonly retry_after_ms?: number;
  readonly request_id?: string;
};

export const failure = (
  kind: FailureClass,
  message: string,
  more: Omit<Failure, "class" | "message"> = {},
): Failure => ({ class: kind, message, ...more });
