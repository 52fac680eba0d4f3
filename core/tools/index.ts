import type { Extension } from "../extension.ts";
import type { Web } from "../ports/web.ts";
import type { LazyTool, Tool } from "../tool.ts";
import { builtinSpecs } from "./specs.ts" with { type: "macro" };

const SPECS = builtinSpecs();

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
export function builtinTools(switches: ToolSwitches): readonly LazyTool[] {
  return [
    ...(switches.shell ? [lazy("run_shell", async () => (await import("./run-shell.ts")).runShellTool)] : []),
    ...(switches.files ? fileTools() : []),
    ...(switches.web ? webTools(switches.web) : []),
    lazy("time", async () => (await import("./time.ts")).timeTool),
  ];
}

const fileTools = (): readonly LazyTool[] => [
  lazy("read_file", async () => (await import("./read-file.ts")).readFileTool),
  lazy("write_file", async () => (await import("./write-file.ts")).writeFileTool),
  lazy("edit_file", async () => (await import("./edit-file.ts")).editFileTool),
];

const webTools = ({ web, fetch, searchEndpoint }: WebSwitches): readonly LazyTool[] => [
  ...(fetch ? [lazy("fetch_url", async () => (await import("./fetch-url.ts")).fetchUrlTool(web))] : []),
  ...(searchEndpoint === undefined
    ? []
    : [lazy("web_search", async () => (await import("./web-search.ts")).webSearchTool(web, searchEndpoint))]),
];

function lazy(name: string, load: () => Promise<Tool>): LazyTool {
  const spec = SPECS[name];
  if (spec === undefined) throw new Error(`core/tools/specs.ts does not list "${name}"`);
  return { spec, load };
}
