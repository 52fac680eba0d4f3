/** The system error name (`ENOENT`, …) of something thrown by the platform. */
export function errnoOf(error: unknown): string {
  const code = typeof error === "object" && error !== null && "code" in error ? error.code : undefined;
  return typeof code === "string" ? code : "";
}

/** One line for people: what the platform said, without its internals. */
export function reasonOf(error: unknown): string {
  const known = REASONS[errnoOf(error)];
  if (known) return known;
  return (error instanceof Error ? error.message : String(error)).split("\n")[0] ?? "";
}

const REASONS: Readonly<Record<string, string>> = {
  EACCES: "permission denied",
  EPERM: "operation not permitted",
  ENOENT: "no such file or directory",
  EEXIST: "there is a file in its place",
  EISDIR: "it is a directory",
  ENOTDIR: "a part of the path is not a directory",
  ENOSPC: "the disk is full",
  EDQUOT: "the disk quota is used up",
  EROFS: "the file system is read-only",
  EIO: "input/output error",
  ELOOP: "too many symbolic links",
  EMFILE: "too many open files",
  ENAMETOOLONG: "the name is too long",
};
