import type { Failure } from "../core/failure.ts";

/** One thing that was looked at. `failed`: the default setup cannot work because of it. */
export type Check = {
  readonly name: string;
  readonly status: "ok" | "warning" | "failed";
  readonly detail: string;
  readonly hint?: string;
  /** Decides the exit code of a failed one. */
  readonly class?: Failure["class"];
};
