import { reasonOf } from "../adapters/host/errno.ts";
import type { Output } from "../adapters/host/output.ts";
import { type Failure, type FailureClass, failure } from "../core/failure.ts";
import { oneLine } from "../core/sanitize.ts";

/** One code for each class of failure; scripts rely on them. */
export const EXIT_CODES: Readonly<Record<FailureClass, number>> = {
  internal: 1,
  usage: 2,
  auth: 3,
  approval: 4,
  model: 5,
  limit: 6,
  context: 7,
  target: 8,
  schema: 9,
  interrupted: 130,
};

/** `buddy: what happened`, then `hint: what to do`. */
export function errorLines({ message, hint }: Pick<Failure, "message" | "hint">): string {
  const lines = [`buddy: ${oneLine(message, 2000)}`, ...(hint ? [`hint: ${oneLine(hint, 500)}`] : [])];
  return `${lines.join("\n")}\n`;
}

export const warningLine = (message: string): string => `buddy: warning: ${oneLine(message, 2000)}\n`;

/** A bug of ours. */
export const unexpected = (error: unknown): Failure =>
  failure("internal", `Unexpected failure: ${reasonOf(error)}`, {
    hint: "this is a bug; please report it with the output of the same command and -v",
  });

/** Says it and returns its exit code. */
export function reportFailure(why: Failure, stderr: Output): number {
  stderr.write(errorLines(why));
  return EXIT_CODES[why.class];
}
