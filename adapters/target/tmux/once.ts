import { err, ok, type Result } from "../../../core/result.ts";
import type { Transport } from "../transport/transport.ts";

/** Runs a small script on the target and gives what it said; it must end by itself. */
export async function runScript(
  transport: Transport,
  script: string,
  args: readonly string[],
): Promise<Result<string, string>> {
  const started = transport.start(["/bin/sh", "-c", script, "buddy", ...args]);
  if (!started.ok) return started;
  const { stdout, stderr, exited } = started.value;
  const [out, said, end] = await Promise.all([
    new Response(stdout).text(),
    new Response(stderr).text(),
    exited,
  ]);
  return end.code === 0 ? ok(out) : err(said.trim().slice(0, 500) || `exit ${end.code ?? end.signal}`);
}
