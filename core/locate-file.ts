import type { PathOperation } from "./policy/path-form.ts";
import { judgePath, judgeResolved, type PathRules, type PathVerdict } from "./policy/paths.ts";
import type { FileFailure, Target } from "./ports/target.ts";

/** What the user's configuration says about files. */
export type FileRules = Pick<PathRules, "home" | "allowedPaths" | "ownPaths">;

export type FileAccess = { readonly target: Target; readonly rules: FileRules };

export type Located =
  | { readonly type: "located"; readonly path: string }
  | (PathVerdict & { readonly type: "denied" })
  | FileFailure;

/**
 * The one path that a call is about: judged by its letters, resolved on the target, and judged again as what it is.
 * Whatever is done afterwards is done with this path, and follows no link.
 */
export async function locateFile(
  { target, rules }: FileAccess,
  given: string,
  operation: PathOperation,
  signal: AbortSignal,
): Promise<Located> {
  const { cwd } = target;
  const real = async (path: string) => {
    const resolved = await target.resolvePath(path, signal);
    return resolved.ok ? resolved.value : path;
  };
  const allowedReal = await Promise.all(rules.allowedPaths.map(real));
  const allowedPaths = [...rules.allowedPaths, ...allowedReal];
  const byLetters = judgePath(given, { ...rules, cwd, operation, allowedPaths });
  if (byLetters.type === "denied") return byLetters;
  // Asked for together: far away it is one question.
  const [resolved, home, ownPaths] = await Promise.all([
    target.resolvePath(given, signal),
    rules.home === undefined ? undefined : real(rules.home),
    Promise.all((rules.ownPaths ?? []).map(real)),
  ]);
  if (!resolved.ok) return resolved.error;
  const verdict = judgeResolved(resolved.value, {
    cwd,
    operation,
    allowedPaths: allowedReal,
    home,
    ownPaths,
  });
  return verdict.type === "denied" ? verdict : { type: "located", path: resolved.value };
}
