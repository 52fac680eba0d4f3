import type { Envelope } from "./event.ts";
import type { JsonObject } from "./json.ts";
import type { Message } from "./message.ts";
import { type LazyTool, type Tool, type ToolOutput, type Toolset, toolset } from "./tool.ts";

/** The one shape in which buddy is extended; the built-in tools have it too. */
export type Extension = {
  readonly name: string;
  readonly tools?: readonly (Tool | LazyTool)[];
  readonly commands?: readonly ExtensionCommand[];
  readonly hooks?: Hooks;
};

/** `/name argument`, typed by the user. */
export type ExtensionCommand = {
  readonly name: string;
  readonly description: string;
  readonly argumentHint?: string;
  readonly run: (argument: string, signal: AbortSignal) => Promise<CommandOutcome>;
};

export type CommandOutcome =
  /** Is shown; the model does not see it. */
  | { readonly type: "said"; readonly text: string }
  /** Is submitted as if the user had typed it. */
  | { readonly type: "prompt"; readonly text: string };

/**
 * What an extension may do at certain moments of a run. The signal fires when the task is cancelled or the hook's time
 * is up. A hook that throws or takes too long is skipped with a warning; `beforeToolCall` blocks the call then.
 */
export type Hooks = {
  /** Nothing: the call goes on. What is changed is validated and judged anew. */
  readonly beforeToolCall?: (call: HookedCall, signal: AbortSignal) => Answer<CallVerdict | undefined>;
  /** Nothing: the output stays. Sees only calls that ran to their end. */
  readonly afterToolCall?: (
    call: HookedCall,
    output: ToolOutput,
    signal: AbortSignal,
  ) => Answer<ToolOutput | undefined>;
  /** What is sent instead, for this request only: neither the history nor the session changes. */
  readonly beforeModelCall?: (
    messages: readonly Message[],
    signal: AbortSignal,
  ) => Answer<readonly Message[] | undefined>;
  /** The run waits for it. Its first failure is its last: it is not called again. */
  readonly onEvent?: (envelope: Envelope, signal: AbortSignal) => void | Promise<void>;
  /** For each call of a hook of this extension. */
  readonly timeLimitMs?: number;
};

type Answer<T> = T | Promise<T>;

/** A call with arguments that its tool accepts. */
export type HookedCall = { readonly id: string; readonly name: string; readonly arguments: JsonObject };

export type CallVerdict =
  | { readonly type: "block"; readonly reason: string }
  | { readonly type: "change"; readonly arguments: JsonObject };

export type NamedHooks = { readonly extension: string; readonly hooks: Hooks };

export type Extensions = {
  readonly tools: Toolset;
  readonly commands: readonly ExtensionCommand[];
  /** In the order of registration. */
  readonly hooks: readonly NamedHooks[];
  readonly warnings: readonly string[];
};

/** Puts extensions together. Where two have the same name for something, the first keeps it. */
export function registerExtensions(extensions: readonly Extension[]): Extensions {
  const warnings: string[] = [];
  const names = registry("extension", warnings);
  const tools = registry("tool", warnings);
  const commands = registry("command", warnings);
  const known = extensions.filter(({ name }) => names(name, name));
  return {
    tools: toolset(known.flatMap((by) => (by.tools ?? []).filter(({ spec }) => tools(spec.name, by.name)))),
    commands: known.flatMap((by) => (by.commands ?? []).filter(({ name }) => commands(name, by.name))),
    hooks: known.flatMap(({ name, hooks }) => (hooks ? [{ extension: name, hooks }] : [])),
    warnings,
  };
}

/** Answers whether a name was still free; when it was not, that is a warning. */
function registry(kind: string, warnings: string[]): (name: string, by: string) => boolean {
  const taken = new Map<string, string>();
  return (name, by) => {
    const first = taken.get(name);
    if (first === undefined) {
      taken.set(name, by);
      return true;
    }
    const owner = first === name && kind === "extension" ? "" : ` by "${first}"`;
    warnings.push(
      `Extension "${by}": the ${kind} "${name}" is already registered${owner}; this one is left out`,
    );
    return false;
  };
}
