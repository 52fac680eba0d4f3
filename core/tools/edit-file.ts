import * as v from "valibot";
import { defineFileTool } from "../define-tool.ts";
import { applyEdits } from "../edit-text.ts";
import { err, ok, type Result } from "../result.ts";
import type { Tool } from "../tool.ts";
import { changeCall, findFile, linesChanged } from "./file-change.ts";
import { FILE_PATH } from "./write-file.ts";

export const editFileTool: Tool = defineFileTool({
  name: "edit_file",
  description:
    "Changes parts of a text file. Each `search` must be in the file exactly once, copied word for word with enough " +
    "lines around it to be unique; all searches are looked up in the file as it is now. Either all edits are made or " +
    "none. To replace a whole file use write_file. " +
    'Example: {"path":"a.ts","edits":[{"search":"let a = 1;","replace":"const a = 1;"}]}',
  schema: v.object({
    path: FILE_PATH,
    edits: v.pipe(
      v.array(
        v.object({
          search: v.pipe(
            v.string(),
            v.nonEmpty("is empty: give the text to replace, or use write_file for a new file"),
            v.description("Text of the file, once in it"),
          ),
          replace: v.pipe(v.string(), v.description("What stands there instead; empty: nothing")),
        }),
      ),
      v.minLength(1, "needs at least one edit"),
      v.maxLength(200, "has more than 200 edits"),
    ),
  }),
  parallel: false,
  content: ["edits"],
  settle: async ({ path: given, edits }, access, signal) => {
    const found = await findFile(access, given, signal);
    if (!found.ok) return found.error;
    const { path, bytes } = found.value;
    const failed = (why: string) => ({ type: "failed", message: `Cannot edit "${given}": ${why}` }) as const;
    if (bytes === undefined) return failed("no such file. Make it with write_file");
    const text = textOf(bytes);
    if (!text.ok) return failed(text.error);
    const edited = applyEdits(text.value, edits);
    if (!edited.ok) return failed(`${edited.error}. Nothing was changed`);
    const { text: after, notices } = edited.value;
    return changeCall({
      path,
      bytes,
      given,
      after: new TextEncoder().encode(after),
      report: (_written, counts) => ({
        result: {
          path,
          edits: edits.length,
          lines_added: counts.added,
          lines_removed: counts.removed,
          ...(notices.length > 0 ? { notices } : {}),
        },
        summary: linesChanged(counts),
        isError: false,
      }),
    });
  },
});

/** What is not text cannot be written back as it was. */
function textOf(bytes: Uint8Array): Result<string, string> {
  if (bytes.includes(0)) return err("it is binary");
  try {
    return ok(new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes));
  } catch {
    return err("it is not UTF-8. Use run_shell");
  }
}
