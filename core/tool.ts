import type { JsonObject } from "./json.ts";
import type { FileAccess, FileRules } from "./locate-file.ts";
import type { Part } from "./message.ts";
import type { FitImage } from "./ports/fit-image.ts";
import type { Host } from "./ports/host.ts";
import type { ToolSpec } from "./ports/model.ts";
import type { Spill } from "./ports/spill.ts";
import type { Target } from "./ports/target.ts";
import type { Result } from "./result.ts";
import { adapted, aliasOf, CONTENT_OF_ALIASES } from "./tools/aliases.ts";

/** What a call wants to do to the world, for policy, approval and the record. */
export type Need = ShellNeed | FileNeed | UrlNeed;

export type ShellNeed = NeedFacts & { readonly kind: "shell" };

/** To write a file. */
export type FileNeed = NeedFacts & {
  readonly kind: "file";
  /** Exactly what would change, as a unified diff. */
  readonly diff: string;
};

/** To fetch from the web. */
export type UrlNeed = NeedFacts & { readonly kind: "url" };

type NeedFacts = {
  /** The exact command, path or URL. */
  readonly subject: string;
  readonly risk: "low" | "medium" | "high";
  readonly mutation: boolean;
  readonly privesc: boolean;
  readonly why: string;
};

export type ToolOutput = {
  /** For the model, inside the result envelope. */
  readonly result: JsonObject;
  readonly images?: readonly Part[];
  /** For people: one short line. */
  readonly summary: string;
  /** For people: what changed in a file. */
  readonly diff?: string;
  readonly isError: boolean;
};

/** What tools share besides the target. */
export type ToolServices = {
  readonly files: FileRules;
  readonly spill: Spill;
  readonly fitImage: FitImage;
};

export type ToolProgress = { readonly type: "stdout_chunk" | "stderr_chunk" | "info"; readonly text: string };

export type ToolContext = {
  readonly callId: string;
  readonly signal: AbortSignal;
  readonly target: Target;
  readonly host: Host;
  readonly limits: ToolLimits;
  readonly services: ToolServices;
  readonly emit: (progress: ToolProgress) => void;
};

export type ToolLimits = {
  readonly shellTimeoutMs: number;
  /** Characters of text that one result may put into the conversation: command output, and everything else. */
  readonly shellChars: number;
  readonly textChars: number;
  /** The model can see. */
  readonly images: boolean;
};

/** How the loop sees a tool, wherever it comes from. */
export type Tool = {
  readonly spec: ToolSpec;
  readonly parallel: boolean;
  /** Top-level arguments in which control characters are content. */
  readonly content?: readonly string[];
  /** Top-level arguments in which placeholders of secrets become the secrets. */
  readonly restores?: readonly string[];
  /** Validated arguments, or what is wrong with them in words for the model. */
  readonly prepare: (args: unknown) => Result<PreparedCall, string>;
};

/** Read in when it is first called: until then its spec is all that a run needs. */
export type LazyTool = { readonly spec: ToolSpec; readonly load: () => Promise<Tool> };

/** A call with validated arguments: what was judged is what runs. */
export type PreparedCall = {
  readonly need: Need | undefined;
  readonly execute: (context: ToolContext) => Promise<ToolOutput>;
  /** The same call on something else, where a person may change what it is about. */
  readonly withSubject?: (subject: string) => PreparedCall;
  /** Has to be asked first, where there is one: the call to judge and run instead. */
  readonly settle?: (access: FileAccess, signal: AbortSignal) => Promise<Settled>;
};

export type Settled =
  | { readonly type: "ready"; readonly call: PreparedCall }
  /** Policy forbids it, whoever would approve. */
  | { readonly type: "denied"; readonly subject: string; readonly reason: string }
  | { readonly type: "failed"; readonly message: string };

export const toolFailure = (message: string): ToolOutput => ({
  result: { error: message },
  summary: message,
  isError: true,
});

export const toolCrashed = (error: unknown): string =>
  `The tool failed: ${error instanceof Error ? error.message : String(error)}`;

/** The tools of a run. Names are looked up exactly, in a map that has no prototype to fall back on. */
export type Toolset = {
  readonly specs: readonly ToolSpec[];
  readonly get: (name: string) => Promise<Tool | undefined>;
};

export function toolset(tools: readonly (Tool | LazyTool)[]): Toolset {
  const byName = new Map(tools.map((tool) => [tool.spec.name, tool]));
  const loaded = async (name: string): Promise<Tool | undefined> => {
    const tool = byName.get(name);
    return tool && "load" in tool ? tool.load() : tool;
  };
  const aliased = async (name: string): Promise<Tool | undefined> => {
    const tool = await loaded(aliasOf(name) ?? "");
    if (tool === undefined) return undefined;
    const content = [...(tool.content ?? []), ...(tool.content ? CONTENT_OF_ALIASES : [])];
    const restores = [...(tool.restores ?? []), ...CONTENT_OF_ALIASES];
    return { ...tool, content, restores, prepare: (args) => tool.prepare(adapted(args)) };
  };
  return {
    specs: tools.map((tool) => tool.spec),
    get: async (name) => (await loaded(name)) ?? aliased(name),
  };
}
