import type { FileFailure } from "../../core/ports/target.ts";
import { errnoOf, reasonOf } from "../host/errno.ts";

export function fileFailure(error: unknown): FileFailure {
  return { type: "failed", kind: KINDS[errnoOf(error)] ?? "other", detail: reasonOf(error) };
}

const KINDS: Readonly<Record<string, FileFailure["kind"]>> = {
  ENOENT: "not_found",
  ENOTDIR: "not_found",
  EISDIR: "directory",
  EACCES: "denied",
  EPERM: "denied",
  EROFS: "denied",
  ENXIO: "not_regular",
  ELOOP: "link",
};
