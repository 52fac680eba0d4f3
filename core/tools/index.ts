import type { Extension } from "../extension.ts";
import type { Web } from "../ports/web.ts";
import type { Tool } from "../tool.ts";
import { editFileTool } from "./edit-file.ts";
import { fetchUrlTool } from "./fetch-url.ts";
import { readFileTool } from "./read-file.ts";
import { runShellTool } from "./run-shell.ts";
import { timeTool } from "./time.ts";
import { webSearchTool } from "./web-search.ts";
import { writeFileTool } from "./write-file.ts";

export type ToolSwitches = {
  readonly shell: boolean;
  readonly files: boolean;
  readonly web?: WebSwitches;
};

export type WebSwitches = {
  readonly web: Web;
  readonly fetch: boolean;
  /** Where searches go; undefined: no search. */
  readonly searchEndpoint: string | undefined;
};

/** What buddy can do by itself, in the shape of everything that is added to it. */
export const builtinExtension = (switches: ToolSwitches): Extension => ({
  name: "builtin",
  tools: builtinTools(switches),
});

/** The built-in tools that the configuration turns on. */
export function builtinTools(switches: ToolSwitches): readonly Tool[] {
  return [
    ...(switches.shell ? [runShellTool] : []),
    ...(switches.files ? [readFileTool, writeFileTool, editFileTool] : []),
    ...(switches.web ? webTools(switches.web) : []),
    timeTool,
  ];
}

const webTools = ({ web, fetch, searchEndpoint }: WebSwitches): readonly Tool[] => [
  ...(fetch ? [fetchUrlTool(web)] : []),
  ...(searchEndpoint === undefined ? [] : [webSearchTool(web, searchEndpoint)]),
];
