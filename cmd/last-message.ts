import { accessSync, constants, statSync, writeFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { reasonOf } from "../adapters/host/errno.ts";
import { type Failure, failure } from "../core/failure.ts";
import { err, ok, type Result } from "../core/result.ts";

/** Writes the answer to a file as well; what went wrong comes back. */
export type WriteLast = (text: string) => Failure | undefined;

/** That the file can be written is found out before anything is sent. */
export function lastMessageFile(name: string, cwd: string): Result<WriteLast, Failure> {
  const path = resolve(cwd, name);
  try {
    const there = statSync(path, { throwIfNoEntry: false });
    if (there?.isDirectory()) return err(failure("usage", `Cannot write "${name}": it is a directory`));
    accessSync(there ? path : dirname(path), constants.W_OK);
  } catch (error) {
    return err(failure("usage", `Cannot write "${name}": ${reasonOf(error)}`));
  }
  return ok((text) => {
    try {
      writeFileSync(path, text);
      return undefined;
    } catch (error) {
      return failure("internal", `Cannot write the answer to "${name}": ${reasonOf(error)}`);
    }
  });
}
