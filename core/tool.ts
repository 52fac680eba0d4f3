import { toJsonSchema } from "@valibot/to-json-schema";
import * as v from "valibot";
import type { JsonObject } from "./json.ts";
import type { Part } from "./message.ts";
import type { Host } from "./ports/host.ts";
import type { ToolSpec } from "./ports/model.ts";
import type { Target } from "./ports/target.ts";
import { err, ok, type Result } from "./result.ts";

/** What a call wants to do to the world, for policy, approval and the record. */
export type Need = {
  readonly kind: "shell";
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
  readonly isError: boolean;
};

export type ToolProgress = { readonly type: "stdout_chunk" | "stderr_chunk" | "info"; readonly text: string };

export type ToolContext = {
  readonly callId: string;
  readonly signal: AbortSignal;
  readonly target: Target;
  readonly host: Host;
  readonly limits: ToolLimits;
  readonly emit: (progress: ToolProgress) => void;
};

export type ToolLimits = {
  readonly shellTimeoutMs: number;
  /** Characters of text that one result may put into the conversation: command output, and everything else. */
  readonly shellChars: number;
  readonly textChars: number;
};

type Schema = v.GenericSchema<unknown, unknown>;

/** How a tool is written: arguments are typed by its schema. */
export type ToolDefinition<S extends Schema> = {
  readonly name: string;
  /** What it is for, when not to use it, one example. */
  readonly description: string;
  readonly schema: S;
  /** Safe to run beside other calls of the same turn. */
  readonly parallel: boolean;
  /** What permission the call needs; nothing when it needs none. */
  readonly needs: (args: v.InferOutput<S>) => Need | undefined;
  readonly execute: (args: v.InferOutput<S>, context: ToolContext) => Promise<ToolOutput>;
};

/** How the loop sees a tool, wherever it comes from. */
export type Tool = {
  readonly spec: ToolSpec;
  readonly parallel: boolean;
  /** Validated arguments, or what is wrong with them in words for the model. */
  readonly prepare: (args: unknown) => Result<PreparedCall, string>;
};

/** A call with validated arguments: what was judged is what runs. */
export type PreparedCall = {
  readonly need: Need | undefined;
  readonly execute: (context: ToolContext) => Promise<ToolOutput>;
};

export function defineTool<S extends Schema>(definition: ToolDefinition<S>): Tool {
  const { name, description, schema } = definition;
  return {
    spec: { name, description, parameters: parametersOf(schema) },
    parallel: definition.parallel,
    prepare: (args) => {
      const parsed = v.safeParse(schema, args);
      if (!parsed.success) return err(explainIssues(parsed.issues));
      const { output } = parsed;
      return ok({
        need: definition.needs(output),
        execute: (context) => definition.execute(output, context),
      });
    },
  };
}

export const toolFailure = (message: string): ToolOutput => ({
  result: { error: message },
  summary: message,
  isError: true,
});

/** The tools of a run. Names are looked up exactly, in a map that has no prototype to fall back on. */
export type Toolset = {
  readonly specs: readonly ToolSpec[];
  readonly get: (name: string) => Tool | undefined;
};

export function toolset(tools: readonly Tool[]): Toolset {
  const byName = new Map(tools.map((tool) => [tool.spec.name, tool]));
  return { specs: tools.map((tool) => tool.spec), get: (name) => byName.get(name) };
}

function parametersOf(schema: Schema): JsonObject {
  const { $schema, ...parameters } = toJsonSchema(schema, { errorMode: "ignore" });
  return JSON.parse(JSON.stringify(parameters));
}

function explainIssues(issues: readonly v.BaseIssue<unknown>[]): string {
  return issues
    .slice(0, 8)
    .map((issue) => `${v.getDotPath(issue) ?? "arguments"} ${wordsFor(issue)}`)
    .join("; ");
}

function wordsFor(issue: v.BaseIssue<unknown>): string {
  if (issue.input === undefined) return "is required";
  const plain = issue.message.startsWith("Invalid ")
    ? `must be ${issue.expected}, not ${issue.received}`
    : issue.message;
  return plain.replace(/^is out of range$/, "out of range");
}
