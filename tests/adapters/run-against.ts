import { completions } from "../../adapters/model/completions.ts";
import { httpModel } from "../../adapters/model/http.ts";
import type { Event } from "../../core/event.ts";
import { type History, historyOf } from "../../core/history.ts";
import { taskId } from "../../core/id.ts";
import { runTask } from "../../core/loop.ts";
import { type Message, userMessage } from "../../core/message.ts";
import type { Host } from "../../core/ports/host.ts";
import type { RunEvent } from "../../core/ports/target.ts";
import { redactor } from "../../core/redact.ts";
import { toolset } from "../../core/tool.ts";
import { builtinTools } from "../../core/tools/index.ts";
import { ALLOWED, scriptedApprover } from "../fakes/approver.ts";
import { plainLoop } from "../fakes/context.ts";
import { fakeHost } from "../fakes/host.ts";
import { httpSettings, withKey } from "../fakes/http-settings.ts";
import { fakeTarget } from "../fakes/target.ts";

export const KEY = "sk-TESTTESTTESTTESTTESTTESTTESTTEST0000";

export type AgainstSetup = {
  readonly retries?: number;
  readonly idleTimeoutMs?: number;
  readonly signal?: AbortSignal;
  readonly before?: readonly Message[];
};

export type Against = {
  readonly events: readonly Event[];
  readonly history: History;
  /** Commands that reached the machine, each of them approved by somebody who saw it. */
  readonly commands: readonly string[];
  readonly approved: readonly string[];
  readonly waits: readonly number[];
};

/** One task of the real loop with the real tools and the real client, on a machine where no command does anything. */
export async function runAgainst(url: string, setup: AgainstSetup = {}): Promise<Against> {
  const { retries = 1, idleTimeoutMs = 10_000, signal = new AbortController().signal, before = [] } = setup;
  const waits: number[] = [];
  const host: Host = {
    ...fakeHost(),
    wait: async (ms, stop) => {
      stop.throwIfAborted();
      waits.push(ms);
    },
  };
  const commands: string[] = [];
  const target = {
    ...fakeTarget({ files: { a: "content of a" } }),
    run: async function* ({ command }: { readonly command: string }): AsyncGenerator<RunEvent> {
      commands.push(command);
      yield { type: "exited", code: 0 };
    },
  };
  const { approver, asked } = scriptedApprover(
    host,
    { type: "ask" },
    ...Array.from({ length: 100 }, () => ALLOWED),
  );
  const history = historyOf(before);
  const settings = { credentials: withKey(KEY), retries, idleTimeoutMs, redact: redactor([KEY]) };
  const model = httpModel(host, completions(), httpSettings(url, settings));
  const deps = {
    model,
    host,
    target,
    approver,
    history,
    tools: toolset(builtinTools({ shell: true, files: true })),
    limits: { shellTimeoutMs: 1000, shellChars: 4000, textChars: 8000, images: false },
    parallelTools: true,
    system: "be good",
    maxIterations: 50,
    price: null,
    ...plainLoop(),
  };
  const events: Event[] = [];
  for await (const event of runTask(deps, { id: taskId(1), message: userMessage("go") }, signal))
    events.push(event);
  return { events, history, commands, approved: asked.map(({ need }) => need.subject), waits };
}

/** How the task ended: its answer, or why there is none. */
export function endOf({ events }: Pick<Against, "events">): {
  readonly type: "completed" | "failed" | "cancelled";
  readonly text: string;
} {
  const last = events.at(-1);
  if (last?.family !== "task") throw new Error("The task has no end");
  if (last.type === "completed") return { type: last.type, text: last.result };
  if (last.type === "failed") return { type: last.type, text: last.failure.message };
  if (last.type === "cancelled") return { type: last.type, text: "" };
  throw new Error(`The task ended with ${last.type}`);
}

export const startedTools = ({ events }: Pick<Against, "events">): readonly string[] =>
  events.flatMap((event) => (event.family === "tool" && event.type === "started" ? [event.name] : []));

/** What the model was told about its calls, one text for each. */
export const toolResults = ({ history }: Pick<Against, "history">): readonly string[] =>
  history.messages.flatMap((message) =>
    message.role === "tool" ? message.content.map((part) => (part.type === "text" ? part.text : "")) : [],
  );

/** What is wrong with a history in the eyes of a provider: every call answered once, right behind, by a unique id. */
export function historyFaults({ history }: Pick<Against, "history">): readonly string[] {
  const faults: string[] = [];
  const seen = new Set<string>();
  let open: string[] = [];
  for (const message of history.messages) {
    if (message.role === "tool") {
      if (open[0] !== message.tool_call_id)
        faults.push(`result of "${message.tool_call_id}" is out of place`);
      open = open.slice(1);
      continue;
    }
    for (const id of open) faults.push(`call "${id}" has no result`);
    open = message.role === "assistant" ? message.tool_calls.map((call) => call.id) : [];
    for (const id of open) {
      if (id === "" || seen.has(id)) faults.push(`id "${id}" is empty or used twice`);
      seen.add(id);
    }
  }
  return [...faults, ...open.map((id) => `call "${id}" has no result`)];
}
