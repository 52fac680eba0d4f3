import { formatDuration } from "../../core/duration.ts";
import { type Failure, failure } from "../../core/failure.ts";
import type { Host } from "../../core/ports/host.ts";
import type { Model, ModelEvent, ModelRequest } from "../../core/ports/model.ts";
import type { Redact } from "../../core/redact.ts";
import type { Result } from "../../core/result.ts";
import { hostOf } from "../../core/vendors.ts";
import { type Attempt, attempt } from "./exchange.ts";
import type { Credential, Protocol, RequestOptions } from "./protocol.ts";
import { waitBefore } from "./retry.ts";

export type HttpModelSettings = {
  readonly profile: string;
  readonly baseUrl: string;
  readonly credentials: Credentials;
  readonly headers: Readonly<Record<string, string>>;
  readonly userAgent: string;
  readonly options: Omit<RequestOptions, "streamUsage" | "origin">;
  readonly retries: number;
  readonly connectTimeoutMs: number;
  readonly idleTimeoutMs: number;
  readonly proxy: string;
  readonly ca: string | undefined;
  readonly redact: Redact;
};

/** What to send to prove who asks. `renew`: the last one was refused; a login is refreshed, a key stays what it is. */
export type Credentials = (
  ask: { readonly renew: boolean },
  signal: AbortSignal,
) => Promise<Result<Credential, Failure>>;

/** Joins a protocol with an address and a credential: requests, retries, diagnosis. */
export function httpModel(host: Host, protocol: Protocol, settings: HttpModelSettings): Model {
  const origin = `${protocol.name}@${hostOf(settings.baseUrl)}`;
  // Remembered for the run: some servers reject `stream_options`, some know no structured output.
  let streamUsage = true;
  let structured = true;

  const once = async function* (
    request: ModelRequest,
    renew: boolean,
    signal: AbortSignal,
  ): AsyncGenerator<ModelEvent, Attempt> {
    const credential = await settings.credentials({ renew }, signal);
    if (!credential.ok) return { type: "setback", failure: credential.error, retry: false };
    const exchange = {
      url: settings.baseUrl + protocol.path,
      headers: requestHeaders(protocol, credential.value, settings),
      body: protocol.body(structured ? request : withSchemaInWords(request), {
        ...settings.options,
        origin,
        streamUsage,
      }),
      connectTimeoutMs: settings.connectTimeoutMs,
      idleTimeoutMs: settings.idleTimeoutMs,
      proxy: settings.proxy,
      ca: settings.ca,
      where: {
        profile: settings.profile,
        address: settings.baseUrl,
        protocol: protocol.name,
        login: credential.value.type === "login",
      },
      unixMs: host.unixMs,
    };
    const result = yield* attempt(exchange, protocol.newReader(origin), signal);
    const expired = credential.value.type === "login" && isRefused(result);
    return expired && !renew ? yield* once(request, true, signal) : result;
  };

  async function* ask(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelEvent> {
    for (let tried = 1; ; tried++) {
      const tally = { shown: false };
      let result = yield* watched(once(request, false, signal), tally);
      if (streamUsage && rejectsStreamUsage(result)) {
        streamUsage = false;
        result = yield* watched(once(request, false, signal), tally);
      }
      if (structured && request.outputSchema && rejectsSchema(result)) {
        structured = false;
        result = yield* watched(once(request, false, signal), tally);
      }
      if (result.type === "replied") return yield result;
      const next = plan(result, tried);
      if (next.type === "failed") return yield next;
      if (tally.shown) yield { type: "withdrawn" };
      yield next;
      await host.wait(next.wait_ms, signal);
    }
  }

  const plan = (setback: Attempt & { type: "setback" }, tried: number) => {
    const why = redacted(setback.failure, settings.redact);
    if (!setback.retry) return { type: "failed", failure: why } as const;
    const wait = waitBefore(tried, setback.retryAfterMs, host.random);
    if (wait.type === "too_long") return { type: "failed", failure: tooLong(why, wait.ms) } as const;
    if (tried > settings.retries) return { type: "failed", failure: gaveUp(why, tried) } as const;
    return {
      type: "retrying",
      attempt: tried,
      of: settings.retries,
      wait_ms: wait.ms,
      reason: why.message,
    } as const;
  };

  return { profile: settings.profile, model: settings.options.model, ask };
}

/** Passes the events on and notes whether the user has seen any of this attempt's output. */
async function* watched(
  events: AsyncGenerator<ModelEvent, Attempt>,
  tally: { shown: boolean },
): AsyncGenerator<ModelEvent, Attempt> {
  try {
    while (true) {
      const next = await events.next();
      if (next.done) return next.value;
      tally.shown ||= next.value.type === "text_delta" || next.value.type === "reasoning_delta";
      yield next.value;
    }
  } finally {
    await events.return({ type: "setback", failure: failure("interrupted", "Stopped"), retry: false });
  }
}

function requestHeaders(
  protocol: Protocol,
  credential: Credential,
  settings: HttpModelSettings,
): Readonly<Record<string, string>> {
  return {
    "content-type": "application/json",
    accept: settings.options.stream ? "text/event-stream" : "application/json",
    "user-agent": settings.userAgent,
    ...protocol.headers(credential),
    ...settings.headers,
  };
}

const isRefused = (result: Attempt): boolean =>
  result.type === "setback" && result.failure.http_status === 401;

const rejectsStreamUsage = (result: Attempt): boolean =>
  result.type === "setback" &&
  result.failure.http_status === 400 &&
  /stream_options|include_usage/.test(result.failure.message);

const rejectsSchema = (result: Attempt): boolean =>
  result.type === "setback" &&
  (result.failure.http_status === 400 || result.failure.http_status === 422) &&
  /response_format|json_schema|structured|output_config|output_format|text\.format|schema/i.test(
    result.failure.message,
  );

/** What a server cannot be told by an option, its model is told in words. */
function withSchemaInWords({ outputSchema, ...request }: ModelRequest): ModelRequest {
  if (outputSchema === undefined) return request;
  const words =
    "The final answer must be one JSON document and nothing else, no code fence and no explanation, that satisfies " +
    `this JSON Schema:\n${JSON.stringify(outputSchema.schema)}`;
  return { ...request, system: `${request.system}\n\n${words}` };
}

const redacted = (why: Failure, redact: Redact): Failure => ({ ...why, message: redact(why.message) });

const gaveUp = (why: Failure, tried: number): Failure =>
  tried > 1 ? { ...why, message: `${why.message} (tried ${tried} times)` } : why;

const tooLong = (why: Failure, ms: number): Failure =>
  failure("model", `${why.message}; it asks to try again in ${formatDuration(ms)}`, {
    hint: `try again in ${formatDuration(ms)}, or use another profile with -m`,
    retryable: true,
    retry_after_ms: ms,
    ...(why.http_status !== undefined ? { http_status: why.http_status } : {}),
    ...(why.request_id !== undefined ? { request_id: why.request_id } : {}),
  });
