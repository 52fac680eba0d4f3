import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Why suites with a real tmux cannot run here, if so. */
export const noTmux: string | undefined = Bun.which("tmux") === null ? "tmux is not installed" : undefined;

export type TmuxServer = Disposable & {
  /** What programs need to find this server and no other. */
  readonly env: Readonly<Record<string, string>>;
  readonly dir: string;
  /** Runs tmux on it and gives what it says. */
  readonly tmux: (...args: readonly string[]) => string;
};

/** A server of a test's own; it ends with the scope. */
export function tmuxServer(shell = "/bin/bash"): TmuxServer {
  const dir = mkdtempSync(join(tmpdir(), "buddy-tmux-"));
  const env = {
    PATH: process.env.PATH ?? "",
    TMUX_TMPDIR: dir,
    SHELL: shell,
    LANG: "C.UTF-8",
    LC_ALL: "C.UTF-8",
  };
  const tmux = (...args: readonly string[]): string =>
    Bun.spawnSync(["tmux", "-f", "/dev/null", ...args], { env, stdin: "ignore" }).stdout.toString();
  return {
    env,
    dir,
    tmux,
    [Symbol.dispose]: () => {
      tmux("kill-server");
      rmSync(dir, { recursive: true, force: true });
    },
  };
}
