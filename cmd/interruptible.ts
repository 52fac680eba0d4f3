import { type Failure, failure } from "../core/failure.ts";
import { err, type Result } from "../core/result.ts";
import { EXIT_CODES } from "./exit.ts";
import { catchSignals, type SignalCode, signalWords } from "./signals.ts";

export type Interruptible<T> = {
  readonly result: Result<T, Failure>;
  /** Of a failure: a signal decides it, else its class. */
  readonly exitCode: number;
};

/** Runs work that signals cancel. */
export async function interruptible<T>(
  work: (signal: AbortSignal) => Promise<Result<T, Failure>>,
): Promise<Interruptible<T>> {
  const controller = new AbortController();
  let code: SignalCode | undefined;
  const signals = catchSignals((caught) => {
    code ??= caught;
    controller.abort(new Error(signalWords(caught)));
  });
  const ended = (result: Result<T, Failure>): Interruptible<T> => ({
    result,
    exitCode: result.ok ? 0 : (code ?? EXIT_CODES[result.error.class]),
  });
  try {
    return ended(await work(controller.signal));
  } catch (error) {
    if (code === undefined) throw error;
    return ended(err(failure("interrupted", signalWords(code))));
  } finally {
    signals.release();
  }
}
