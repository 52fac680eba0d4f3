import type { Envelope, Event, Sink } from "../../core/event.ts";
import { failure } from "../../core/failure.ts";
import { userMessage } from "../../core/message.ts";
import type { ModelRequest } from "../../core/ports/model.ts";
import { err } from "../../core/result.ts";
import { type Runtime, type RuntimeDeps, startRuntime } from "../../core/runtime/actor.ts";
import { type Tool, toolset } from "../../core/tool.ts";
import { CONFIRM_ALL, DENY_LITTLE } from "../fakes/approver.ts";
import { plainBundle } from "../fakes/context.ts";
import { fakeHost } from "../fakes/host.ts";
import { type ScriptedTurn, scriptedModel } from "../fakes/model.ts";
import { plainServices } from "../fakes/services.ts";
import { fakeTarget } from "../fakes/target.ts";

export type RuntimeSetup = Partial<Omit<RuntimeDeps, "model" | "tools" | "sinks">> & {
  readonly script?: readonly ScriptedTurn[];
  readonly tools?: readonly Tool[];
  /** Sees each event after it was noted. */
  readonly onEvent?: (event: Event, runtime: Runtime) => void;
  readonly sinks?: readonly Sink[];
};

export type RunningRuntime = {
  readonly runtime: Runtime;
  readonly envelopes: readonly Envelope[];
  readonly requests: readonly ModelRequest[];
  /** The first event that `wanted` accepts, past or to come. */
  readonly seen: (wanted: (event: Event) => boolean) => Promise<Event>;
  readonly submit: (text: string) => void;
  /** Sends a shutdown, waits for the end and returns every event. */
  readonly finish: () => Promise<readonly Event[]>;
};

/** A runtime of fakes; what a test does not name is the plainest there is. */
export function newRuntime(setup: RuntimeSetup = {}): RunningRuntime {
  const { script = [], tools = [], onEvent = () => {}, sinks = [], ...more } = setup;
  const envelopes: Envelope[] = [];
  const watchers = new Set<(event: Event) => void>();
  const { model, requests } = scriptedModel(...script);
  const note: Sink = (envelope) => {
    envelopes.push(envelope);
    for (const watch of watchers) watch(envelope.event);
    onEvent(envelope.event, runtime);
  };
  const runtime = startRuntime({
    models: {
      first: plainBundle(model),
      chosenBy: "default",
      find: async () => err(failure("usage", "There is no other model")),
    },
    tools: toolset(tools),
    host: fakeHost(),
    target: fakeTarget(),
    queueMode: "one",
    parallelTools: true,
    system: "be good",
    maxIterations: 10,
    version: "1.2.3",
    policy: { type: "ask" },
    confirm: CONFIRM_ALL,
    deny: DENY_LITTLE,
    services: plainServices(),
    store: undefined,
    redact: { anything: (text) => text, known: (text) => text },
    ...more,
    sinks: [note, ...sinks],
  });
  const events = () => envelopes.map(({ event }) => event);
  return {
    runtime,
    envelopes,
    requests,
    seen: (wanted) => {
      const past = events().find(wanted);
      if (past) return Promise.resolve(past);
      const { promise, resolve } = Promise.withResolvers<Event>();
      watchers.add((event) => wanted(event) && resolve(event));
      return promise;
    },
    submit: (text) => runtime.send({ type: "submit_prompt", message: userMessage(text) }),
    finish: async () => {
      runtime.send({ type: "shutdown" });
      await runtime.stopped;
      return events();
    },
  };
}

export const isEnd = (event: Event): boolean =>
  event.family === "task" && ["completed", "failed", "cancelled"].includes(event.type);
