import { closeSync, constants, fstatSync, openSync, readFileSync } from "node:fs";
import { err, ok, type Result } from "../../core/result.ts";
import { errnoOf, reasonOf } from "./errno.ts";

export type ReadFailure = { readonly missing: boolean; readonly reason: string };

/** The text of a file that must be small: a pipe, a device or a giant in its place is refused, not waited for. */
export function readSmallFile(path: string, maxBytes: number): Result<string, ReadFailure> {
  let fd: number | undefined;
  try {
    fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    const stat = fstatSync(fd);
    if (!stat.isFile()) return err({ missing: false, reason: "it is not a file" });
    if (stat.size > maxBytes) return err({ missing: false, reason: `it is larger than ${maxBytes} bytes` });
    return ok(readFileSync(fd, "utf8"));
  } catch (error) {
    const missing = errnoOf(error) === "ENOENT" || errnoOf(error) === "ENOTDIR";
    return err({ missing, reason: reasonOf(error) });
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}
