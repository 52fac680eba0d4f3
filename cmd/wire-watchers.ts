import { systemHost } from "../adapters/host/host.ts";
import { paintFor } from "../adapters/output/paint.ts";
import type { Sink } from "../core/event.ts";
import { type Failure, failure } from "../core/failure.ts";
import { err, ok, type Result } from "../core/result.ts";
import type { Invocation } from "./command.ts";

/** Sinks that only some runs have, in front of and behind those that show the run. */
export type Watchers = { readonly before: readonly Sink[]; readonly after: readonly Sink[] };

/** The live line, the debug lines, the log file: each is loaded when it is there. */
export async function watchers(
  invocation: Invocation,
  secrets: readonly string[],
): Promise<Result<Watchers, Failure>> {
  const logs = await logSinks(invocation, secrets);
  if (!logs.ok) return logs;
  const before = await liveLine(invocation);
  if (!invocation.flags.on("verbose")) return ok({ before, after: logs.value });
  const { debugTo } = await import("../adapters/output/log.ts");
  return ok({ before, after: [debugTo(invocation.stderr), ...logs.value] });
}

/** The log file, if one is wanted. */
export async function logSinks(
  { flags, env }: Pick<Invocation, "flags" | "env">,
  secrets: readonly string[],
): Promise<Result<readonly Sink[], Failure>> {
  const path = flags.text("log-file") ?? (env.BUDDY_LOG_FILE || undefined);
  if (path === undefined) return ok([]);
  const { logTo } = await import("../adapters/output/log.ts");
  const { redactor } = await import("../core/redact.ts");
  const log = logTo(path, redactor(secrets));
  return log.ok ? ok([log.value]) : err(failure("usage", log.error));
}

/** A line that moves is for someone who watches. */
async function liveLine(invocation: Invocation): Promise<readonly Sink[]> {
  const { flags, env, stderr } = invocation;
  if (flags.on("quiet") || !env.TERM || env.TERM === "dumb" || !stderr.isTerminal()) return [];
  const { ASCII_FRAMES, FRAMES, spinner } = await import("../adapters/output/spinner.ts");
  const locale = env.LC_ALL || env.LC_CTYPE || env.LANG || "";
  return [
    spinner(stderr, {
      paint: paintFor(invocation, stderr),
      frames: /utf-?8/i.test(locale) ? FRAMES : ASCII_FRAMES,
      monotonicMs: systemHost.monotonicMs,
      every: (ms, callback) => {
        const timer = setInterval(callback, ms);
        return () => clearInterval(timer);
      },
    }),
  ];
}
