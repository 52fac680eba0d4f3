import { accessSync, constants, statSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { reasonOf } from "../adapters/host/errno.ts";
import { type Failure, failure } from "../core/failure.ts";
import { err, ok, type Result } from "../core/result.ts";

/** Writes the answer to a file as well; what went wrong comes back. */
export type WriteLast = (text: string) => Failure | undefined;

/** That the file can be written is found out before anything is sent. */
export function lastMessageFile(path: string): Result<WriteLast, Failure> {
  try {
    const there = statSync(path, { throwIfNoEntry: false });
    if (there?.isDirectory()) return err(failure("usage", `Cannot write "${path}": it is a directory`));
    accessSync(there ? path : dirname(path), constants.W_OK);
  } catch (error) {
    return err(failure("usage", `Cannot write "${path}": ${reasonOf(error)}`));
  }
  return ok((text) => {
    try {
      writeFileSync(path, text);
      return undefined;
    } catch (error) {
      return failure("internal", `Cannot write the answer to "${path}": ${reasonOf(error)}`);
    }
  });
}
