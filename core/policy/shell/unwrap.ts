import { CARRIERS } from "./carriers.ts";
import type { Invocation } from "./invocation.ts";
import { guess, type Nested } from "./nested.ts";
import { resolvePath } from "./paths.ts";
import { unwrapPrefix } from "./prefix-programs.ts";
import {
  unwrapContainer,
  unwrapCopy,
  unwrapGit,
  unwrapSsh,
  unwrapTar,
  unwrapUnknown,
} from "./remote-carriers.ts";
import { isInterpreter, unwrapInterpreter } from "./shells.ts";
import { words } from "./words.ts";

/** The commands that a command runs in turn, as far as its own words and input tell. */
export function unwrap(invocation: Invocation): readonly Nested[] {
  const { name, argv, assignments, stdin } = invocation;
  const args = argv.slice(1);
  const named = assignments.flatMap(([variable, value]) =>
    NAMES_PROGRAM.test(variable) ? [guess(value)] : [],
  );
  const exported = SETS_VARIABLES.has(name) ? args.flatMap(exportedProgram) : [];
  return [...named, ...exported, ...unwrapNamed(name, args, { ...invocation, stdin })];
}

function unwrapNamed(name: string, args: readonly string[], invocation: Invocation): readonly Nested[] {
  const prefix = unwrapPrefix(name, args);
  if (prefix) return prefix;
  if (isInterpreter(name)) return unwrapInterpreter(name, args, invocation);
  const carrier = CARRIERS.get(name);
  if (carrier) return carrier(args, invocation);
  switch (name) {
    case "ssh":
    case "mosh":
    case "autossh":
      return unwrapSsh(args, invocation);
    case "scp":
    case "sftp":
    case "rsync":
      return unwrapCopy(args);
    case "docker":
    case "podman":
    case "nerdctl":
    case "kubectl":
    case "oc":
    case "lxc":
    case "docker-compose":
      return unwrapContainer(args);
    case "git":
      return unwrapGit(args);
    case "tar":
    case "gtar":
    case "bsdtar":
      return unwrapTar(args);
    default:
      return TAKES_TEXT.has(name) ? [] : [...writtenBefore(invocation), ...unwrapUnknown(name, args)];
  }
}

/** A script that was written a moment ago and is now run by its path. */
function writtenBefore({ argv, files, cwd }: Invocation): readonly Nested[] {
  const [program = "", ...positional] = argv;
  const text = program.includes("/") ? files.get(resolvePath(program, cwd)) : undefined;
  return text === undefined ? [] : [{ type: "script", text, positional }];
}

/** Variables whose value another program runs. */
export const NAMES_PROGRAM =
  /(PAGER|EDITOR|VISUAL|BROWSER|ASKPASS|_COMMAND|_CMD|_SSH|RSH|_DIFF|LESSOPEN|LESSCLOSE|SHELL|_HELPER|PROMPT_COMMAND|PS[0-4]|BASH_ENV|ENV|_PROXY_COMMAND)$/;

const SETS_VARIABLES = new Set(["export", "declare", "typeset", "readonly", "local"]);

function exportedProgram(arg: string): readonly Nested[] {
  const equals = arg.indexOf("=");
  return equals > 0 && NAMES_PROGRAM.test(arg.slice(0, equals)) ? [guess(arg.slice(equals + 1))] : [];
}

/** Whose arguments are words for people or patterns, whatever they look like. */
const TAKES_TEXT = new Set(
  words(`
    : true false echo grep egrep fgrep rg ag ack cat ls jq gh logger notify-send say wall write curl wget touch mkdir expr
    tr cut sort head tail wc last lastb who whatis apropos journalctl ps pgrep
  `),
);
