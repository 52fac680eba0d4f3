import type { PaneInside } from "./pane-inside.ts";
import { isFree } from "./pane-state.ts";
import type { ShellKind } from "./read-command.ts";

const INTERRUPT_MS = 120;
const CLEARED_MS = 500;

/**
 * Ctrl-C until an empty prompt is there: one that comes while a prompt is being drawn is lost on some shells. A shell
 * that ignores it has its line cleared and is given an empty one.
 */
export async function interrupt(pane: PaneInside): Promise<void> {
  const { signal } = new AbortController();
  for (let times = 0; times < 3; times++) {
    pane.io.keys("C-c");
    if (await pane.waitUntil(isFree, INTERRUPT_MS, signal)) return;
  }
  if (!(await atPrompt(pane, pane.state().shell ?? "sh"))) return;
  pane.io.keys("C-e", "C-u", "Enter");
  await pane.waitUntil(isFree, CLEARED_MS, signal);
}

/** As far as the terminal itself can tell; a shell without a line editor looks like any program that reads. */
export async function atPrompt({ io }: PaneInside, shell: ShellKind): Promise<boolean> {
  const terminal = await io.terminal();
  return terminal.shellInFront && (shell === "sh" || !terminal.canonical);
}
