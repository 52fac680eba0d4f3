import type { JsonObject } from "../../core/json.ts";
import type { Host } from "../../core/ports/host.ts";
import type { Target } from "../../core/ports/target.ts";
import type { Need, Tool, ToolLimits, ToolOutput, ToolProgress, ToolServices } from "../../core/tool.ts";
import { toolFailure } from "../../core/tool.ts";
import { fakeHost } from "../fakes/host.ts";
import { plainServices } from "../fakes/services.ts";
import { fakeTarget } from "../fakes/target.ts";

export const LIMITS: ToolLimits = {
  shellTimeoutMs: 120_000,
  shellChars: 4000,
  textChars: 8000,
  images: false,
};

export type ToolSetup = {
  readonly target?: Target;
  readonly host?: Host;
  readonly limits?: Partial<ToolLimits>;
  readonly services?: Partial<ToolServices>;
  readonly signal?: AbortSignal;
};

export type ToolRun = {
  readonly output: ToolOutput;
  readonly progress: readonly ToolProgress[];
  /** What it asked permission for. */
  readonly need?: Need | undefined;
  /** Policy said no, by this reason. */
  readonly denied?: string;
};

/** One call of a tool from its arguments to its output; arguments that it refuses are a bug in the test. */
export async function runTool(tool: Tool, args: JsonObject, setup: ToolSetup = {}): Promise<ToolRun> {
  const prepared = tool.prepare(args);
  if (!prepared.ok) throw new Error(prepared.error);
  const progress: ToolProgress[] = [];
  const target = setup.target ?? fakeTarget();
  const signal = setup.signal ?? new AbortController().signal;
  const services = { ...plainServices(), ...setup.services };
  const settled = await prepared.value.settle?.({ target, rules: services.files }, signal);
  if (settled?.type === "failed") return { output: toolFailure(settled.message), progress };
  if (settled?.type === "denied")
    return { output: toolFailure(settled.reason), progress, denied: settled.reason };
  const { execute, need } = settled?.call ?? prepared.value;
  const output = await execute({
    callId: "c1",
    signal,
    target,
    services,
    host: setup.host ?? fakeHost(),
    limits: { ...LIMITS, ...setup.limits },
    emit: (one) => void progress.push(one),
  });
  return { output, progress, need };
}
