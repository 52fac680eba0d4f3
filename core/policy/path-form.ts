import { err, ok, type Result } from "../result.ts";

export type PathOperation = "read" | "write";

export type PathContext = {
  /** Absent: `~` has no meaning. */
  readonly home: string | undefined;
  readonly cwd: string;
};

export type PathRefusal = { readonly rule: string; readonly reason: string };

const MAX_NAME_BYTES = 255;
const MAX_PATH_BYTES = 4095;

/**
 * The absolute path that these words mean, `.` and `..` taken out by the letter, with `/` between its parts on every
 * system. Refused: what has no meaning as the path of a file, and for writing what people would read as another path.
 */
export function absolutePath(
  path: string,
  { home, cwd }: PathContext,
  operation: PathOperation,
): Result<string, PathRefusal> {
  const windows = isWindows(cwd);
  const parted = windows ? path.replaceAll("\\", "/") : path;
  const problem = malformed(path) ?? (operation === "write" ? misleading(parted) : undefined);
  if (problem) return err({ rule: problem.rule, reason: problem.reason });
  if (!windows && /^(?:\\\\|[a-z]:[\\/])/i.test(path)) {
    return err({
      rule: "syntax.windows",
      reason: "it is a Windows path, and the target is no Windows machine",
    });
  }
  if (windows && /^(?:\\\\|\/\/)/.test(path)) {
    return err({ rule: "syntax.unc", reason: "device and network paths are not taken" });
  }
  if (path.startsWith("~") && !/^~(?:[\\/]|$)/.test(path)) {
    return err({
      rule: "syntax.tilde",
      reason: 'homes of other users are not looked up; for a file of this name put "./" before it',
    });
  }
  if (path.startsWith("~") && home === undefined) {
    return err({ rule: "syntax.tilde", reason: "there is no home directory" });
  }
  const words = path.startsWith("~") ? `${home}/${path.slice(1)}` : path;
  const whole = isAbsolute(words, windows) ? words : `${cwd}/${words}`;
  return bounded(normalized(whole, windows));
}

export const isWindows = (cwd: string): boolean => /^[a-z]:[\\/]/i.test(cwd);

const isAbsolute = (path: string, windows: boolean): boolean =>
  windows ? /^[a-z]:[\\/]/i.test(path) : path.startsWith("/");

/** Without empty parts, `.` and `..`; nothing is above the root. */
export function normalized(path: string, windows: boolean): string {
  const parts = (windows ? path.replaceAll("\\", "/") : path).split("/");
  const drive = windows ? (parts.shift() ?? "").toLowerCase() : "";
  const kept: string[] = [];
  for (const part of parts) {
    if (part === "..") kept.pop();
    else if (part !== "" && part !== ".") kept.push(part);
  }
  return `${drive}/${kept.join("/")}`;
}

function malformed(path: string): PathRefusal | undefined {
  if (path.trim() === "") return { rule: "syntax.empty", reason: "the path is empty" };
  if (path.includes("\0")) return { rule: "syntax.nul", reason: "the path has a NUL character" };
  if (/^(?:[a-z][a-z0-9+.-]*:\/\/|file:)/i.test(path))
    return { rule: "syntax.url", reason: "it is a URL, not a path" };
  return undefined;
}

function misleading(path: string): PathRefusal | undefined {
  if (/[\\/]$/.test(path) || /(?:^|[\\/])\.{1,2}$/.test(path) || path === "~") {
    return { rule: "syntax.directory", reason: "it names a directory, not a file" };
  }
  if (/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u.test(path)) {
    return { rule: "syntax.invisible", reason: "the path has a control or an invisible character" };
  }
  if (/[\u2044\u2215\u29f8\u29f9\ufe68\uff0f\uff3c]/.test(path)) {
    return { rule: "syntax.slash", reason: "the path has a character that looks like a slash and is none" };
  }
  return OTHER_MEANINGS.find(({ form }) => form.test(path));
}

/** Taken by the letter these are names that nobody wants, and that people read as something else. */
const OTHER_MEANINGS: readonly (PathRefusal & { readonly form: RegExp })[] = [
  { form: /`/, rule: "syntax.backtick", reason: "the path has a backtick; nothing in a path is run" },
  {
    form: /^(?:\$\w+|\$\{\w+\}|%\w+%)(?=[\\/]|$)/,
    rule: "syntax.variable",
    reason: "variables are not looked up in a path; write it out, or use ~ for the home",
  },
  { form: /%(?:25)*(?:2e|2f|5c)/i, rule: "syntax.encoded", reason: "the path is percent-encoded" },
  {
    form: /\.\.\\|\\\.\.(?:[\\/]|$)/,
    rule: "syntax.backslash",
    reason: "the path has backslashes around ..",
  },
  { form: /^\s/, rule: "syntax.blank", reason: "the path begins with a blank" },
];

function bounded(path: string): Result<string, PathRefusal> {
  if (utf8Length(path) > MAX_PATH_BYTES)
    return err({ rule: "syntax.length", reason: "the path is too long" });
  const isLong = path.split("/").some((part) => utf8Length(part) > MAX_NAME_BYTES);
  return isLong ? err({ rule: "syntax.length", reason: "a name in the path is too long" }) : ok(path);
}

function utf8Length(text: string): number {
  let bytes = 0;
  for (const char of text) {
    const code = char.codePointAt(0) ?? 0;
    bytes += code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
  }
  return bytes;
}
