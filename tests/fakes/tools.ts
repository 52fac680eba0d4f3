import * as v from "valibot";
import { defineTool } from "../../core/define-tool.ts";
import type { JsonObject } from "../../core/json.ts";
import { type Tool, type ToolOutput, toolFailure } from "../../core/tool.ts";

/** Answers with the text it was given; safe beside others. */
export const echoTool: Tool = defineTool({
  name: "echo",
  description: "Says the text again",
  schema: v.object({ text: v.string() }),
  parallel: true,
  needs: () => undefined,
  execute: async ({ text }) => output({ echoed: text }),
});

/** Fails with the reason it was given. */
export const failTool: Tool = defineTool({
  name: "fail",
  description: "Fails",
  schema: v.object({ reason: v.string() }),
  parallel: false,
  needs: () => undefined,
  execute: async ({ reason }) => toolFailure(reason),
});

/** Breaks, as a tool with a bug does. */
export const crashTool: Tool = defineTool({
  name: "crash",
  description: "Throws",
  schema: v.object({}),
  parallel: false,
  needs: () => undefined,
  execute: async () => {
    throw new Error("a bug in the tool");
  },
});

/** Needs permission; `done` holds what it did to the world. */
export function actTool(done: string[], mode: "in order" | "parallel" = "in order"): Tool {
  return defineTool({
    name: "act",
    description: "Does something to the world",
    schema: v.object({ what: v.string() }),
    parallel: mode === "parallel",
    needs: ({ what }) => needFor(what),
    execute: async ({ what }) => {
      done.push(what);
      return output({ did: what });
    },
    edit: (args, what) => ({ ...args, what }),
  });
}

export const needFor = (subject: string) =>
  ({ kind: "shell", subject, risk: "low", mutation: true, privesc: false, why: "a test" }) as const;

export const output = (result: JsonObject, summary = "done"): ToolOutput => ({
  result,
  summary,
  isError: false,
});

export type Gates = {
  readonly tool: Tool;
  /** `+name` when a call starts, `-name` when it ends. */
  readonly trace: readonly string[];
  /** Lets the named call end. */
  readonly open: (name: string) => void;
  /** Settles when the named call has started. */
  readonly reached: (name: string) => Promise<void>;
};

/** A tool `gate` whose calls run until they are let go, or until they are aborted. */
export function gateTool(setup: { readonly parallel: boolean }): Gates {
  const trace: string[] = [];
  const opening = latches();
  const reaching = latches();
  const tool = defineTool({
    name: "gate",
    description: "Waits",
    schema: v.object({ name: v.string() }),
    parallel: setup.parallel,
    needs: () => undefined,
    execute: async ({ name }, { signal, emit }) => {
      trace.push(`+${name}`);
      emit({ type: "info", text: `${name} waits` });
      reaching.release(name);
      signal.throwIfAborted();
      await new Promise<void>((resolve, reject) => {
        signal.addEventListener("abort", () => reject(signal.reason), { once: true });
        opening.released(name).then(resolve);
      });
      trace.push(`-${name}`);
      return output({ passed: name });
    },
  });
  return { tool, trace, open: opening.release, reached: reaching.released };
}

/** Promises by name that are resolved from outside, before or after someone waits for them. */
function latches() {
  const made = new Map<string, PromiseWithResolvers<void>>();
  const latch = (name: string) => {
    const found = made.get(name) ?? Promise.withResolvers<void>();
    made.set(name, found);
    return found;
  };
  return {
    release: (name: string) => latch(name).resolve(),
    released: (name: string) => latch(name).promise,
  };
}
