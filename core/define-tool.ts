import { toJsonSchema } from "@valibot/to-json-schema";
import * as v from "valibot";
import type { JsonObject } from "./json.ts";
import type { FileAccess } from "./locate-file.ts";
import { err, ok } from "./result.ts";
import {
  type Need,
  type PreparedCall,
  type Settled,
  type Tool,
  type ToolContext,
  type ToolOutput,
  toolFailure,
} from "./tool.ts";

// How a tool is written. Apart from tool.ts, because a run that calls no tool does without schemas.

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
  /** Top-level arguments that stay on the target: secrets that the model has only placeholders of are put back there. */
  readonly restores?: readonly string[];
  readonly execute: (args: v.InferOutput<S>, context: ToolContext) => Promise<ToolOutput>;
  /** The arguments with another subject, for a tool whose calls a person may change before they run. */
  readonly edit?: (args: v.InferOutput<S>, subject: string) => v.InferOutput<S>;
};

/** How a tool is written whose call can be judged only when the target was looked at. */
export type FileToolDefinition<S extends Schema> = Omit<ToolDefinition<S>, "needs" | "execute"> & {
  /** Top-level arguments that hold what a file holds: any character but NUL. */
  readonly content?: readonly string[];
  readonly settle: (args: v.InferOutput<S>, access: FileAccess, signal: AbortSignal) => Promise<Settled>;
};

export function defineTool<S extends Schema>(definition: ToolDefinition<S>): Tool {
  const { edit } = definition;
  const prepared = (args: v.InferOutput<S>): PreparedCall => ({
    need: definition.needs(args),
    execute: (context) => definition.execute(args, context),
    ...(edit ? { withSubject: (subject) => prepared(edit(args, subject)) } : {}),
  });
  const tool = toolOf(definition, prepared);
  return definition.restores ? { ...tool, restores: definition.restores } : tool;
}

export function defineFileTool<S extends Schema>(definition: FileToolDefinition<S>): Tool {
  const { content = [], settle } = definition;
  const tool = toolOf(definition, (args) => ({
    need: undefined,
    execute: async () => toolFailure("The path was not looked at"),
    settle: (access, signal) => settle(args, access, signal),
  }));
  return { ...tool, content, restores: content };
}

function toolOf<S extends Schema>(
  {
    name,
    description,
    schema,
    parallel,
  }: Pick<ToolDefinition<S>, "name" | "description" | "schema" | "parallel">,
  call: (args: v.InferOutput<S>) => PreparedCall,
): Tool {
  return {
    spec: { name, description, parameters: parametersOf(schema) },
    parallel,
    prepare: (args) => {
      const parsed = v.safeParse(schema, args);
      return parsed.success ? ok(call(parsed.output)) : err(explainIssues(parsed.issues));
    },
  };
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
