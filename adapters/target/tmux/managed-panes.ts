import type {
  Captured,
  CaptureRequest,
  EnsuredPane,
  KeysRequest,
  PanePlace,
  Panes,
} from "../../../core/ports/panes.ts";
import { err, ok, type Result } from "../../../core/result.ts";
import { captureCommand, textOf } from "./capture.ts";
import { MANAGED, SHARED } from "./ensure-session.ts";
import { leaveModes } from "./pane-io.ts";
import { tmuxQuote } from "./quote.ts";
import type { ListedPane, Session } from "./session.ts";
import { paneName, sessionName } from "./session-name.ts";
import type { Sessions, ShellSettings } from "./sessions.ts";

type Found = { readonly session: Session; readonly pane: ListedPane };

/** The panes that buddy made: seen, typed into, made and ended. */
export function managedPanes(sessions: Sessions, settings: ShellSettings): Panes {
  const sessionOf = async (wanted: string | undefined): Promise<Result<Session, string>> => {
    const opened = await sessions.open(wanted);
    return opened.ok ? ok(opened.value.session) : err(opened.error.detail);
  };
  const find = async ({ session: wanted, pane = SHARED }: PanePlace): Promise<Result<Found, string>> => {
    const session = await sessionOf(wanted);
    if (!session.ok) return session;
    const found = await session.value.find(pane.startsWith("%") ? pane : paneName(pane));
    return found.ok ? ok({ session: session.value, pane: found.value }) : found;
  };
  const managedSessions = async (session: Session): Promise<readonly string[]> => {
    const said = await session.control.ask(`list-sessions -F '#{session_name}\t#{${MANAGED}}'`);
    const lines = said.ok ? said.value : [];
    return lines.flatMap((line) => (line.endsWith("\t1") ? [line.slice(0, -2)] : []));
  };

  const capture = async (request: CaptureRequest): Promise<Result<Captured, string>> => {
    const found = await find(request.place);
    if (!found.ok) return found;
    const { session, pane } = found.value;
    const seen = await session.control.ask(captureCommand(pane.id, request));
    if (seen.ok) return ok({ pane: pane.id, text: masked(session, textOf(seen.value)), noAlternate: false });
    if (!request.alternate) return err(`Cannot capture the pane "${pane.name}": ${seen.error}`);
    const plain = await session.control.ask(captureCommand(pane.id, { ...request, alternate: false }));
    return plain.ok
      ? ok({ pane: pane.id, text: masked(session, textOf(plain.value)), noAlternate: true })
      : err(`Cannot capture the pane "${pane.name}": ${plain.error}`);
  };

  const sendKeys = async ({ place, keys, text, enter }: KeysRequest): Promise<Result<string, string>> => {
    const found = await find(place);
    if (!found.ok) return found;
    const { session, pane } = found.value;
    const { control } = session;
    void leaveModes(control, pane.id);
    if (text !== "") {
      control.tell(`set-buffer -b buddy${pane.id} -- ${tmuxQuote(text)}`);
      control.tell(`paste-buffer -p -d -b buddy${pane.id} -t ${pane.id}`);
    }
    const names = [...keys, ...(enter ? ["Enter"] : [])];
    if (names.length === 0) return ok(pane.id);
    const sent = await control.ask(`send-keys -t ${pane.id} -- ${names.map(tmuxQuote).join(" ")}`);
    return sent.ok ? ok(pane.id) : err(`Cannot type into the pane "${pane.name}": ${sent.error}`);
  };

  const createSession = async (wanted: string, signal: AbortSignal): Promise<Result<EnsuredPane, string>> => {
    const main = await sessionOf(undefined);
    if (!main.ok) return main;
    const name = sessionName(wanted);
    const there = await managedSessions(main.value);
    if (!there.includes(name) && there.length >= settings.maxSessions) {
      return err(
        `There may be ${settings.maxSessions} sessions (tmux.max_sessions) and there are: ${there.join(", ")}`,
      );
    }
    const made = await sessions.open(name, "create");
    if (!made.ok) return err(made.error.detail);
    const pane = await made.value.session.pane(SHARED, "create", signal);
    return pane.ok ? ok({ paneId: pane.value.pane.id, created: pane.value.created }) : pane;
  };

  const killSession = async (wanted: string): Promise<Result<string, string>> => {
    const name = sessionName(wanted);
    if (sessions.isDefault(name))
      return err(`The session "${name}" is the shared one and is not ended by tools`);
    const session = await sessionOf(wanted);
    if (!session.ok) return session;
    const main = await sessionOf(undefined);
    if (!main.ok) return main;
    sessions.forget(name);
    const killed = await main.value.control.ask(`kill-session -t ${tmuxQuote(`=${name}`)}`);
    return killed.ok ? ok(name) : err(`Cannot end the session "${name}": ${killed.error}`);
  };

  const createPane = async (place: PanePlace, signal: AbortSignal): Promise<Result<EnsuredPane, string>> => {
    const session = await sessionOf(place.session);
    if (!session.ok) return session;
    const name = paneName(place.pane ?? "");
    if (name === "") return err('A pane needs a name of letters, digits, "-" or "_"');
    const there = await session.value.list();
    const names = there.map((pane) => pane.name);
    if (!names.includes(name) && there.length >= settings.maxPanes) {
      return err(
        `There may be ${settings.maxPanes} panes (tmux.max_panes) and there are: ${names.join(", ")}`,
      );
    }
    const made = await session.value.pane(name, "create", signal);
    return made.ok ? ok({ paneId: made.value.pane.id, created: made.value.created }) : made;
  };

  const killPane = async (place: PanePlace): Promise<Result<string, string>> => {
    const found = await find(place);
    if (!found.ok) return found;
    const { session, pane } = found.value;
    if (pane.name === SHARED) return err("The shared pane is not ended by tools");
    const killed = await session.kill(pane.id);
    return killed.ok ? ok(pane.name) : err(`Cannot end the pane "${pane.name}": ${killed.error}`);
  };

  return {
    capture,
    sendKeys,
    manage: { createSession, killSession, createPane, killPane },
    attachHint: settings.attachHint,
  };
}

const masked = (session: Session, text: string): string =>
  session.opened().reduce((shown, pane) => pane.mask(shown), text);
