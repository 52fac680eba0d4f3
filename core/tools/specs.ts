import type { ToolSpec } from "../ports/model.ts";
import type { Web } from "../ports/web.ts";
import { err } from "../result.ts";
import { capturePaneTool } from "./capture-pane.ts";
import { editFileTool } from "./edit-file.ts";
import { fetchUrlTool } from "./fetch-url.ts";
import { readFileTool } from "./read-file.ts";
import { runShellTool } from "./run-shell.ts";
import { sendKeysTool } from "./send-keys.ts";
import { timeTool } from "./time.ts";
import { tmuxTools } from "./tmux-manage.ts";
import { webSearchTool } from "./web-search.ts";
import { writeFileTool } from "./write-file.ts";

/**
 * What the model is told of each built-in tool. Called while the program is compiled, as a macro: turning schemas into
 * JSON is work that a run does not do again.
 */
export const builtinSpecs = (): Readonly<Record<string, ToolSpec>> =>
  Object.fromEntries(
    [
      runShellTool,
      readFileTool,
      writeFileTool,
      editFileTool,
      fetchUrlTool(NO_WEB),
      webSearchTool(NO_WEB, ""),
      capturePaneTool(),
      sendKeysTool,
      ...tmuxTools(),
      timeTool,
    ].map(({ spec }) => [spec.name, spec]),
  );

const unreachable = async () =>
  err({ kind: "unreachable", detail: "There is no web while compiling" } as const);
const NO_WEB: Web = { fetch: unreachable, search: unreachable };
