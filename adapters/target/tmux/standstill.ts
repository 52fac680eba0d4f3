import type { RunEnd, RunRequest } from "../../../core/ports/target.ts";
import type { PaneInside, RunSettings } from "./pane-inside.ts";
import { askedOfUser } from "./wheel.ts";

export type StandstillWatch = {
  /** Something was written. */
  readonly moved: () => void;
  readonly stop: () => void;
};

type Watched = {
  readonly pane: PaneInside;
  readonly settings: RunSettings;
  readonly request: RunRequest;
  /** Whether the shell has begun with the command. */
  readonly isTaken: () => boolean;
  readonly onAttention: (text: string) => void;
  /** Nobody is there for what is asked. */
  readonly onGivenUp: (end: RunEnd) => void;
  /** The shell stands at a prompt that has no mark. */
  readonly onHookLost: () => void;
};

/** First look after so long without output, then less and less often. */
const FIRST_MS = 30;
const LONGEST_MS = 10_000;
/** From here on it is looked thoroughly, which starts a process on the target. */
const THOROUGH_MS = 400;

/** Looks what a command that has gone quiet is waiting for. */
export function watchStandstill(watched: Watched): StandstillWatch {
  let quietMs = FIRST_MS;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let stopped = false;
  let told: string | undefined;
  let mended = false;

  const look = async (): Promise<void> => {
    const { io, shellEnded, paneClosed } = watched.pane;
    const [dead, code = "", signal = ""] = await io.facts([
      "pane_dead",
      "pane_dead_status",
      "pane_dead_signal",
    ]);
    if (stopped) return;
    if (dead === undefined) return paneClosed();
    if (code !== "" || signal !== "") return shellEnded(code, signal);
    if (dead === "1") io.tell(WAKE);
    const found = quietMs >= THOROUGH_MS ? await whatStands(watched) : undefined;
    if (stopped) return;
    if (found?.type === "ended") io.tell(WAKE);
    if (found?.type === "hook_lost" && !mended) {
      mended = true;
      watched.onHookLost();
    }
    if (found?.type === "asked" && found.what !== told) {
      told = found.what;
      if (!watched.settings.watched) return giveUp(found.what);
      watched.onAttention(`In the pane ${found.what}. Type it there: ${watched.settings.attachHint}`);
    }
    quietMs = Math.min(LONGEST_MS, quietMs * 2);
    arm();
  };
  const giveUp = (what: string): void => {
    watched.onGivenUp({
      type: "failed",
      detail: `The command stood still: ${what}, and nobody is there to answer. It was ended`,
    });
  };
  const arm = (): void => {
    clearTimeout(timer);
    if (!stopped) timer = setTimeout(() => void look(), quietMs);
  };
  arm();
  return {
    moved: () => {
      quietMs = FIRST_MS;
      arm();
    },
    stop: () => {
      stopped = true;
      clearTimeout(timer);
    },
  };
}

/** tmux now and then misses that a child has ended, until another one does. */
export const WAKE = "run-shell -b :";

const SHELL = /^-?(ba|z|da|a|k|mk)?sh$|^busybox$/;

type Found = { readonly type: "hook_lost" | "ended" } | { readonly type: "asked"; readonly what: string };

async function whatStands({ pane, request, isTaken }: Watched): Promise<Found | undefined> {
  const { io } = pane;
  const [alternate, x = "0", y = "0", program = ""] = await io.facts([
    "alternate_on",
    "cursor_x",
    "cursor_y",
    "pane_current_command",
  ]);
  const terminal = await io.terminal();
  if (terminal.ended) return { type: "ended" };
  const { shell } = pane.state();
  // A shell without an editor reads its lines like any program, so there only what could have done it is suspected.
  const atPrompt = shell === "sh" ? /PS1|exec/.test(request.command) : !terminal.canonical;
  if (isTaken() && terminal.shellInFront && SHELL.test(program) && atPrompt) return { type: "hook_lost" };
  const row = await io.ask(`capture-pane -p -N -t ${io.id} -S ${y} -E ${y}`);
  const line = row.ok ? Buffer.from(row.value.join(""), "latin1").toString("utf8").slice(0, Number(x)) : "";
  const what = askedOfUser({ line, alternate: alternate === "1", terminal });
  return what === undefined ? undefined : { type: "asked", what };
}
