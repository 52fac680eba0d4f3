import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** Processes with the marker in their environment, as those have that the run started. */
export function marked(marker: string): readonly string[] {
  return readdirSync("/proc").filter((pid) => /^\d+$/.test(pid) && has(pid, marker));
}

function has(pid: string, marker: string): boolean {
  try {
    return readFileSync(join("/proc", pid, "environ"), "latin1").includes(marker);
  } catch {
    return false; // gone, or somebody else's
  }
}
