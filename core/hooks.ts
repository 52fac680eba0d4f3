import { formatDuration } from "./duration.ts";
import type { Event, Sink } from "./event.ts";
import type { CallVerdict, HookedCall, Hooks, NamedHooks } from "./extension.ts";
import { repair } from "./history.ts";
import type { JsonObject } from "./json.ts";
import type { Message, ToolCall } from "./message.ts";
import type { Host } from "./ports/host.ts";
import { err, ok, type Result } from "./result.ts";
import type { ToolOutput } from "./tool.ts";

/** Runs the hooks of all extensions, in the order of their registration, each in its time. */
export type HookRunner = {
  /** `call` must have been prepared; a changed one has to be again. Throws only when aborted. */
  readonly beforeToolCall: (call: ToolCall, signal: AbortSignal) => Promise<Hooked<HookedVerdict>>;
  /** Never throws. `call` has the arguments with which it ran. */
  readonly afterToolCall: (
    call: ToolCall,
    output: ToolOutput,
    signal: AbortSignal,
  ) => Promise<Hooked<ToolOutput>>;
  /** The same list when nothing was changed. Throws only when aborted. */
  readonly beforeModelCall: (
    messages: readonly Message[],
    signal: AbortSignal,
  ) => Promise<Hooked<readonly Message[]>>;
  /** Never throws, and never takes longer than the hooks may. */
  readonly sink: (warn: (event: Event) => void) => Sink;
};

/** What came of it, and what there is to tell about that. */
export type Hooked<T> = { readonly value: T; readonly events: readonly Event[] };

export type HookedVerdict =
  | { readonly type: "unchanged" }
  | { readonly type: "changed"; readonly call: ToolCall }
  | { readonly type: "blocked"; readonly reason: string };

const TIME_LIMIT_MS = 10_000;

/** Undefined when there are no hooks, so that a run without them pays nothing. */
export function hookRunner(host: Host, all: readonly NamedHooks[]): HookRunner | undefined {
  if (all.length === 0) return undefined;
  return {
    beforeToolCall: (call, signal) => beforeToolCall(host, all, call, signal),
    afterToolCall: (call, output, signal) => afterToolCall(host, all, { call, output }, signal),
    beforeModelCall: (messages, signal) => beforeModelCall(host, all, messages, signal),
    sink: (warn) => eventSink(host, all, warn),
  };
}

async function beforeToolCall(
  host: Host,
  all: readonly NamedHooks[],
  asked: ToolCall,
  signal: AbortSignal,
): Promise<Hooked<HookedVerdict>> {
  const events: Event[] = [];
  let call = asked;
  for (const { extension, hooks } of all) {
    const hook = hooks.beforeToolCall;
    if (hook === undefined) continue;
    const answer = await inTime(
      host,
      hooks,
      async (own) => written(await hook(hookedCall(call), own)),
      signal,
    );
    signal.throwIfAborted();
    if (!answer.ok) {
      const reason = `The extension "${extension}" could not check the call: ${answer.error}`;
      return { value: { type: "blocked", reason }, events: [...events, warning(reason)] };
    }
    if (answer.value === undefined) continue;
    if (answer.value.type === "block") {
      const reason = `Blocked by the extension "${extension}": ${brief(answer.value.reason)}`;
      return { value: { type: "blocked", reason }, events };
    }
    call = { ...call, arguments: answer.value.json };
    const text = `The extension "${extension}" changed the arguments`;
    events.push({ family: "tool", type: "info", call_id: call.id, text });
  }
  return { value: call === asked ? { type: "unchanged" } : { type: "changed", call }, events };
}

/** Arguments as text from here on: whoever keeps the object can change nothing any more. */
const written = (verdict: CallVerdict | undefined) =>
  verdict?.type === "change" ? { type: verdict.type, json: JSON.stringify(verdict.arguments) } : verdict;

function hookedCall({ id, name, arguments: json }: ToolCall): HookedCall {
  const fields: JsonObject = JSON.parse(json.trim() === "" ? "{}" : json);
  return { id, name, arguments: fields };
}

async function afterToolCall(
  host: Host,
  all: readonly NamedHooks[],
  ran: { readonly call: ToolCall; readonly output: ToolOutput },
  signal: AbortSignal,
): Promise<Hooked<ToolOutput>> {
  const events: Event[] = [];
  let { output } = ran;
  for (const { extension, hooks } of all) {
    const hook = hooks.afterToolCall;
    if (hook === undefined || signal.aborted) continue;
    const answer = await inTime(host, hooks, (own) => hook(hookedCall(ran.call), output, own), signal);
    if (answer.ok) output = answer.value ?? output;
    else if (!signal.aborted) events.push(skipped(extension, "afterToolCall", answer.error));
  }
  return { value: output, events };
}

async function beforeModelCall(
  host: Host,
  all: readonly NamedHooks[],
  messages: readonly Message[],
  signal: AbortSignal,
): Promise<Hooked<readonly Message[]>> {
  const events: Event[] = [];
  let sent = messages;
  for (const { extension, hooks } of all) {
    const hook = hooks.beforeModelCall;
    if (hook === undefined) continue;
    const answer = await inTime(host, hooks, (own) => hook(sent, own), signal);
    signal.throwIfAborted();
    const usable = answer.ok && answer.value?.length === 0 ? err("it left no message") : answer;
    if (usable.ok) sent = usable.value ?? sent;
    else events.push(skipped(extension, "beforeModelCall", usable.error));
  }
  // Whatever was added or dropped, each call is answered once, right behind it.
  return { value: sent === messages ? messages : repair(sent), events };
}

function eventSink(host: Host, all: readonly NamedHooks[], warn: (event: Event) => void): Sink {
  const listening = new Map(
    all.flatMap(({ extension, hooks }) => (hooks.onEvent ? [[extension, hooks]] : [])),
  );
  const { signal } = new AbortController();
  return (envelope) => {
    const { event } = envelope;
    const isLast = event.family === "lifecycle" && event.type === "stopped";
    const pending = [...listening].map(async ([extension, hooks]) => {
      const told = await inTime(host, hooks, (own) => hooks.onEvent?.(envelope, own), signal);
      if (told.ok) return;
      listening.delete(extension);
      // Nothing comes after the last event.
      if (!isLast) warn(skipped(extension, "onEvent", `${told.error}. It is told of no further events`));
    });
    if (pending.length > 0) return Promise.all(pending).then(() => {});
  };
}

const warning = (message: string): Event => ({
  family: "warning",
  type: "warning",
  code: "extension",
  message,
});

const skipped = (extension: string, hook: string, why: string): Event =>
  warning(`The hook ${hook} of the extension "${extension}" was skipped: ${why}`);

const MOST_WORDS = 2000;

const brief = (words: string): string =>
  words.length > MOST_WORDS ? `${words.slice(0, MOST_WORDS)}…` : words;

/** An answer, or why there is none: it failed, its time was up, or the signal fired. */
async function inTime<T>(
  host: Host,
  { timeLimitMs = TIME_LIMIT_MS }: Hooks,
  run: (signal: AbortSignal) => T | Promise<T>,
  signal: AbortSignal,
): Promise<Result<T, string>> {
  if (signal.aborted) return err("cancelled");
  const late = new AbortController();
  const done = new AbortController();
  const timeUp = host.wait(timeLimitMs, AbortSignal.any([signal, done.signal])).then(() => {
    late.abort(new Error("Timed out"));
    return err(`it took longer than ${formatDuration(timeLimitMs)}`);
  });
  try {
    const answer = run(AbortSignal.any([signal, late.signal]));
    return await Promise.race([Promise.resolve(answer).then(ok), timeUp]);
  } catch (error) {
    return err(signal.aborted ? "cancelled" : brief(error instanceof Error ? error.message : String(error)));
  } finally {
    done.abort();
    timeUp.catch(() => {}); // the timer was let go
  }
}
