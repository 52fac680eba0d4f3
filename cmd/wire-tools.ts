import type { UserPaths } from "../adapters/config/paths.ts";
import { reasonOf } from "../adapters/host/errno.ts";
import { MAX_SENT_BYTES, spillElsewhere } from "../adapters/store/spill-elsewhere.ts";
import { spillFiles } from "../adapters/store/spill-files.ts";
import type { Config } from "../core/config/schema.ts";
import type { Sink } from "../core/event.ts";
import type { FileRules } from "../core/locate-file.ts";
import type { ShellRules } from "../core/policy/shell/judge.ts";
import type { Target } from "../core/ports/target.ts";
import { err } from "../core/result.ts";
import type { ToolServices } from "../core/tool.ts";

export type WiredServices = {
  readonly services: ToolServices;
  readonly sink: Sink;
  readonly close: () => void;
};

export type ToolPlace = {
  readonly target: Target;
  /** Where the user's own things are on the target. */
  readonly paths: UserPaths;
  /** Where long outputs are kept on it; nothing: here, beside the session. */
  readonly keepIn: string | undefined;
};

/** What tools share besides the target. Nothing is opened before it is needed. */
export function toolServices(
  { tools }: Pick<Config, "tools">,
  { target, paths, keepIn }: ToolPlace,
  secrets: readonly string[],
): WiredServices {
  const { spill, sink, close } = spillFiles(secrets, keepIn === undefined ? undefined : MAX_SENT_BYTES);
  return {
    services: {
      files: fileRules({ tools }, paths),
      spill: keepIn === undefined ? spill : spillElsewhere(spill, keepIn, sendTo(target)),
      fitImage: async (bytes) => (await import("../adapters/image/fit-image.ts")).fitImage(bytes),
    },
    sink,
    close,
  };
}

const SEND_MS = 30_000;

const sendTo = (target: Target) => async (path: string, bytes: Uint8Array) => {
  const signal = AbortSignal.timeout(SEND_MS);
  try {
    const real = await target.resolvePath(path, signal);
    const sent = real.ok ? await target.writeFile(real.value, bytes, { mode: 0o600 }, signal) : real;
    return sent.ok ? sent : err(sent.error.detail);
  } catch (error) {
    return err(reasonOf(error));
  }
};

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
