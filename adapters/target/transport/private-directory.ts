import { chmodSync, lstatSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { err, ok, type Result } from "../../../core/result.ts";

/**
 * The path of a socket is at most 103 bytes long on some systems, and ssh puts seventeen more behind it while it
 * makes one.
 */
const MAX_BYTES = 80;

/** A new directory that only this user can enter, with a path short enough for a socket in it. */
export function privateDirectory(runtimeDir: string | undefined): Result<string, string> {
  const candidates = [...(runtimeDir && isOurs(runtimeDir) ? [runtimeDir] : []), tmpdir(), "/tmp"];
  const reasons: string[] = [];
  for (const base of candidates) {
    const problem = whyNot(base);
    if (problem !== undefined) {
      reasons.push(`"${base}" ${problem}`);
      continue;
    }
    try {
      // The name is random and the directory must not exist: nobody can have prepared it.
      const made = mkdtempSync(join(base, "buddy-"));
      chmodSync(made, 0o700);
      return ok(made);
    } catch (error) {
      reasons.push(`"${base}": ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  return err(`Cannot make a private directory: ${reasons.join("; ")}`);
}

function isOurs(path: string): boolean {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  return stat?.isDirectory() === true && stat.uid === process.getuid?.() && (stat.mode & 0o077) === 0;
}

function whyNot(base: string): string | undefined {
  if (Buffer.byteLength(base) + "/buddy-XXXXXX/s".length > MAX_BYTES)
    return "has too long a path for a socket";
  const stat = lstatSync(base, { throwIfNoEntry: false });
  if (stat === undefined) return "does not exist";
  const sticky = (stat.mode & 0o1000) !== 0;
  // Where everybody may write and rename, a directory of ours could be exchanged.
  if (stat.isDirectory() && (stat.mode & 0o022) !== 0 && !sticky) return "can be changed by others";
  return undefined;
}
