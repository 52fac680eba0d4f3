import { failure } from "../../core/failure.ts";
import type { ModelEvent, Reply } from "../../core/ports/model.ts";
import { after } from "../host/timer.ts";
import { connectWatch } from "./connect-watch.ts";
import {
  diagnoseConnection,
  diagnoseStatus,
  noConnection,
  type Setback,
  saysTooLong,
  silence,
  type Where,
} from "./diagnose.ts";
import { type Broken, invalid, parseJson, type ReplyReader } from "./protocol.ts";
import { readBounded } from "./read-bounded.ts";
import { retryAfterMs } from "./retry.ts";
import { sseReader } from "./sse.ts";

export type Exchange = {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array<ArrayBuffer>;
  readonly connectTimeoutMs: number;
  readonly idleTimeoutMs: number;
  /** Empty: what the environment says. */
  readonly proxy: string;
  /** Further certificate authorities, PEM. */
  readonly ca: string | undefined;
  readonly where: Where;
  readonly unixMs: () => number;
};

export type Attempt =
  | { readonly type: "replied"; readonly reply: Reply }
  | ({ readonly type: "setback"; readonly retryAfterMs?: number } & Setback);

const MAX_RESPONSE_BYTES = 32 * 1024 * 1024;
const MAX_ERROR_BYTES = 64 * 1024;

/** One request and its response. Yields what streams in; throws only when aborted. */
export async function* attempt(
  exchange: Exchange,
  reader: ReplyReader,
  signal: AbortSignal,
): AsyncGenerator<ModelEvent, Attempt> {
  const watch = idleWatch(exchange.idleTimeoutMs);
  const connection = connectWatch(exchange);
  try {
    const response = await fetch(exchange.url, {
      method: "POST",
      headers: { ...exchange.headers },
      body: exchange.body,
      redirect: "manual",
      signal: AbortSignal.any([signal, watch.signal, connection.signal]),
      ...(exchange.proxy === "" ? {} : { proxy: exchange.proxy }),
      ...(exchange.ca === undefined ? {} : { tls: { ca: exchange.ca } }),
    });
    connection.stop();
    watch.touch();
    if (response.status !== 200) return await refusal(exchange, response);
    return yield* readReply(exchange, response, reader, watch.touch);
  } catch (error) {
    signal.throwIfAborted();
    const { address } = exchange.where;
    if (connection.signal.aborted)
      return { type: "setback", ...noConnection(address, exchange.connectTimeoutMs) };
    if (watch.signal.aborted) return { type: "setback", ...silence(address, exchange.idleTimeoutMs) };
    // The one thing that reading JSON of any shape can throw.
    if (error instanceof RangeError) return unusable(exchange, invalid("it is nested too deep"));
    return { type: "setback", ...diagnoseConnection(error, address) };
  } finally {
    connection.stop();
    watch.stop();
  }
}

async function refusal(exchange: Exchange, response: Response): Promise<Attempt> {
  const { text: body } = await readBounded(response, MAX_ERROR_BYTES);
  const asked = retryAfterMs(response.headers, exchange.unixMs());
  return {
    type: "setback",
    ...diagnoseStatus(response, body, exchange.where),
    ...(asked !== undefined ? { retryAfterMs: asked } : {}),
  };
}

async function* readReply(
  exchange: Exchange,
  response: Response,
  reader: ReplyReader,
  touch: () => void,
): AsyncGenerator<ModelEvent, Attempt> {
  const broken = (why: Broken): Attempt => unusable(exchange, why);
  const streamed = response.headers.get("content-type")?.includes("text/event-stream");
  const sse = sseReader(reader.event);
  if (streamed) {
    let received = 0;
    for await (const bytes of response.body ?? []) {
      touch();
      received += bytes.length;
      if (received > MAX_RESPONSE_BYTES) return broken(invalid("response too large: over 32 MiB"));
      const fed = sse.feed(bytes);
      yield* deltas(reader);
      if (!fed.ok) return broken(fed.error);
    }
    const fed = sse.end();
    if (!fed.ok) return broken(fed.error);
  } else {
    const { text, cut } = await readBounded(response, MAX_RESPONSE_BYTES, touch);
    if (cut) return broken(invalid("response too large: over 32 MiB"));
    const read = readWhole(text, reader, sse);
    if (!read.ok) return broken(read.error);
  }
  yield* deltas(reader);
  const end = reader.end();
  if (!end.ok) return broken(end.error);
  if (end.value.notice) yield { type: "notice", text: end.value.notice };
  return { type: "replied", reply: end.value.reply };
}

function unusable({ where }: Exchange, { detail, retryable }: Broken): Attempt {
  const kind = saysTooLong(detail) ? "context" : "model";
  const why = failure(kind, `${where.address}: ${detail}`, { retryable });
  return { type: "setback", failure: why, retry: retryable };
}

/** A server may answer in one piece though a stream was asked for, or send a stream without saying so. */
function readWhole(text: string, reader: ReplyReader, sse: ReturnType<typeof sseReader>) {
  if (/^\ufeff?\s*(data|event|:)/.test(text)) {
    const fed = sse.feed(new TextEncoder().encode(text));
    return fed.ok ? sse.end() : fed;
  }
  if (text.trim() === "") return reader.whole({});
  const body = parseJson(text);
  return body.ok
    ? reader.whole(body.value)
    : { ok: false as const, error: { ...body.error, retryable: false } };
}

/** At most one event of each kind for all that one network read brought: streams of tiny deltas stay cheap. */
function* deltas(reader: ReplyReader): Generator<ModelEvent> {
  const { text, reasoning } = reader.takeDeltas();
  if (reasoning !== "") yield { type: "reasoning_delta", text: reasoning };
  if (text !== "") yield { type: "text_delta", text };
}

/** A signal that fires after `ms` without a touch. One timer, re-armed only when it fires. */
function idleWatch(ms: number) {
  const controller = new AbortController();
  let touched = performance.now();
  const check = () => {
    const left = touched + ms - performance.now();
    if (left <= 0) controller.abort(new Error("idle"));
    else cancel = after(left, check);
  };
  let cancel = after(ms, check);
  return {
    signal: controller.signal,
    touch: () => {
      touched = performance.now();
    },
    stop: () => cancel(),
  };
}
