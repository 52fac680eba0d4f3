import type { Scope } from "./expand.ts";
import type { Invocation } from "./invocation.ts";
import { resolvePath } from "./paths.ts";
import { staticOutput } from "./static-output.ts";

/** What a command prints, as far as that is known, unless it goes into files: then they hold it. */
export function outputOf(invocation: Invocation, scope: Scope): string | undefined {
  const { argv, redirects, stdin, cwd } = invocation;
  const text =
    invocation.name === "pwd"
      ? (cwd ?? ".")
      : staticOutput(argv, stdin.text, (path) => scope.files.get(resolvePath(path, cwd)));
  const keep = (path: string) => {
    if (text === undefined) scope.files.delete(resolvePath(path, cwd));
    else scope.files.set(resolvePath(path, cwd), text);
  };
  if (invocation.name === "tee") for (const path of argv.slice(1)) keep(path);
  const targets = redirects.filter(({ operator, fd }) => operator.includes(">") && (fd === "" || fd === "1"));
  for (const { target } of targets) keep(target);
  return targets.length > 0 ? "" : text;
}
