import type { Event } from "../../core/event.ts";
import { type History, historyOf } from "../../core/history.ts";
import { type LoopDeps, runTask } from "../../core/loop.ts";
import type { Message, ToolMessage } from "../../core/message.ts";
import type { ModelRequest } from "../../core/ports/model.ts";
import { type Tool, type Toolset, toolset } from "../../core/tool.ts";
import { scriptedApprover } from "../fakes/approver.ts";
import { plainLoop } from "../fakes/context.ts";
import { fakeHost } from "../fakes/host.ts";
import { type ScriptedTurn, scriptedModel } from "../fakes/model.ts";
import { fakeTarget } from "../fakes/target.ts";
import { PROMPT, T1 } from "./expected-events.ts";

export type LoopSetup = Partial<Omit<LoopDeps, "model" | "tools" | "history">> & {
  readonly script: readonly ScriptedTurn[];
  readonly tools?: readonly Tool[];
  readonly before?: readonly Message[];
};

export type Loop = {
  readonly deps: LoopDeps;
  readonly tools: Toolset;
  readonly history: History;
  readonly requests: readonly ModelRequest[];
};

/** A loop of fakes; what a test does not name is the plainest there is. */
export function newLoop({ script, tools = [], before = [], ...more }: LoopSetup): Loop {
  const host = more.host ?? fakeHost();
  const { model, requests } = scriptedModel(...script);
  const history = historyOf(before);
  const all = toolset(tools);
  const deps: LoopDeps = {
    model,
    history,
    tools: all,
    host,
    target: fakeTarget(),
    approver: scriptedApprover(host, { type: "all" }).approver,
    limits: { shellTimeoutMs: 1000, shellChars: 4000, textChars: 8000, images: false },
    parallelTools: true,
    system: "be good",
    maxIterations: 10,
    price: null,
    ...plainLoop(),
    ...more,
  };
  return { deps, tools: all, history, requests };
}

/**
 * Runs one task to its end. `onEvent` sees each event before the task goes on, as a sink does. How long the parts of a
 * turn took is left out of what is returned: it has a test of its own.
 */
export async function runLoop(
  loop: Loop,
  signal: AbortSignal = new AbortController().signal,
  onEvent: (event: Event) => void = () => {},
): Promise<readonly Event[]> {
  const events: Event[] = [];
  for await (const event of runTask(loop.deps, { id: T1, message: PROMPT }, signal)) {
    if (event.type !== "phase") events.push(event);
    onEvent(event);
  }
  return events;
}

/** The results in the order they were published. */
export const resultsIn = (events: readonly Event[]): readonly ToolMessage[] =>
  events.flatMap((event) => (event.family === "tool" && event.type === "result" ? [event.message] : []));
