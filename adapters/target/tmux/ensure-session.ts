import { err, ok, type Result } from "../../../core/result.ts";
import type { Transport } from "../transport/transport.ts";
import { bootstrapText, HOOK_VARIABLE } from "./hook.ts";
import { runScript } from "./once.ts";

/** Every tmux that buddy starts is told to forget the one it may itself run in. */
export const TMUX: readonly string[] = ["env", "-u", "TMUX", "-u", "TMUX_PANE", "tmux", "-u"];

/** Marks of what buddy made; nothing without them is ever touched. */
export const MANAGED = "@buddy_managed";
export const OWNER = "@buddy_owner";
/** The name a pane was made with; its title can be changed by programs. */
export const PANE_NAME = "@buddy_pane";
export const SHELL_NAME = "@buddy_shell";
export const SHARED = "shared";

export type EnsureFailure = { readonly kind: "absent" | "refused"; readonly detail: string };

/** A size for a session that nobody has attached to; it follows whoever attaches. */
const SIZE = ["-x", "160", "-y", "48"].join(" ");

/** Sub-options came with 3.0, variables of new sessions with 3.2. */
const OLDEST = 3.2;

/**
 * Starts the user's own shell, or one that is known here, with a login's files and without the variables that no
 * command may see: the server may be older than this run and know more of them.
 */
export const START_SHELL =
  'for n in $(tmux show-environment -g 2>/dev/null </dev/null | sed -n "s/^\\([A-Za-z_][A-Za-z0-9_]*\\)=.*/\\1/p" | grep -iE "KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIAL|^(BUN_|LD_|DYLD_|NODE_OPTIONS$)"); do unset "$n"; done; ' +
  // biome-ignore lint/suspicious/noTemplateCurlyInString: it is the shell's
  's=$SHELL; case "${s##*/}" in bash|zsh|sh|dash|ash) ;; *) s=$(command -v bash || command -v zsh || command -v sh) ;; esac; exec "$s" -l';

const ENSURE = `
unset TMUX TMUX_PANE
command -v tmux >/dev/null 2>&1 || { echo absent; exit 0; }
version=$(tmux -V)
name=$1
if tmux has-session -t "=$name" 2>/dev/null; then
  if [ "$(tmux show-options -qv -t "=$name:" ${MANAGED})" = 1 ]; then echo "exists $version"; else echo "foreign $version"; fi
  exit 0
fi
[ "$6" = create ] || { echo "missing $version"; exit 0; }
pane=$(tmux -u new-session -d -P -F '#{pane_id}' -s "$name" -n ${SHARED} ${SIZE} -c "$2" -e "${HOOK_VARIABLE}=$3" \\
  /bin/sh -c "$4" \\; set-option ${MANAGED} 1 \\; set-option ${OWNER} "$5" \\
  \\; set-option -p ${MANAGED} 1 \\; set-option -p ${OWNER} "$5" \\; set-option -p ${PANE_NAME} ${SHARED} \\
  \\; set-option -w automatic-rename off \\; set-option -w allow-rename off \\; select-pane -T ${SHARED}) || exit 1
echo "created $version $pane"
`;

/** Makes the managed session where there is none. What bears its name and is not buddy's is left alone. */
export async function ensureSession(
  transport: Transport,
  session: {
    readonly name: string;
    readonly owner: string;
    readonly cwd: string;
    readonly missing: "create" | "fail";
  },
): Promise<Result<{ readonly created: boolean }, EnsureFailure>> {
  const { name, owner, cwd, missing } = session;
  const said = await runScript(transport, ENSURE, [name, cwd, bootstrapText(), START_SHELL, owner, missing]);
  if (!said.ok)
    return err({ kind: "refused", detail: `Cannot make the tmux session "${name}": ${said.error}` });
  const [what = "", , version = ""] = said.value.trim().split(" ");
  if (what === "absent") return err({ kind: "absent", detail: "tmux is not installed" });
  const number = Number.parseFloat(version.replace(/^[^0-9]*/, ""));
  if (number < OLDEST) {
    return err({ kind: "absent", detail: `tmux ${version} is too old, ${OLDEST} is needed` });
  }
  if (what === "missing") return err({ kind: "refused", detail: `There is no session "${name}"` });
  if (what === "foreign") {
    const detail = `The tmux session "${name}" was not made by buddy, so it is left alone: rename it, or set agent.name`;
    return err({ kind: "refused", detail });
  }
  return ok({ created: what === "created" });
}
