import type { Stdin } from "./invocation.ts";

/** Where `find` looks: the words before its first expression. */
export function findRoots(args: readonly string[]): readonly string[] {
  const start = args.findIndex((arg) => !/^-([HLP]|O\d|D)$/.test(arg));
  const rest = start === -1 ? [] : args.slice(start);
  const end = rest.findIndex((arg) => /^[-(!,]/.test(arg));
  const roots = end === -1 ? rest : rest.slice(0, end);
  return roots.length === 0 ? ["."] : roots;
}

/** What `find` finds below one of its roots. Elsewhere than here a name does not narrow it: it is found at any depth. */
export function foundBelow(root: string, args: readonly string[]): string {
  const [name, another] = args.flatMap((arg, at) => (/^-i?name$/.test(arg) ? [args[at + 1] ?? ""] : []));
  const isHere = !/^[/~]|(^|\/)\.\.(\/|$)/.test(root) && !args.includes("-o");
  const what = isHere && name !== undefined && another === undefined ? name : "*";
  return `${root.replace(/\/+$/, "")}/${what}`;
}

/** Paths, as globs, that the commands before a pipe print; none when that is not known. */
export const listedPaths = ({ from }: Stdin): readonly string[] =>
  from.flatMap(({ name, argv }) => {
    const args = argv.slice(1);
    if (/^(find|gfind)$/.test(name)) return findRoots(args).map((root) => foundBelow(root, args));
    if (name === "fd" || name === "fdfind")
      return args.slice(1).map((root) => `${root.replace(/\/+$/, "")}/*`);
    return name === "ls" ? listed(args) : [];
  });

function listed(args: readonly string[]): readonly string[] {
  const paths = args.filter((arg) => !arg.startsWith("-"));
  const itself = args.some((arg) => /^-[a-zA-Z1]*d/.test(arg));
  return (paths.length === 0 ? ["."] : paths).map((path) =>
    itself ? path : `${path.replace(/\/+$/, "")}/*`,
  );
}
