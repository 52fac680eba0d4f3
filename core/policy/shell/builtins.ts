import type { Scope } from "./expand.ts";
import { HOLE, hasHole } from "./hole.ts";
import type { Invocation, Stdin } from "./invocation.ts";
import { listedPaths } from "./listed-paths.ts";
import { resolvePath } from "./paths.ts";

/** What a builtin changes for the commands after it. */
export function applyBuiltin({ argv, stdin }: Invocation, scope: Scope): void {
  const [name = "", ...args] = argv;
  switch (name) {
    case "cd":
    case "pushd":
    case "chdir":
      scope.cwd = destination(args, scope);
      return;
    case "popd":
      scope.cwd = undefined;
      return;
    case "set":
      if (args.includes("--")) scope.positional = args.slice(args.indexOf("--") + 1);
      else if (args.length > 0 && !/^[-+]/.test(args[0] ?? "")) scope.positional = args;
      return;
    case "shift":
      scope.positional = scope.positional?.slice(1);
      return;
    case "export":
    case "declare":
    case "typeset":
    case "local":
    case "readonly":
      for (const arg of args) assign(arg, scope);
      return;
    case "unset":
      for (const arg of args) scope.variables.delete(arg);
      return;
    case "read":
      for (const arg of args) {
        if (!arg.startsWith("-")) scope.variables.set(arg, firstLine(stdin));
      }
      return;
    case "mapfile":
    case "readarray":
      scope.variables.set(args.at(-1) ?? "", stdin.text?.trim().replaceAll("\n", " ") ?? HOLE);
      return;
    case "printf":
      if (args[0] === "-v" && args[1] !== undefined) scope.variables.set(args[1], args.slice(2).join(" "));
      return;
  }
}

function firstLine(stdin: Stdin): string {
  return stdin.text?.split("\n")[0]?.trim() ?? listedPaths(stdin)[0] ?? HOLE;
}

function assign(arg: string, scope: Scope): void {
  const equals = arg.indexOf("=");
  if (equals > 0) scope.variables.set(arg.slice(0, equals), arg.slice(equals + 1));
}

function destination(args: readonly string[], { home, cwd }: Scope): string | undefined {
  const where = args.find((arg) => !/^-[LPe@]*$|^--$/.test(arg)) ?? (args.includes("-") ? HOLE : home);
  if (hasHole(where)) return undefined;
  const path = resolvePath(where, cwd);
  return path.startsWith("/") ? path : undefined;
}
