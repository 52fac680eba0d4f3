import { err, ok, type Result } from "../../../core/result.ts";
import type { Transport } from "../transport/transport.ts";
import { type Control, openControl } from "./control.ts";
import {
  type EnsureFailure,
  ensureSession,
  MANAGED,
  OWNER,
  PANE_NAME,
  SHELL_NAME,
  START_SHELL,
  TMUX,
} from "./ensure-session.ts";
import { bootstrapText, HOOK_VARIABLE, nonceFile } from "./hook.ts";
import { type NotStarted, openPane, type Pane } from "./pane.ts";
import { paneIo } from "./pane-io.ts";
import { shellNamed } from "./pane-state.ts";
import { tmuxQuote } from "./quote.ts";

/** A managed session with a client that listens to it. */
export type Session = {
  readonly name: string;
  readonly control: Control;
  /** The pane of a name or id, with its shell ready; made where it is missing if that is wanted. */
  readonly pane: (
    name: string,
    missing: "create" | "fail",
    signal: AbortSignal,
  ) => Promise<Result<OpenedPane, string>>;
  readonly find: (name: string) => Promise<Result<ListedPane, string>>;
  readonly list: () => Promise<readonly ListedPane[]>;
  readonly kill: (id: string) => Promise<Result<string, string>>;
  readonly opened: () => readonly Pane[];
  readonly close: () => Promise<void>;
};

/** `again`: there was one of that name whose shell had ended. */
export type OpenedPane = { readonly pane: Pane; readonly created: boolean; readonly again: boolean };

export type ListedPane = {
  readonly id: string;
  readonly name: string;
  readonly title: string;
  readonly command: string;
};

export type SessionSettings = {
  readonly name: string;
  readonly owner: string;
  readonly cwd: string;
  readonly attachHint: string;
  readonly watched: boolean;
  /** Whether a session that is not there is made. */
  readonly missing: "create" | "fail";
};

export async function openSession(
  transport: Transport,
  settings: SessionSettings,
): Promise<Result<Session, EnsureFailure>> {
  const ensured = await ensureSession(transport, settings);
  if (!ensured.ok) return ensured;
  const panes = new Map<string, Pane>();
  /** By the name that was asked for, so that a pane in use needs no look at the list. */
  const known = new Map<string, Pane>();
  let fresh = ensured.value.created;
  const attached = attach(transport, settings.name, panes);
  if (!attached.ok) return err({ kind: "refused", detail: attached.error });
  const control = attached.value;
  const socket = await control.ask("display-message -p '#{socket_path}'");
  if (!socket.ok) {
    return err({
      kind: "refused",
      detail: `Cannot attach to the tmux session "${settings.name}": ${await control.ended}`,
    });
  }
  const socketPath = socket.value[0] ?? "";

  const open = async (
    found: ListedPane,
    isNew: boolean,
    signal: AbortSignal,
  ): Promise<Result<Pane, NotStarted>> => {
    const io = paneIo(transport, control, found.id);
    const pane = openPane(io, nonceFile(socketPath, found.id), settings.attachHint, settings.watched);
    panes.set(found.id, pane);
    control.tell(`set-option -p -t ${found.id} remain-on-exit on`);
    const [shell = ""] = await io.facts([SHELL_NAME]);
    const known = shellNamed(shell);
    if (!isNew && known !== undefined) {
      await pane.adopt(known);
      return ok(pane);
    }
    const started = await pane.bootstrap(signal);
    if (!started.ok) return started;
    control.tell(`set-option -p -t ${found.id} ${SHELL_NAME} ${started.value}`);
    return ok(pane);
  };

  const list = async (): Promise<readonly ListedPane[]> => {
    const format = `#{pane_id}\t#{${MANAGED}}\t#{${PANE_NAME}}\t#{pane_title}\t#{pane_current_command}`;
    const said = await control.ask(
      `list-panes -s -t ${tmuxQuote(`=${settings.name}`)} -F ${tmuxQuote(format)}`,
    );
    if (!said.ok) return [];
    return said.value.flatMap((line) => {
      const [id = "", managed, name = "", title = "", command = ""] = line.split("\t");
      return managed === "1" ? [{ id, name, title, command }] : [];
    });
  };

  const find = async (name: string): Promise<Result<ListedPane, string>> => {
    const there = await list();
    const found =
      there.find((pane) => pane.id === name) ??
      there.find((pane) => pane.name === name) ??
      there.find((pane) => pane.title === name);
    if (found) return ok(found);
    const names = there.map((pane) => pane.name).join(", ");
    return err(`There is no pane "${name}" of buddy in session "${settings.name}", only: ${names || "none"}`);
  };

  const make = async (name: string): Promise<Result<ListedPane, string>> => {
    const shell =
      `-d -P -F '#{pane_id}' -t ${tmuxQuote(`=${settings.name}:`)} -c ${tmuxQuote(settings.cwd)} ` +
      `-e ${tmuxQuote(`${HOOK_VARIABLE}=${bootstrapText()}`)} /bin/sh -c ${tmuxQuote(START_SHELL)}`;
    const beside = await control.ask(`split-window ${shell}`);
    // Where there is no room beside the others, in a window of its own.
    const made = beside.ok ? beside : await control.ask(`new-window ${shell}`);
    if (!made.ok) return err(`Cannot make a pane: ${made.error}`);
    const id = made.value[0] ?? "";
    for (const [option, value] of [
      [MANAGED, "1"],
      [OWNER, settings.owner],
      [PANE_NAME, name],
    ]) {
      control.tell(`set-option -p -t ${id} ${option} ${tmuxQuote(value ?? "")}`);
    }
    control.tell(`select-pane -T ${tmuxQuote(name)} -t ${id}`);
    return ok({ id, name, title: name, command: "" });
  };

  const lookUp: Session["pane"] = async (name, missing, signal) => {
    const found = await find(name);
    if (!found.ok && missing === "fail") return found;
    const already = found.ok ? panes.get(found.value.id) : undefined;
    if (already && !already.isDead()) return ok({ pane: already, created: false, again: false });
    const wanted = found.ok ? found.value.name : name;
    const isNew = !found.ok || already !== undefined;
    if (already) await already.buried(signal);
    const made = isNew ? await make(wanted) : found;
    if (!made.ok) return made;
    if (already) control.tell(`kill-pane -t ${already.id}`);
    const created = isNew || fresh;
    fresh = false;
    const opened = await open(made.value, created, signal);
    if (opened.ok) return ok({ pane: opened.value, created, again: already !== undefined });
    // Once more where its shell ended at once; tmux mixes up the terminals of a pane that ends and one that begins.
    const last = opened.error.kind === "ended" ? await make(wanted) : undefined;
    if (!last?.ok) return err(opened.error.detail);
    control.tell(`kill-pane -t ${made.value.id}`);
    const second = await open(last.value, true, signal);
    return second.ok ? ok({ pane: second.value, created: true, again: true }) : err(second.error.detail);
  };

  return ok({
    name: settings.name,
    control,
    list,
    kill: async (id) => {
      const killed = await control.ask(`kill-pane -t ${id}`);
      if (killed.ok) panes.get(id)?.onGone(CLOSED);
      return killed.ok ? ok(id) : killed;
    },
    opened: () => [...panes.values()],
    find,
    pane: async (name, missing, signal) => {
      const ready = known.get(name);
      if (ready && !ready.isDead()) return ok({ pane: ready, created: false, again: false });
      const opened = await lookUp(name, missing, signal);
      if (opened.ok) known.set(name, opened.value.pane);
      return opened;
    },
    close: async () => {
      for (const pane of panes.values()) {
        await pane.sweep();
        control.tell(`set-option -pu -t ${pane.id} remain-on-exit`);
      }
      await control.close();
    },
  });
}

const CLOSED = "The pane was closed";

function attach(
  transport: Transport,
  name: string,
  panes: ReadonlyMap<string, Pane>,
): Result<Control, string> {
  const opened = openControl(transport, [...TMUX, "-C", "attach-session", "-t", `=${name}`], {
    onOutput: (pane, text) => panes.get(pane)?.onText(text),
    onEvent: () => {},
  });
  if (opened.ok) {
    void opened.value.ended.then(() => {
      for (const pane of panes.values()) if (!pane.isDead()) pane.onGone("The tmux server has ended");
    });
  }
  return opened;
}
