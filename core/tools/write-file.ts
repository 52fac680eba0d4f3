import * as v from "valibot";
import { defineFileTool } from "../define-tool.ts";
import type { Tool } from "../tool.ts";
import { changeCall, findFile, linesChanged, MAX_FILE_BYTES } from "./file-change.ts";

export const FILE_PATH = v.pipe(
  v.string(),
  v.nonEmpty("is required"),
  v.description("Absolute, or relative to the working directory"),
);

export const writeFileTool: Tool = defineFileTool({
  name: "write_file",
  description:
    "Writes a text file on the machine you work on: makes it, with its directories, or replaces all of it. " +
    "To change a part of a file use edit_file. " +
    'Example: {"path":"src/hello.ts","content":"export const hello = 1;\\n"}',
  schema: v.object({
    path: FILE_PATH,
    content: v.pipe(v.string(), v.description("The whole content, exactly")),
  }),
  parallel: false,
  content: ["content"],
  settle: async ({ path: given, content }, access, signal) => {
    const after = new TextEncoder().encode(content);
    if (after.length > MAX_FILE_BYTES) {
      return { type: "failed", message: `Cannot write "${given}": more than ${MAX_FILE_BYTES} bytes` };
    }
    const found = await findFile(access, given, signal);
    if (!found.ok) return found.error;
    return changeCall({
      ...found.value,
      given,
      after,
      report: ({ created }, counts) => ({
        result: { path: found.value.path, bytes: after.length, action: created ? "created" : "replaced" },
        summary: `${created ? "created" : "replaced"}, ${linesChanged(counts)}`,
        isError: false,
      }),
    });
  },
});
