import type { UserPaths } from "../adapters/config/paths.ts";
import { spillFiles } from "../adapters/store/spill-files.ts";
import type { Config } from "../core/config/schema.ts";
import type { Sink } from "../core/event.ts";
import type { FileRules } from "../core/locate-file.ts";
import type { ShellRules } from "../core/policy/shell/judge.ts";
import type { ToolServices } from "../core/tool.ts";

export type WiredServices = {
  readonly services: ToolServices;
  readonly sink: Sink;
  readonly close: () => void;
};

/** What tools share besides the target. Nothing is opened before it is needed. */
export function toolServices(
  { tools }: Pick<Config, "tools">,
  paths: UserPaths,
  secrets: readonly string[],
): WiredServices {
  const { spill, sink, close } = spillFiles(secrets);
  return {
    services: {
      files: fileRules({ tools }, paths),
      spill,
      fitImage: async (bytes) => (await import("../adapters/image/fit-image.ts")).fitImage(bytes),
    },
    sink,
    close,
  };
}

export const fileRules = (
  { tools }: Pick<Config, "tools">,
  { home, configDir, stateDir }: UserPaths,
): FileRules => ({
  home,
  allowedPaths: tools.files_allowed_paths,
  ownPaths: [configDir, stateDir].filter((path) => path !== undefined),
});

/** Without a home of its own, "~" may still be the superuser's. */
export const shellRules = ({ tools }: Pick<Config, "tools">, { home = "/root" }: UserPaths): ShellRules => ({
  home,
  denylist: tools.shell_denylist,
});
