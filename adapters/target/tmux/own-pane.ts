import { MANAGED } from "./ensure-session.ts";

/** Whether a pane of this machine is one that buddy made. */
export function isManagedPane(socket: string, pane: string): boolean {
  const argv = ["tmux", "-S", socket, "show-options", "-pqv", "-t", pane, MANAGED];
  try {
    return Bun.spawnSync(argv, { stdin: "ignore", stderr: "ignore" }).stdout.toString().trim() === "1";
  } catch {
    return false; // no tmux here any more
  }
}
