import type { Event } from "../../core/event.ts";
import type { Command } from "../../core/runtime/state.ts";
import { approvals } from "./approvals.ts";
import { attention } from "./attention.ts";
import { type CommandRegistry, commandRegistry, fromExtension, runSlash } from "./commands.ts";
import { runCommands } from "./commands-run.ts";
import { pickSession, sessionCommands } from "./commands-session.ts";
import { completion } from "./completion.ts";
import type { Controller } from "./controller.ts";
import { promptEditor } from "./editor.ts";
import { editExternally } from "./external-editor.ts";
import { headerLines, homeRelative, promptFor } from "./header.ts";
import { editingKeys } from "./input.ts";
import { liveLines } from "./live-lines.ts";
import { panels } from "./panels.ts";
import { passingHint } from "./passing-hint.ts";
import { pastOf } from "./past.ts";
import type { ReplHost } from "./repl-host.ts";
import { spinner } from "./spinner.ts";
import type { Stage } from "./stage.ts";
import { submitting } from "./submitting.ts";
import { suspend } from "./suspend.ts";
import { targetFiles } from "./target-files.ts";
import type { TtyEvents } from "./tty.ts";
import { withoutSession } from "./view-state.ts";

export type Start = {
  readonly send: (command: Command) => void;
  readonly host: ReplHost;
  /** What is done first: a prompt, or choosing a session. */
  readonly first:
    | { readonly type: "prompt"; readonly text: string }
    | { readonly type: "pick_session" }
    | undefined;
};

export type Dialogue = { readonly on: (event: Event) => void; readonly open: () => void };

/** A terminal that knows its background answers at once, also over a slow line within this time. */
const BACKGROUND_MS = 100;

/** Puts the parts together: keys go to the one that has them now, events to those that wait for them. */
export function dialogue(stage: Stage, { send, host, first }: Start): Dialogue {
  const { tty, shown, settings, appearance: looks, view } = stage;
  const past = pastOf(stage.history);
  const bell = attention(settings.notify, tty.write, host.unixMs);
  const ended = new AbortController();
  const word = passingHint(shown.soon);
  const turning = spinner(shown.now);
  let policy = settings.policy;
  let branch = "";
  let begun = false;
  let commands: CommandRegistry = commandRegistry([]);

  const editor = promptEditor({
    paint: () => looks.paint,
    size: tty.size,
    keys: settings.keys.editor,
    completion: completion(() => commands, targetFiles(host.aside, host.monotonicMs)),
    changed: shown.now,
    submitted: (text) => {
      if (!panel.submitted(text)) controller.submit(text);
    },
  });
  const panel = panels({ editor, entries: past.entries, changed: shown.now });

  const controller: Controller = {
    view,
    editor,
    keys: settings.keys,
    send,
    print: (...items) => {
      shown.print(items);
      shown.soon();
    },
    say: (...lines) => controller.print({ type: "said", lines }),
    hint: word.say,
    pick: panel.pick,
    ask: panel.ask,
    handOver: async (work) => {
      leave();
      try {
        return await work();
      } finally {
        goOn();
      }
    },
    submit: (text) => sent.submit(text),
    followUp: (text) => sent.followUp(text),
    stopShell: () => sent.stopShell(),
    choose: (choices) => stage.setView({ ...view(), choices: { ...view().choices, ...choices } }),
    copy: (text) => tty.write(`\u001b]52;c;${Buffer.from(text).toString("base64")}\u0007`),
    leaveSession: () => stage.setView(withoutSession(view())),
    quit: (code) => {
      ended.abort();
      word.stop();
      turning.follow("idle");
      stage.stop(code);
    },
  };
  const slash = (text: string): void => void runSlash(text, commands, controller, ended.signal);
  const sent = submitting({ controller, host, slash, remember: past.add });
  const asked = approvals({ controller, place: host.place, monotonicMs: host.monotonicMs });
  const keeper = {
    get: () => policy,
    set: (next: string) => {
      policy = next;
    },
  };
  commands = commandRegistry([
    ...runCommands(controller, host, keeper, () => commands),
    ...sessionCommands(controller, host, looks),
    ...host.commands.map((command) => fromExtension(command, controller)),
  ]);

  const leave = (): void => {
    shown.suspend();
    tty.stop();
  };
  const goOn = (): void => {
    if (ended.signal.aborted) return;
    tty.start(events);
    shown.resume();
  };

  const writeElsewhere = async (): Promise<void> => {
    const edited = await controller.handOver(() => editExternally(editor.text(), settings.env));
    if (edited.ok) editor.set(edited.value);
    else controller.print({ type: "error", text: edited.error });
    shown.now();
  };

  const editing = editingKeys(controller, {
    look: (direction) => {
      const text = past.step(direction, editor.text());
      if (text !== undefined) editor.set(text);
      return text !== undefined || past.isAt(editor.text());
    },
    isLookingBack: () => past.isAt(editor.text()),
    search: panel.search,
    suspend: () => suspend({ leave, goOn }),
    externalEditor: () => void writeElsewhere(),
    chooseModel: () => slash("/model"),
    monotonicMs: host.monotonicMs,
  });

  /** A bug in what a key does must not leave the terminal raw. */
  const guarded =
    <T>(work: (value: T) => void) =>
    (value: T): void => {
      try {
        work(value);
        shown.now();
      } catch (error) {
        stage.fail(error);
      }
    };

  const events: TtyEvents = {
    key: guarded((data) => {
      if (!panel.isAsking() && asked.key(data)) return;
      if (!panel.key(data)) (panel.isAsking() ? editor.key : editing)(data);
      asked.typed();
    }),
    paste: guarded((text) => {
      editor.paste(text);
      asked.typed();
    }),
    resize: () => {
      shown.forget();
      shown.now();
    },
    focus: bell.focus,
    background: guarded((reply) => {
      looks.backgroundIs(reply);
      begin();
    }),
    gone: () => controller.quit(129),
  };

  stage.setLive(() => {
    const size = tty.size();
    const { paint } = looks;
    return liveLines({
      view: view(),
      look: looks.look(size.columns, view().choices.expanded),
      size,
      nowMs: host.unixMs(),
      footer: { cwd: homeRelative(host.target.cwd, host.home), branch, thinking: host.thinking(), policy },
      hint: word.text(),
      panel: (rows) =>
        asked.waiting() && !panel.isAsking()
          ? asked.lines(size.columns, rows, paint)
          : panel.lines(promptFor(view().facts.target), size.columns, rows, paint),
    });
  });

  const askBranch = async (): Promise<void> => {
    branch = await host.branch();
    shown.soon();
  };

  return {
    on: (event) => {
      sent.on(event);
      bell.on(event);
      turning.follow(view().task ? "running" : "idle");
      if (event.family === "session" && event.type === "resumed") void showResumed(event.id);
      if (event.family !== "task") return;
      if (event.type === "waiting_approval") asked.appeared();
      if (event.type === "completed") void askBranch();
    },
    open: () => {
      tty.start(events);
      if (looks.waitsForBackground()) setTimeout(begin, BACKGROUND_MS);
      else begin();
    },
  };

  /** Once: when the terminal has told its background, or has not for a while. */
  function begin(): void {
    if (begun || ended.signal.aborted) return;
    begun = true;
    shown.printFirst({ type: "said", lines: headerLines(view().facts, host, looks.paint) });
    const warnings = [...settings.keys.warnings, ...(looks.warning === undefined ? [] : [looks.warning])];
    for (const text of warnings) shown.print([{ type: "warning", text }]);
    shown.resume();
    void askBranch();
    if (first?.type === "prompt") controller.submit(first.text);
    if (first?.type === "pick_session") void pickSession(controller, host);
  }

  async function showResumed(id: string): Promise<void> {
    controller.say(...(await host.showSession(id)));
  }
}
