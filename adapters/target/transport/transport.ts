import type { Result } from "../../../core/result.ts";
import type { Spawned, StartOptions } from "../../host/spawn.ts";

/** Starts programs on a target. */
export type Transport = {
  readonly summary: string;
  readonly cwd: string;
  readonly start: (argv: readonly string[], options?: StartOptions) => Result<Spawned, string>;
  /** Ends everything that is still running there because of us. */
  readonly close: () => Promise<void>;
  /** The same at once, without asking nicely and without waiting. */
  readonly killNow: () => void;
};
