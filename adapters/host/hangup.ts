import { readFileSync } from "node:fs";

/**
 * Whether whoever started us wants no end when the terminal hangs up, as `nohup` does: a handler would undo that.
 * Only Linux says so without a system call of its own.
 */
export function ignoresHangup(): boolean {
  try {
    const ignored = /^SigIgn:\s*[0-9a-f]*([0-9a-f])$/m.exec(readFileSync("/proc/self/status", "latin1"));
    return (Number.parseInt(ignored?.[1] ?? "0", 16) & 1) === 1;
  } catch {
    return false; // no /proc here
  }
}
