import type { Scope } from "./expand.ts";
import type { Invocation, ResolvedRedirect, Stdin } from "./invocation.ts";
import { resolvePath } from "./paths.ts";
import type { Redirect, Word } from "./syntax.ts";

export type Expander = {
  /** The commands in substitutions, as they are met. */
  readonly inner: readonly Invocation[];
  readonly words: (words: readonly Word[]) => readonly string[];
  readonly text: (word: Word) => string;
};

export function resolveRedirects(
  redirects: readonly Redirect[],
  expand: Expander,
): readonly ResolvedRedirect[] {
  return redirects.map(({ operator, fd, target }) => ({ operator, fd, target: expand.text(target) }));
}

/** What a command reads: the last redirection of its standard input, or what is piped to it. */
export function inputOf(
  redirects: readonly Redirect[],
  resolved: readonly ResolvedRedirect[],
  { inner }: Expander,
  { stdin, scope }: { readonly stdin: Stdin; readonly scope: Scope },
): Stdin {
  const last = resolved.findLast(({ operator, fd }) => operator.startsWith("<") && (fd === "" || fd === "0"));
  if (last === undefined) return stdin;
  if (last.operator === "<<") return { text: last.target, from: inner };
  if (last.operator === "<<<") return { text: `${last.target}\n`, from: inner };
  const isProcess = redirects.some(({ target }) => target.parts.some(({ type }) => type === "process"));
  const text = scope.files.get(resolvePath(last.target, scope.cwd));
  return { text, from: isProcess ? inner : [] };
}
