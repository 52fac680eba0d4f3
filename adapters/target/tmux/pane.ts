import { randomBytes } from "node:crypto";
import type { RunEnd, RunEvent, RunRequest } from "../../../core/ports/target.ts";
import { err, ok, type Result } from "../../../core/result.ts";
import { after } from "../../host/timer.ts";
import { queue } from "../far/queue.ts";
import { interrupt } from "./fresh-prompt.ts";
import { BOOTSTRAP_LINE, hookText } from "./hook.ts";
import { type PaneItem, paneScanner } from "./marks.ts";
import { type PaneInside, type PaneListener, TYPED_BY_USER } from "./pane-inside.ts";
import type { PaneIo } from "./pane-io.ts";
import { canType, isFree, NEW_PANE, type PaneState, stepPane } from "./pane-state.ts";
import type { ShellKind } from "./read-command.ts";
import { runInPane } from "./run-in-pane.ts";
import { WAKE } from "./standstill.ts";
import { sweepArguments } from "./sweep.ts";
import { waitedSpans } from "./waited-spans.ts";

export type NotStarted = { readonly kind: "ended" | "silent"; readonly detail: string };

/** A pane whose shell has the hook. */
export type Pane = {
  readonly id: string;
  /** `onNotTyped`: the server was gone already, so nothing was typed; then there is no closing event. */
  readonly run: (request: RunRequest, onNotTyped: () => void, signal: AbortSignal) => AsyncIterable<RunEvent>;
  readonly onText: (text: string) => void | Promise<void>;
  /** The server is gone, or the client of it. */
  readonly onGone: (why: string) => void;
  /** Types the bootstrap into a shell that has just been started, and waits until its prompt is there. */
  readonly bootstrap: (signal: AbortSignal) => Promise<Result<ShellKind, NotStarted>>;
  /** Settles when tmux, too, is done with a program that has ended. */
  readonly buried: (signal: AbortSignal) => Promise<void>;
  /** Takes over a pane that has the hook already. */
  readonly adopt: (shell: ShellKind) => Promise<void>;
  readonly isIdle: () => boolean;
  readonly directory: () => Promise<string | undefined>;
  readonly isDead: () => boolean;
  /** A text from its screen without what the user has typed in answer to questions. */
  readonly mask: (text: string) => string;
  /** Ends what commands that were waited for have left behind. */
  readonly sweep: () => Promise<void>;
  /** The same for somebody who does not wait: what to run on the target. */
  readonly sweepArguments: () => readonly string[] | undefined;
};

const BOOTSTRAP_MS = 20_000;
const RETYPE_MS = 1500;
const STARTING_MS = 10;
const BURY_TIMES = 50;

export function openPane(io: PaneIo, file: string, attachHint: string, watched: boolean): Pane {
  const scan = paneScanner();
  let state: PaneState = NEW_PANE;
  let nonce = "";
  let dead = false;
  let gone = false;
  let listener: PaneListener | undefined;
  const watchers = new Set<() => void>();
  /** One command at a time is typed into it. */
  const turns = queue(1);
  const spans = waitedSpans();
  const hidden = new Set<string>();
  let pid: string | undefined;

  const freshNonce: PaneInside["freshNonce"] = () => {
    nonce = randomBytes(12).toString("hex");
    const written = io.writeFile(file, nonce);
    return { nonce, sent: written.then((ok) => ok || !gone) };
  };
  const change = (next: PaneState): void => {
    state = next;
    for (const wake of watchers) wake();
  };
  const waitUntil: PaneInside["waitUntil"] = (holds, ms, signal) =>
    new Promise((resolve) => {
      const settle = (value: boolean) => {
        watchers.delete(check);
        cancel();
        signal.removeEventListener("abort", stop);
        resolve(value);
      };
      const check = () => {
        if (holds(state)) settle(true);
      };
      const stop = () => settle(false);
      const cancel = after(ms, stop);
      watchers.add(check);
      signal.addEventListener("abort", stop, { once: true });
      if (signal.aborted) stop();
      else check();
    });

  const inside: PaneInside = {
    io,
    state: () => state,
    freshNonce,
    waitUntil,
    listen: (added) => {
      listener = added;
      return () => {
        if (listener === added) listener = undefined;
      };
    },
    restoreHook: async () => {
      await io.heal(file);
      void io.writeFile(file, nonce);
      void io.writeFile(`${file}.hook`, hookText());
      io.paste(` . '${file}.hook'`);
      io.keys("Enter");
    },
    markRefused: () => change({ ...state, running: false, atPrompt: true, touched: "line" }),
    isGone: () => dead,
    hide: (text) => void hidden.add(text),
    paneClosed: () => onGone("The pane was closed"),
    shellEnded: (code, signal) =>
      fail(
        signal === ""
          ? { type: "exited", code: Number(code) }
          : { type: "killed", signal: signalName(Number(signal)) },
      ),
    waitedFor: spans.begin,
    markRunning: () => change({ ...state, running: true, atPrompt: false }),
  };

  const onItem = (item: PaneItem): void | Promise<void> => {
    change(stepPane(state, item, nonce));
    // Where the prompt ends is how somebody's typing is told from a prompt that was drawn anew.
    if (item.type === "mark" && item.mark.type === "ready" && state.atPrompt) {
      io.tell(`set-option -p -F -t ${io.id} @buddy_prompt_x '#{cursor_x}'`);
      io.tell(`set-option -p -F -t ${io.id} @buddy_prompt_width '#{pane_width}'`);
    }
    return listener?.onItem(item);
  };
  const fail = (end: RunEnd): void => {
    dead = true;
    change(NEW_PANE);
    listener?.onEnd(end);
  };

  const onGone = (why: string): void => {
    gone = true;
    fail({ type: "failed", detail: `${why}; whether the command has run to its end is not known` });
  };

  return {
    id: io.id,
    run: async function* (request, onNotTyped, signal) {
      const leave = await turns.enter(signal);
      try {
        yield* runInPane(inside, { attachHint, watched, onNotTyped }, request, signal);
      } finally {
        leave();
      }
    },
    isIdle: () => isFree(state),
    directory: async () => (await io.facts(["pane_current_path"]))[0],
    isDead: () => dead,
    mask: (text) => [...hidden].reduce((masked, secret) => masked.replaceAll(secret, TYPED_BY_USER), text),
    sweep: async () => {
      const windows = spans.all();
      if (!dead && windows.length > 0) await io.sweep(windows);
    },
    sweepArguments: () => {
      const [windows, uptime] = [spans.all(), io.uptime()];
      if (dead || pid === undefined || uptime === undefined || windows.length === 0) return undefined;
      return sweepArguments(pid, windows, uptime);
    },
    onText: async (text) => {
      for (const item of scan(text)) {
        const taken = onItem(item);
        if (taken) await taken;
      }
    },
    onGone,
    bootstrap: async (signal) => {
      freshNonce();
      pid = (await io.facts(["pane_pid"]))[0];
      const deadline = performance.now() + BOOTSTRAP_MS;
      // A shell that comes to itself may throw away what was typed before; a slow one has it still to come.
      for (let again = true; again; again = performance.now() < deadline && !signal.aborted) {
        const listens = (await io.terminal()).shellInFront;
        if (listens) io.paste(BOOTSTRAP_LINE);
        if (listens) io.keys("Enter");
        if (await waitUntil(canType, listens ? RETYPE_MS : STARTING_MS, signal)) break;
        if ((await io.facts(["pane_dead"]))[0] === "1") {
          return err({
            kind: "ended",
            detail: `The shell in the pane ended at once. On its screen:\n${await io.screen()}`,
          });
        }
      }
      signal.throwIfAborted();
      if (canType(state) && state.shell !== undefined) return ok(state.shell);
      const screen = await io.screen();
      return err({
        kind: "silent",
        detail: `The shell in the pane did not come to its prompt. On its screen:\n${screen}`,
      });
    },
    buried: async (signal) => {
      for (let times = 0; times < BURY_TIMES && (await io.facts(["pane_dead"]))[0] === "0"; times++) {
        io.tell(WAKE);
        await waitUntil(() => false, STARTING_MS, signal);
      }
    },
    adopt: async (shell) => {
      const [promptX = "", x = "", shellPid] = await io.facts(["@buddy_prompt_x", "cursor_x", "pane_pid"]);
      pid = shellPid;
      freshNonce();
      change({ ...state, shell });
      const terminal = await io.terminal();
      const atPrompt = terminal.shellInFront && (shell === "sh" || !terminal.canonical);
      if (!atPrompt) return change({ ...state, running: true });
      if (promptX !== "" && promptX === x)
        return change({ ...state, atPrompt: true, takesBlocks: shell !== "sh" });
      // Something may stand half-typed behind the prompt, and nothing may be added to that.
      await interrupt(inside);
    },
  };
}

const SIGNALS: ReadonlyMap<number, string> = new Map([
  [1, "SIGHUP"],
  [2, "SIGINT"],
  [3, "SIGQUIT"],
  [6, "SIGABRT"],
  [8, "SIGFPE"],
  [9, "SIGKILL"],
  [11, "SIGSEGV"],
  [13, "SIGPIPE"],
  [14, "SIGALRM"],
  [15, "SIGTERM"],
]);

const signalName = (signal: number): string => SIGNALS.get(signal) ?? `signal ${signal}`;
