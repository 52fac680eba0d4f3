import { describe } from "bun:test";
import { existsSync } from "node:fs";

/** Where a program is, also one that is kept out of the path of plain users. */
export const findProgram = (name: string): string | undefined =>
  Bun.which(name) ?? ["/usr/sbin", "/sbin"].map((dir) => `${dir}/${name}`).find(existsSync);

/** Suites that need real programs. Where one is absent they are left out, and it is said why. */
export function withPrograms(what: string, programs: readonly string[], suites: () => void): void {
  const missing = programs.filter((name) => findProgram(name) === undefined);
  if (missing.length === 0) {
    suites();
    return;
  }
  console.warn(`Skipped: ${what}: ${missing.join(", ")} not installed (scripts/system-packages.sh)`);
  describe.skip(what, suites);
}

/** Runs a program to its end; what it says is in the error when it fails. */
export async function mustRun(
  argv: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<string> {
  const child = Bun.spawn([...argv], {
    env: { PATH: process.env.PATH ?? "", HOME: "/nonexistent", ...env },
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  });
  const [stdout, stderr, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  if (code !== 0) throw new Error(`${argv.join(" ")} ended with ${code}: ${stderr}${stdout}`);
  return stdout.trim();
}
