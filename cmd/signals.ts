import { ignoresHangup } from "../adapters/host/hangup.ts";

/** The exit code that a signal stands for; 141: whoever read the output has left. */
export type SignalCode = 130 | 141 | 143;

export type Signals = {
  /** From now on signals are his; the one before has none any more. */
  readonly takenBy: (onSignal: (code: SignalCode) => void) => void;
  readonly release: () => void;
};

/** Listens from the first moment on, so that no signal finds nobody at home. */
export function catchSignals(first: (code: SignalCode) => void): Signals {
  let onSignal = first;
  const onInterrupt = () => onSignal(130);
  const onTerminate = () => onSignal(143);
  process.on("SIGINT", onInterrupt);
  process.on("SIGTERM", onTerminate);
  if (!ignoresHangup()) process.on("SIGHUP", onTerminate);
  return {
    takenBy: (next) => {
      onSignal = next;
    },
    release: () => {
      process.off("SIGINT", onInterrupt);
      process.off("SIGTERM", onTerminate);
      process.off("SIGHUP", onTerminate);
    },
  };
}

/** In the words of the last line on stderr; nobody is left to read it when the reader has gone. */
export const signalWords = (code: SignalCode): string => (code === 143 ? "Terminated" : "Interrupted");
