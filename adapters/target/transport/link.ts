import type { Result } from "../../../core/result.ts";
import type { Spawned, StartOptions } from "../../host/spawn.ts";

/**
 * A way to a target: starts programs there and carries their streams, no more. What is left running when the way is
 * cut, exit codes that the way itself could have made up, and how to end a program over there are not its business:
 * `far/` sees to that over any link. A link over another link is a link.
 */
export type Link = {
  /** `ssh user@host`, `container name`. */
  readonly summary: string;
  /** What the user types before a command that is to run there, on a terminal: `ssh -t host`. */
  readonly reach: readonly string[];
  /** Makes sure that the way stands. One attempt; why it failed is in words for the user. */
  readonly connect: (signal: AbortSignal) => Promise<Result<void, LinkFailure>>;
  /** Starts a program by its name. The end of this process is the end of the client, not of the program. */
  readonly start: (argv: readonly string[], options: StartOptions) => Result<Spawned, string>;
  /** What a client that failed may have meant, where the link knows better than the client's own words. */
  readonly explain: (words: string) => LinkFailure;
  /** `at_once`: the other side has not answered for a while, and is not waited for. */
  readonly close: (how: "gently" | "at_once") => Promise<void>;
  readonly killNow: () => void;
};

export type LinkFailure = { readonly message: string; readonly hint?: string };
