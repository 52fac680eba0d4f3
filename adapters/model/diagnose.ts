import { formatDuration } from "../../core/duration.ts";
import { type Failure, failure } from "../../core/failure.ts";
import { fieldsAt, isFields, textAt } from "../../core/lenient.ts";
import { oneLine } from "../../core/sanitize.ts";
import { errnoOf } from "../host/errno.ts";

/** Why an attempt failed, and whether another one may help. */
export type Setback = {
  readonly failure: Failure;
  readonly retry: boolean;
};

const RETRIED = new Set([408, 409, 425, 429]);

/** A response with an error status. `profile` and `address` are for the user's eyes. */
export function diagnoseStatus(
  response: { readonly status: number; readonly headers: Headers },
  body: string,
  where: { readonly profile: string; readonly address: string },
): Setback {
  const { status, headers } = response;
  const said = providerMessage(body);
  const requestId = headers.get("x-request-id") ?? headers.get("request-id");
  const more = { http_status: status, ...(requestId ? { request_id: requestId } : {}) };
  const message = `${where.address} answered ${status}${said ? `: ${said}` : ""}${requestId ? ` (request ${oneLine(requestId, 80)})` : ""}`;
  if (status === 401 || status === 403) {
    const hint = `check the key of profile "${where.profile}"`;
    return { failure: failure("auth", message, { ...more, hint }), retry: false };
  }
  if (status === 404) {
    const hint = "check api_base_url and the model name of the profile";
    return { failure: failure("model", message, { ...more, hint }), retry: false };
  }
  if (status === 413) {
    return {
      failure: failure("context", message, { ...more, hint: "the conversation is too large" }),
      retry: false,
    };
  }
  if (status >= 300 && status < 400) {
    const hint = "redirects are not followed, so that the key stays where it belongs: fix api_base_url";
    return { failure: failure("model", message, { ...more, hint }), retry: false };
  }
  const retry = RETRIED.has(status) || status >= 500;
  return { failure: failure("model", message, { ...more, retryable: retry }), retry };
}

/** The request or the reading of its response threw. */
export function diagnoseConnection(error: unknown, address: string): Setback {
  const code = errnoOf(error);
  const certificate = /CERT|SELF_SIGNED|UNABLE_TO_|ALTNAME/i.test(code);
  const reason =
    CONNECTION_REASONS[code] ?? oneLine(error instanceof Error ? error.message : String(error), 200);
  const message = certificate ? `Cannot trust ${address}: ${reason}` : `Cannot reach ${address}: ${reason}`;
  const hint = certificate
    ? "the certificate of the endpoint was refused"
    : "is the endpoint running, and is api_base_url right?";
  return { failure: failure("model", message, { hint, retryable: !certificate }), retry: !certificate };
}

export function silence(address: string, ms: number): Setback {
  const message = `${address} was silent for ${formatDuration(ms)}`;
  const hint = "raise network.idle_timeout if the model needs longer";
  return { failure: failure("model", message, { hint, retryable: true }), retry: true };
}

const CONNECTION_REASONS: Readonly<Record<string, string>> = {
  ConnectionRefused: "connection refused",
  ECONNREFUSED: "connection refused",
  ECONNRESET: "the connection was reset",
  ConnectionClosed: "the connection was closed",
  FailedToOpenSocket: "no connection could be opened",
  ENOTFOUND: "the host name is unknown",
  ETIMEDOUT: "the connection timed out",
};

/** What the provider itself says about an error, from the places where servers put it. */
function providerMessage(body: string): string {
  const parsed = parse(body);
  if (!isFields(parsed)) return oneLine(body.startsWith("<") ? body.replace(/<[^>]*>/g, " ") : body, 200);
  const nested = fieldsAt(parsed, "error");
  const message =
    (nested && textAt(nested, "message")) || textAt(parsed, "message") || textAt(parsed, "error");
  return oneLine(message || textAt(parsed, "detail") || body, 300);
}

function parse(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined; // plain text or HTML: shown as it is
  }
}
