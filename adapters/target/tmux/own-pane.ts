import type { Panes } from "../../../core/ports/panes.ts";
import { err, ok } from "../../../core/result.ts";
import { MANAGED } from "./ensure-session.ts";
import { ownWindow } from "./own-window.ts";

/** The window of a pane of this machine, on its own server. */
export const windowOf = (socket: string, pane: string): Panes =>
  ownWindow(pane, async (line) => {
    const argv = ["/bin/sh", "-c", `exec tmux -u -S "$0" ${line}`, socket];
    const child = Bun.spawn(argv, { stdin: "ignore", stdout: "pipe", stderr: "pipe" });
    const [said, complaint, code] = await Promise.all([
      child.stdout.text(),
      child.stderr.text(),
      child.exited,
    ]);
    return code === 0 ? ok(said) : err(complaint.trim());
  });

/** Whether a pane of this machine is one that buddy made. */
export function isManagedPane(socket: string, pane: string): boolean {
  const argv = ["tmux", "-S", socket, "show-options", "-pqv", "-t", pane, MANAGED];
  try {
    return Bun.spawnSync(argv, { stdin: "ignore", stderr: "ignore" }).stdout.toString().trim() === "1";
  } catch {
    return false; // no tmux here any more
  }
}
