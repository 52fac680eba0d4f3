import { type Failure, failure } from "../core/failure.ts";
import { err, type Result } from "../core/result.ts";

/** Runs work that SIGINT and SIGTERM cancel. */
export async function interruptible<T>(
  work: (signal: AbortSignal) => Promise<Result<T, Failure>>,
): Promise<Result<T, Failure>> {
  const controller = new AbortController();
  const onSignal = () => controller.abort(new Error("Interrupted"));
  process.on("SIGINT", onSignal);
  process.on("SIGTERM", onSignal);
  try {
    return await work(controller.signal);
  } catch (error) {
    if (!controller.signal.aborted) throw error;
    return err(failure("interrupted", "Interrupted"));
  } finally {
    process.off("SIGINT", onSignal);
    process.off("SIGTERM", onSignal);
  }
}
