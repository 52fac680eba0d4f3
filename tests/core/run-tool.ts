import type { JsonObject } from "../../core/json.ts";
import type { Host } from "../../core/ports/host.ts";
import type { Target } from "../../core/ports/target.ts";
import type { Tool, ToolLimits, ToolOutput, ToolProgress } from "../../core/tool.ts";
import { fakeHost } from "../fakes/host.ts";
import { fakeTarget } from "../fakes/target.ts";

export const LIMITS: ToolLimits = { shellTimeoutMs: 120_000, shellChars: 4000, textChars: 8000 };

export type ToolSetup = {
  readonly target?: Target;
  readonly host?: Host;
  readonly limits?: Partial<ToolLimits>;
  readonly signal?: AbortSignal;
};

export type ToolRun = { readonly output: ToolOutput; readonly progress: readonly ToolProgress[] };

/** One call of a tool from its arguments to its output; arguments that it refuses are a bug in the test. */
export async function runTool(tool: Tool, args: JsonObject, setup: ToolSetup = {}): Promise<ToolRun> {
  const prepared = tool.prepare(args);
  if (!prepared.ok) throw new Error(prepared.error);
  const progress: ToolProgress[] = [];
  const output = await prepared.value.execute({
    callId: "c1",
    signal: setup.signal ?? new AbortController().signal,
    target: setup.target ?? fakeTarget(),
    host: setup.host ?? fakeHost(),
    limits: { ...LIMITS, ...setup.limits },
    emit: (one) => void progress.push(one),
  });
  return { output, progress };
}
