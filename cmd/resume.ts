import { failure } from "../core/failure.ts";
import type { Invocation } from "./command.ts";
import { reportFailure } from "./exit.ts";
import { converse } from "./repl.ts";

/** `buddy resume [id]`, `buddy resume --last`: the REPL on a saved session. */
export async function run(invocation: Invocation): Promise<number> {
  const [ref, ...rest] = invocation.words;
  const last = invocation.flags.on("last");
  if (rest.length > 0 || (last && ref !== undefined)) {
    const why = failure("usage", "Give one session, or --last", { hint: "buddy sessions lists them" });
    return reportFailure(why, invocation.stderr);
  }
  const own = { ...invocation, words: [] };
  if (last) return converse(own, { type: "session_resume_last" });
  return converse(own, ref === undefined ? { type: "pick_session" } : { type: "session_resume", ref });
}
