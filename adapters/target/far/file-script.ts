import type { FileFailure } from "../../../core/ports/target.ts";
import { err, ok, type Result } from "../../../core/result.ts";
import type { FarSide, Script } from "./far-side.ts";
import type { Session } from "./sessions.ts";

export type FileScript = Omit<Script, "words"> & {
  /** Behind the sign that begins the answer. */
  readonly words: readonly string[];
};

/** A script with its answer, as long as somebody wants it. What `work` returns was read to the end. */
export async function withScript<T>(
  far: FarSide,
  script: FileScript,
  work: (session: Session, sign: string) => Promise<T | undefined>,
  signal: AbortSignal,
): Promise<Result<T, FileFailure>> {
  const sign = crypto.randomUUID();
  const started = await far.script({ ...script, words: [sign, ...script.words] }, signal);
  if (!started.ok) return err(failed(started.error));
  const { session, free } = started.value;
  const onAbort = () => session.killNow();
  signal.addEventListener("abort", onAbort, { once: true });
  if (signal.aborted) onAbort();
  const done = await work(session, sign);
  signal.removeEventListener("abort", onAbort);
  signal.throwIfAborted();
  if (done === undefined) return err(failed(far.gone()));
  free();
  return ok(done);
}

export const failed = (detail: string, kind: FileFailure["kind"] = "other"): FileFailure => ({
  type: "failed",
  kind,
  detail,
});
