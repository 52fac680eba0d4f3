import type { Target } from "../../../core/ports/target.ts";
import { ok, type Result } from "../../../core/result.ts";
import type { Transport } from "../transport/transport.ts";
import type { EnsureFailure } from "./ensure-session.ts";
import { shellQuote } from "./quote.ts";
import { sessionName } from "./session-name.ts";
import { tmuxShell } from "./tmux-shell.ts";

export type TmuxSettings = {
  /** Of the session, before it is made one of ours. */
  readonly name: string;
  /** What comes before `tmux attach` on the user's own machine: `ssh -t host`. */
  readonly reach: readonly string[];
  /** Whether somebody sees what is said to them while a command runs. */
  readonly watched: boolean;
  readonly maxSessions: number;
  readonly maxPanes: number;
};

/** The same target with its commands in a managed pane; files stay as they are. */
export async function withTmux(
  target: Target,
  transport: Transport,
  { name, reach, ...settings }: TmuxSettings,
): Promise<Result<Target, EnsureFailure>> {
  const session = sessionName(name);
  const attachHint = [...reach, "tmux", "attach", "-t", session].map(plainWord).join(" ");
  const shell = await tmuxShell(transport, {
    ...settings,
    name: session,
    owner: "buddy",
    cwd: target.cwd,
    attachHint,
  });
  if (!shell.ok) return shell;
  let killed = false;
  return ok({
    ...target,
    run: shell.value.run,
    panes: shell.value.panes,
    close: async () => {
      await shell.value.close();
      await target.close();
    },
    killNow: () => {
      // A second time would end what the first one has started for it.
      if (killed) return;
      killed = true;
      target.killNow();
      shell.value.killNow();
    },
  });
}

const plainWord = (word: string): string => (/^[\w@%+=:,./-]+$/.test(word) ? word : shellQuote(word));
