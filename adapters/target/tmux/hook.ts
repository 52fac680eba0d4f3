import { MARK_NUMBER } from "./marks.ts";
import { shellQuote } from "./quote.ts";

/** Where the shell of a pane finds the nonce of the command that runs: beside the server's socket, which is private. */
export const nonceFile = (socketPath: string, pane: string): string => `${socketPath}.buddy${pane}`;

const osc = (begin: string, fields: string, end: string): string => `${begin}]${MARK_NUMBER};${fields}${end}`;
/** In printf formats and zsh's $'…'. */
const printed = (fields: string): string => osc("\\033", fields, "\\033\\\\");
/** In bash's prompts. */
const prompted = (fields: string): string => osc("\\e", fields, "\\e\\\\");

/** Says what is given around the nonce, which it forgets again. */
const SAY = `__buddy_say() { { IFS= read -r __buddy_n <"$__buddy_f"; } 2>/dev/null; printf '${printed("%s;%s%s")}' "$1" "$__buddy_n" "$2"; __buddy_n=; }`;

// Line editing stays as the user has it, except that text which is typed for them must arrive as it is:
// no history expansion, no completion on tabs.
const BASH = `
${SAY}
__buddy_prompt() {
  local s=$?
  __buddy_say e ";$s"
  case $PS1 in *'${MARK_NUMBER};r'*) ;; *) PS1=$PS1'\\[${prompted("r")}\\]' ;; esac
  case $PS2 in *'__buddy_say c'*) ;; *) PS2=$PS2'\\[$(__buddy_say c)\\]' ;; esac
  PS0='${prompted("s")}'
  return "$s"
}
case $PROMPT_COMMAND in *__buddy_prompt*) ;; *) PROMPT_COMMAND="__buddy_prompt\${PROMPT_COMMAND:+; $PROMPT_COMMAND}" ;; esac
set +H
bind 'set enable-bracketed-paste on' 2>/dev/null
history -d -1 2>/dev/null
printf '${printed("k;bash")}'
`;

const ZSH = `
${SAY}
__buddy_prompt() {
  local s=$?
  __buddy_say e ";$s"
  case $PS1 in *'${MARK_NUMBER};r'*) ;; *) PS1=$PS1$'%{${printed("r")}%}' ;; esac
  case $PS2 in *'${MARK_NUMBER};c'*) ;; *) PS2=$PS2$'%{${printed("c;zsh")}%}' ;; esac
  case $PROMPT_EOL_MARK in *'${MARK_NUMBER};l'*) ;; *) PROMPT_EOL_MARK=$'%{${printed("l")}%}'"\${PROMPT_EOL_MARK-%B%S%#%s%b}" ;; esac
  return "$s"
}
__buddy_start() { printf '${printed("s")}'; }
precmd_functions=(__buddy_prompt \${precmd_functions:#__buddy_prompt})
preexec_functions=(\${preexec_functions:#__buddy_start} __buddy_start)
unsetopt bang_hist
setopt interactive_comments
printf '${printed("k;zsh")}'
`;

// A POSIX shell has nothing but the prompt itself to say something with.
const SH = `
${SAY}
__buddy_r=$(printf '${printed("r")}')
PS1='$(__buddy_say e ";$?")'"$PS1"'\${__buddy_r}'
PS2='$(__buddy_say q)'"$PS2"'$(__buddy_say c)'
printf '${printed("k;sh")}'
`;

/** The variable that carries the hook into a new pane, where the typed line evaluates it. */
export const HOOK_VARIABLE = "BUDDY_HOOK";

/** Leading blank: most shells are told to keep such a line out of the history. */
export const BOOTSTRAP_LINE = ` eval "$${HOOK_VARIABLE}"`;

/** Installs the prompt hook in bash, zsh or a POSIX shell. */
export const hookText = (): string =>
  [
    "__buddy_s=$?",
    `unset ${HOOK_VARIABLE}`,
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is the shell's
    '__buddy_f="${TMUX%%,*}.buddy$TMUX_PANE"',
    `if [ -n "$ZSH_VERSION" ]; then eval ${shellQuote(ZSH)}; else case "$BASH_VERSION" in`,
    // A bash of before 2016 cannot say when a command starts; without its line editor it is one more POSIX shell.
    `''|[1-3].*|4.[0-3].*) set +o emacs +o vi 2>/dev/null; eval ${shellQuote(SH)} ;;`,
    `*) eval ${shellQuote(BASH)} ;; esac; fi`,
    // So that a command which took the hook away is still answered with its own exit code.
    "(exit $__buddy_s)",
  ].join("\n");

/** For a new pane: what was typed to get the hook in is cleared away. */
export const bootstrapText = (): string => `${hookText()}\nprintf '\\033[H\\033[2J\\033[3J'`;
