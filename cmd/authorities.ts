import { readSmallFile } from "../adapters/host/read-small-file.ts";
import { type Failure, failure } from "../core/failure.ts";
import { err, ok, type Result } from "../core/result.ts";

const MAX_CA_BYTES = 4 * 1024 * 1024;

/** Further certificate authorities, PEM. */
export function authorities(path: string): Result<string | undefined, Failure> {
  if (path === "") return ok(undefined);
  const read = readSmallFile(path, MAX_CA_BYTES);
  if (read.ok) return read;
  return err(failure("usage", `Cannot read network.ca_file "${path}": ${read.error.reason}`));
}
