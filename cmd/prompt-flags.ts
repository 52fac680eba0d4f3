import { readSmallFile } from "../adapters/host/read-small-file.ts";
import { type Failure, failure } from "../core/failure.ts";
import { err, ok, type Result } from "../core/result.ts";
import type { Invocation } from "./command.ts";

const MAX_BYTES = 1024 * 1024;

/** The text of a flag; `@FILE` stands for what that file holds. */
export function promptFlag(
  name: "system-prompt" | "append-system-prompt",
  { flags }: Pick<Invocation, "flags">,
): Result<string | undefined, Failure> {
  const given = flags.text(name);
  if (!given?.startsWith("@")) return ok(given);
  const read = readSmallFile(given.slice(1), MAX_BYTES);
  if (read.ok) return read;
  return err(failure("usage", `Cannot read "${given.slice(1)}" of --${name}: ${read.error.reason}`));
}
