import * as v from "valibot";
import { corpusRows } from "./corpus.ts";

const step = v.union([
  v.object({ symlink: v.string(), to: v.string() }),
  v.object({ mkdir: v.string(), mode: v.optional(v.string()) }),
  v.object({ mkfifo: v.string() }),
]);

/** The corpus of paths that a model asks to read or write. */
export const pathRows = () =>
  corpusRows(
    "write-paths",
    v.object({
      id: v.string(),
      why: v.string(),
      tool: v.string(),
      input: v.string(),
      expected: v.picklist(["allow", "block"]),
      context: v.object({
        home: v.nullable(v.string()),
        cwd: v.string(),
        allow_roots: v.array(v.string()),
        setup: v.array(step),
      }),
    }),
  );
