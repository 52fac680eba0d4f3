import { readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";
import { errnoOf } from "./errno.ts";

/** Tells one process from every other, also from a later one with the same number. */
export type ProcessStamp = {
  readonly pid: number;
  /** When it began, in a spelling of the system's own; empty where that is unknown. */
  readonly started: string;
  /** The machine or container whose process numbers these are. */
  readonly place: string;
};

export const ownStamp = (): ProcessStamp => ({
  pid: process.pid,
  started: startOf(process.pid),
  place: placeHere(),
});

/** `unknown`: it is, or was, on another machine or in another container. */
export function stateOf({ pid, started, place }: ProcessStamp): "running" | "ended" | "unknown" {
  if (place !== placeHere()) return "unknown";
  if (!exists(pid)) return "ended";
  const now = startOf(pid);
  return started !== "" && now !== "" && now !== started ? "ended" : "running";
}

function exists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return errnoOf(error) !== "ESRCH"; // EPERM: it runs, as another user
  }
}

function startOf(pid: number): string {
  if (process.platform === "win32") return "";
  if (process.platform !== "linux") {
    const ps = Bun.spawnSync(["/bin/ps", "-o", "lstart=", "-p", String(pid)], { env: { LC_ALL: "C" } });
    return ps.stdout.toString().trim();
  }
  const stat = textOf(`/proc/${pid}/stat`);
  // The second field is the program's name in brackets, and may hold anything, brackets too.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  if (fields[0] === "Z" || fields[0] === "X") return "ended";
  return fields[19] ? `${textOf("/proc/sys/kernel/random/boot_id").trim()}/${fields[19]}` : "";
}

function placeHere(): string {
  if (process.platform !== "linux") return hostname();
  try {
    return `${hostname()}/${readlinkSync("/proc/self/ns/pid")}`;
  } catch {
    return hostname(); // no /proc here: the name of the machine has to do
  }
}

function textOf(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return ""; // ended since, or no /proc here: unknown either way
  }
}
