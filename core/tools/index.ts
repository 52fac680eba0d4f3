import type { Extension } from "../extension.ts";
import type { Web } from "../ports/web.ts";
import type { LazyTool, Tool } from "../tool.ts";
import { builtinSpecs } from "./specs.ts" with { type: "macro" };

const SPECS = builtinSpecs();

export type ToolSwitches = {
  readonly shell: boolean;
  readonly files: boolean;
  readonly web?: WebSwitches;
  /** Whether the target's shell has a screen: one of buddy's own, or the user's. */
  readonly panes?: "managed" | "users" | undefined;
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
    ...(switches.panes ? paneTools(switches.panes) : []),
    ...(switches.web ? webTools(switches.web) : []),
    lazy("time", async () => (await import("./time.ts")).timeTool),
  ];
}

const fileTools = (): readonly LazyTool[] => [
  lazy("read_file", async () => (await import("./read-file.ts")).readFileTool),
  lazy("write_file", async () => (await import("./write-file.ts")).writeFileTool),
  lazy("edit_file", async () => (await import("./edit-file.ts")).editFileTool),
];

const paneTools = (panes: "managed" | "users"): readonly LazyTool[] => [
  lazy("capture-pane", async () => (await import("./capture-pane.ts")).capturePaneTool()),
  lazy("send-keys", async () => (await import("./send-keys.ts")).sendKeysTool),
  ...(panes === "managed" ? MANAGING.map((name) => lazy(name, () => managingTool(name))) : []),
];

const MANAGING = ["tmux-create-session", "tmux-kill-session", "tmux-create-pane", "tmux-kill-pane"] as const;

async function managingTool(name: string): Promise<Tool> {
  const { tmuxTools } = await import("./tmux-manage.ts");
  const found = tmuxTools().find(({ spec }) => spec.name === name);
  if (found === undefined) throw new Error(`core/tools/tmux-manage.ts has no "${name}"`);
  return found;
}

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
