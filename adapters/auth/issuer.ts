import { type Failure, failure } from "../../core/failure.ts";
import type { JsonObject } from "../../core/json.ts";
import { type Fields, fieldsAt, isFields, textAt } from "../../core/lenient.ts";
import type { Host } from "../../core/ports/host.ts";
import { redactor } from "../../core/redact.ts";
import { err, ok, type Result } from "../../core/result.ts";
import { oneLine } from "../../core/sanitize.ts";
import { errnoOf } from "../host/errno.ts";

export type IssuerBody =
  | { readonly type: "form"; readonly fields: Readonly<Record<string, string>> }
  | { readonly type: "json"; readonly fields: JsonObject };

export type Answer = { readonly status: number; readonly fields: Fields };

const TIMEOUT_MS = 30_000;
const MAX_BYTES = 1024 * 1024;

/** One request to the issuer and its answer, whatever the status. Follows no redirect. Throws only when aborted. */
export async function askIssuer(
  host: Host,
  url: string,
  body: IssuerBody,
  signal: AbortSignal,
): Promise<Result<Answer, Failure>> {
  signal.throwIfAborted();
  const address = new URL(url).host;
  const limit = timeLimit(host, TIMEOUT_MS);
  try {
    const response = await fetch(url, {
      method: "POST",
      ...wireBody(body),
      redirect: "manual",
      signal: AbortSignal.any([signal, limit.signal]),
    });
    const text = await boundedText(response);
    if (text === undefined) return err(failure("model", `${address} answered with more than 1 MiB`));
    return ok({ status: response.status, fields: parse(text) });
  } catch (error) {
    signal.throwIfAborted();
    const why = limit.signal.aborted
      ? `${address} did not answer within ${TIMEOUT_MS / 1000} seconds`
      : `Cannot reach ${address}: ${connectionReason(error)}`;
    return err(failure("model", why, { retryable: true }));
  } finally {
    limit.stop();
  }
}

/** The issuer's own name for an error, from the two places where it is put. */
export function errorCode({ fields }: Answer): string {
  const nested = fieldsAt(fields, "error");
  return nested ? textAt(nested, "code") || textAt(nested, "type") : textAt(fields, "error");
}

/** What the issuer refused, in its words as far as they give nothing away. */
export function issuerFailure(
  url: string,
  answer: Answer,
  secrets: readonly string[],
  hint: string,
): Failure {
  const { status } = answer;
  const said = redactor(secrets.flatMap((secret) => [secret, encodeURIComponent(secret)]))(words(answer));
  const message = `${new URL(url).host} answered ${status}${said ? `: ${oneLine(said, 300)}` : ""}`;
  if (status === 408 || status === 429 || status >= 500)
    return failure("model", message, { retryable: true, http_status: status });
  if (status >= 300 && status < 400)
    return failure("model", `${message}: redirects are not followed, so that tokens stay where they belong`, {
      http_status: status,
    });
  return failure("auth", message, { http_status: status, hint });
}

function words(answer: Answer): string {
  const nested = fieldsAt(answer.fields, "error");
  const described = nested ? textAt(nested, "message") : textAt(answer.fields, "error_description");
  return [errorCode(answer), described].filter((word) => word !== "").join(": ");
}

function wireBody({ type, fields }: IssuerBody) {
  const accept = "application/json";
  if (type === "json")
    return { headers: { accept, "content-type": "application/json" }, body: JSON.stringify(fields) };
  return {
    headers: { accept, "content-type": "application/x-www-form-urlencoded" },
    body: new URLSearchParams(fields).toString(),
  };
}

/** Undefined when there is too much of it. */
async function boundedText(response: Response): Promise<string | undefined> {
  const decoder = new TextDecoder();
  let text = "";
  let received = 0;
  for await (const bytes of response.body ?? []) {
    received += bytes.length;
    if (received > MAX_BYTES) return undefined;
    text += decoder.decode(bytes, { stream: true });
  }
  return text + decoder.decode();
}

function parse(text: string): Fields {
  try {
    const parsed: unknown = JSON.parse(text);
    return isFields(parsed) ? parsed : {};
  } catch {
    return {}; // an error page: its status says enough
  }
}

/** A signal that fires after `ms` of the host's time. */
function timeLimit(host: Host, ms: number) {
  const over = new AbortController();
  const stopped = new AbortController();
  host.wait(ms, stopped.signal).then(
    () => over.abort(),
    () => {}, // stopped in time
  );
  return { signal: over.signal, stop: () => stopped.abort() };
}

function connectionReason(error: unknown): string {
  const known = CONNECTION_REASONS[errnoOf(error)];
  return known ?? oneLine(error instanceof Error ? error.message : String(error), 200);
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
