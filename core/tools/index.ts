import type { Tool } from "../tool.ts";
import { readFileTool } from "./read-file.ts";
import { runShellTool } from "./run-shell.ts";
import { timeTool } from "./time.ts";

export type ToolSwitches = { readonly shell: boolean; readonly files: boolean };

/** The built-in tools that the configuration turns on. */
export function builtinTools(switches: ToolSwitches): readonly Tool[] {
  return [...(switches.shell ? [runShellTool] : []), ...(switches.files ? [readFileTool] : []), timeTool];
}
