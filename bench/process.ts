import { closeSync, openSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { clockMs } from "./clock.ts";

/** Where measured programs run: a directory of their own that is also their home, with nothing inherited. */
export type Place = { readonly dir: string; readonly env: Readonly<Record<string, string>> };

export type Ran = {
  readonly startedAtMs: number;
  readonly wallMs: number;
  readonly cpuMs: number;
  readonly stdout: string;
};

const TIMEOUT_MS = 20_000;

/** Runs a program to its end. Output goes to files, so that reading it costs nobody time. Throws if it fails. */
export function runProgram(argv: readonly string[], place: Place): Ran {
  const out = join(place.dir, "stdout");
  const errors = join(place.dir, "stderr");
  const fds = [openSync(out, "w"), openSync(errors, "w")] as const;
  try {
    const startedAtMs = clockMs();
    const ran = Bun.spawnSync([...argv], {
      cwd: place.dir,
      env: { ...place.env },
      stdin: "ignore",
      stdout: fds[0],
      stderr: fds[1],
      timeout: TIMEOUT_MS,
    });
    const wallMs = clockMs() - startedAtMs;
    if (ran.exitCode !== 0) throw new Error(explain(argv, ran.exitCode, readFileSync(errors, "utf8")));
    const cpuMs = Number(ran.resourceUsage?.cpuTime.total ?? 0) / 1000;
    return { startedAtMs, wallMs, cpuMs, stdout: readFileSync(out, "utf8") };
  } finally {
    for (const fd of fds) closeSync(fd);
  }
}

/** The peak resident memory of a program, in bytes: see launch.ts. */
export function peakMemory(argv: readonly string[], place: Place): number {
  const launcher = join(import.meta.dir, "launch.ts");
  return Number(runProgram([process.execPath, launcher, ...argv], place).stdout);
}

function explain(argv: readonly string[], code: number | null, stderr: string): string {
  const how = code === null ? `did not end within ${TIMEOUT_MS} ms` : `failed with exit code ${code}`;
  return `${argv.slice(0, 2).join(" ")} ${how}: ${stderr.trim().split("\n").slice(-3).join(" | ")}`;
}
