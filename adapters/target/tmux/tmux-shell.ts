import type { PanePlace, Panes } from "../../../core/ports/panes.ts";
import type { RunEvent } from "../../../core/ports/target.ts";
import { err, ok, type Result } from "../../../core/result.ts";
import type { Shell } from "../shell/plain.ts";
import type { Transport } from "../transport/transport.ts";
import { type EnsureFailure, SHARED } from "./ensure-session.ts";
import { managedPanes } from "./managed-panes.ts";
import type { Pane } from "./pane.ts";
import { openSession, type Session } from "./session.ts";
import { paneName, sessionName } from "./session-name.ts";
import type { Sessions, ShellSettings } from "./sessions.ts";
import { SWEEP } from "./sweep.ts";

export type TmuxShell = {
  readonly run: Shell;
  readonly panes: Panes;
  readonly close: () => Promise<void>;
  readonly killNow: () => void;
};

/** Commands in panes that the user can watch and type into. */
export async function tmuxShell(
  transport: Transport,
  settings: ShellSettings,
): Promise<Result<TmuxShell, EnsureFailure>> {
  const opened = new Map<string, Session>();
  const sessions: Sessions = {
    isDefault: (name) => name === settings.name,
    forget: (name) => void opened.delete(name),
    open: async (wanted, missing = "fail") => {
      const name = wanted === undefined ? settings.name : sessionName(wanted);
      const known = opened.get(name);
      if (known?.control.isOpen()) return ok({ session: known, again: false });
      const session = await openSession(transport, {
        ...settings,
        name,
        attachHint: settings.attachHint.replace(settings.name, name),
        missing: name === settings.name ? "create" : missing,
      });
      if (!session.ok) return session;
      opened.set(name, session.value);
      return ok({ session: session.value, again: known !== undefined });
    },
  };
  const first = await sessions.open(undefined);
  if (!first.ok) return first;
  const shared = await first.value.session.pane(SHARED, "create", new AbortController().signal);
  if (!shared.ok) return err({ kind: "refused", detail: shared.error });
  if (!shared.value.created) await goTo(settings.cwd, first.value.session);
  return ok({
    run: runIn(sessions),
    panes: managedPanes(sessions, settings),
    close: async () => {
      await Promise.all([...opened.values()].map((session) => session.close()));
    },
    killNow: () => {
      for (const session of opened.values()) {
        for (const pane of session.opened()) {
          const args = pane.sweepArguments();
          if (args) transport.start(["/bin/sh", "-c", SWEEP, "buddy", ...args, "now"]);
        }
      }
    },
  });
}

const runIn = (sessions: Sessions): Shell =>
  async function* (request, signal): AsyncGenerator<RunEvent> {
    signal.throwIfAborted();
    let again = false;
    const attempt = async function* (): AsyncGenerator<RunEvent> {
      const found = await paneFor(sessions, request.place ?? {}, signal);
      if (!found.ok) return yield { type: "failed", detail: found.error };
      if (found.value.again) yield { type: "notice", text: MADE_ANEW };
      yield* found.value.pane.run(request, () => (again = true), signal);
    };
    yield* attempt();
    if (again) yield* attempt();
  };

/** The pane of a run, made anew once where its server has gone in the meantime. */
async function paneFor(
  sessions: Sessions,
  { session: wanted, pane: name }: PanePlace,
  signal: AbortSignal,
): Promise<Result<{ readonly pane: Pane; readonly again: boolean }, string>> {
  const wantedPane = name === undefined ? SHARED : name.startsWith("%") ? name : paneName(name);
  for (let first = true; ; first = false) {
    const opened = await sessions.open(wanted);
    if (!opened.ok) return err(opened.error.detail);
    const { session } = opened.value;
    const pane = await session.pane(wantedPane, wantedPane === SHARED ? "create" : "fail", signal);
    if (pane.ok) return ok({ pane: pane.value.pane, again: opened.value.again || pane.value.again });
    if (session.control.isOpen() || !first) return pane;
  }
}

const MADE_ANEW =
  "The shell or the tmux server had ended; a new pane was made, so what the old shell knew is gone";

/** A pane that was there before may stand elsewhere: it is brought to the directory of this run, as a person would. */
async function goTo(cwd: string, session: Session): Promise<void> {
  const { signal } = new AbortController();
  const pane = await session.pane(SHARED, "fail", signal);
  if (!pane.ok || !pane.value.pane.isIdle() || (await pane.value.pane.directory()) === cwd) return;
  const command = `cd -- '${cwd.replaceAll("'", `'\\''`)}'`;
  for await (const _ of pane.value.pane.run({ command, timeoutMs: GO_MS }, () => {}, signal));
}

const GO_MS = 5000;
