import { formatDuration } from "../../core/duration.ts";
import { type Failure, type FailureClass, failure } from "../../core/failure.ts";
import { fieldsAt, isFields, textAt } from "../../core/lenient.ts";
import { oneLine } from "../../core/sanitize.ts";
import { errnoOf } from "../host/errno.ts";
import type { ProtocolName } from "./protocol.ts";
import { isRetriedStatus } from "./retry.ts";

/** Why an attempt failed, and whether another one may help. */
export type Setback = {
  readonly failure: Failure;
  readonly retry: boolean;
};

/** For the user's eyes: whose request it was and where it went. */
export type Where = {
  readonly profile: string;
  readonly address: string;
  readonly protocol: ProtocolName;
  readonly login: boolean;
};

/** A response with an error status. */
export function diagnoseStatus(
  response: { readonly status: number; readonly headers: Headers },
  body: string,
  where: Where,
): Setback {
  const { status, headers } = response;
  const said = providerMessage(body);
  const requestId = headers.get("x-request-id") ?? headers.get("request-id");
  const shownId = requestId ? ` (request ${oneLine(requestId, 80)})` : "";
  const message = `${where.address} answered ${status}${said ? `: ${said}` : ""}${shownId}`;
  const retry = isRetriedStatus(status);
  const hint = hintFor(status, where);
  const why = failure(classOf(status, body), message, {
    retryable: retry,
    http_status: status,
    ...(hint ? { hint } : {}),
    ...(requestId ? { request_id: requestId } : {}),
  });
  return { failure: why, retry };
}

function classOf(status: number, body: string): FailureClass {
  if (status === 401 || status === 403) return "auth";
  if (status === 413 || (status === 400 && saysTooLong(body))) return "context";
  return "model";
}

/** Whether a provider says that the conversation does not fit. */
export const saysTooLong = (text: string): boolean => TOO_LONG.test(text);

const TOO_LONG =
  /context[_ ](length|window|limit)|maximum context|too many (input )?tokens|prompt is too long|exceeds? the (model'?s )?(maximum )?(context|input)|input (is )?too long/i;

function hintFor(status: number, { profile, protocol, login }: Where): string | undefined {
  if (status === 401 || status === 403) {
    return login ? `buddy login ${profile}` : `check the key of profile "${profile}"`;
  }
  if (status === 404) {
    const other = protocol === "responses" ? "completions" : "responses";
    return `try api = "${other}" in [models.${profile}], and check api_base_url and the model name`;
  }
  if (status === 413) return "the conversation is too large for this endpoint";
  if (status >= 300 && status < 400) {
    return "redirects are not followed, so that the key stays where it belongs: fix api_base_url";
  }
  return undefined;
}

/** The request or the reading of its response threw. */
export function diagnoseConnection(error: unknown, address: string): Setback {
  const code = errnoOf(error);
  const certificate = /CERT|SELF_SIGNED|UNABLE_TO_|ALTNAME/i.test(code);
  const reason =
    CONNECTION_REASONS[code] ?? oneLine(error instanceof Error ? error.message : String(error), 200);
  const message = certificate ? `Cannot trust ${address}: ${reason}` : `Cannot reach ${address}: ${reason}`;
  const hint = certificate ? "the certificate of the endpoint was refused" : REACH_HINT;
  return { failure: failure("model", message, { hint, retryable: !certificate }), retry: !certificate };
}

export function noConnection(address: string, ms: number): Setback {
  const message = `Cannot reach ${address}: no connection within ${formatDuration(ms)}`;
  return { failure: failure("model", message, { hint: REACH_HINT, retryable: true }), retry: true };
}

const REACH_HINT = "is the endpoint running, and is api_base_url right?";

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
  ENOTIMP: "the host name cannot be resolved",
  EAI_AGAIN: "the host name cannot be resolved now",
  ETIMEDOUT: "the connection timed out",
};

/** What the provider itself says about an error, from the places where servers put it. */
function providerMessage(body: string): string {
  const read = parse(body);
  // Google's errors come in a list of one.
  const parsed: unknown = Array.isArray(read) ? read[0] : read;
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
