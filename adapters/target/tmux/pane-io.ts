import type { Result } from "../../../core/result.ts";
import type { Transport } from "../transport/transport.ts";
import type { Control } from "./control.ts";
import { runScript } from "./once.ts";
import { PROBE, type Terminal, terminalOf } from "./probe.ts";
import { tmuxQuote } from "./quote.ts";
import { SWEEP, sweepArguments, type Uptime, uptimeOf, type Window } from "./sweep.ts";

/** What is done to one pane, each in the words of tmux. */
export type PaneIo = {
  readonly id: string;
  /** Types a text as it is. A line editor that takes blocks gets it as one. */
  readonly paste: (text: string) => void;
  /** Types a line where the prompt ends, with Enter; answers whether the cursor was there, else nothing is typed. */
  readonly typeAtPrompt: (text: string) => Promise<boolean>;
  readonly keys: (...names: readonly string[]) => void;
  /** A pane that is being scrolled swallows what is typed. */
  readonly leaveModes: () => void;
  /** Whether it was written; what is told after it comes after it. */
  readonly writeFile: (path: string, text: string) => Promise<boolean>;
  readonly facts: (formats: readonly string[]) => Promise<readonly string[]>;
  /** The screen, without blank lines at its end. */
  readonly screen: () => Promise<string>;
  readonly terminal: () => Promise<Terminal>;
  /** As close as it has been measured so far. */
  readonly uptime: () => Uptime | undefined;
  /** Makes the directory of the server's socket again where somebody has removed it, and has the server come back. */
  readonly heal: (path: string) => Promise<void>;
  readonly sweep: (windows: readonly Window[]) => Promise<void>;
  readonly tell: (command: string) => void;
  readonly ask: (command: string) => Promise<Result<readonly string[], string>>;
};

/** Whether the cursor stood where it should when its turn came. */
const GO = "@buddy_go";

/** A pane that is being scrolled swallows what is typed. */
export const leaveModes = ({ either }: Control, pane: string): Promise<unknown> =>
  either({
    pane,
    when: "#{pane_in_mode}",
    yes: `send-keys -t ${pane} -X cancel`,
    no: "display-message -p",
  });

const HEAL = 'dir=$(dirname "$1"); [ -d "$dir" ] || { mkdir -p -m 700 "$dir" && kill -USR1 "$2"; }';

export function paneIo(transport: Transport, control: Control, id: string): PaneIo {
  const { ask, tell, either } = control;
  const buffer = `buddy${id}`;
  let uptime: Uptime | undefined;
  const facts = async (formats: readonly string[]): Promise<readonly string[]> => {
    const said = await ask(
      `display-message -p -t ${id} ${tmuxQuote(formats.map((format) => `#{${format}}`).join("\t"))}`,
    );
    return said.ok ? (said.value[0] ?? "").split("\t") : [];
  };
  return {
    id,
    uptime: () => uptime,
    ask,
    tell,
    facts,
    paste: (text) => {
      tell(`set-buffer -b ${buffer} -- ${tmuxQuote(text)}`);
      tell(`paste-buffer -p -d -b ${buffer} -t ${id}`);
    },
    keys: (...names) => tell(`send-keys -t ${id} ${names.map(tmuxQuote).join(" ")}`),
    leaveModes: () => void leaveModes(control, id),
    typeAtPrompt: async (text) => {
      const at = "#{==:#{cursor_x},#{@buddy_prompt_x}}";
      const go = (yes: string, no: string, when = `#{${GO}}`) => either({ pane: id, when, yes, no });
      void leaveModes(control, id);
      tell(`set-buffer -b ${buffer} -- ${tmuxQuote(text)}`);
      void go(`set-option -p -t ${id} ${GO} 1`, `set-option -p -t ${id} ${GO} 0`, at);
      void go(`paste-buffer -p -d -b ${buffer} -t ${id}`, `delete-buffer -b ${buffer}`);
      const said = await go(`send-keys -t ${id} Enter`, "display-message -p no");
      return said.ok && said.value.length === 0;
    },
    writeFile: (path, text) => {
      tell(`set-buffer -b ${buffer}n -- ${tmuxQuote(text)}`);
      const saved = ask(`save-buffer -b ${buffer}n ${tmuxQuote(path)}`);
      tell(`delete-buffer -b ${buffer}n`);
      return saved.then(({ ok }) => ok);
    },
    screen: async () => {
      const said = await ask(`capture-pane -p -t ${id}`);
      return said.ok ? Buffer.from(said.value.join("\n"), "latin1").toString("utf8").trimEnd() : "";
    },
    terminal: async () => {
      const [pid = "", tty = ""] = await facts(["pane_pid", "pane_tty"]);
      const askedMs = performance.now();
      const said = await runScript(transport, PROBE, [pid, tty]);
      const terminal = terminalOf(said.ok ? said.value : "");
      const now = terminal.uptime && uptimeOf(terminal.uptime, askedMs, performance.now());
      const width = (one: Uptime) => one.mostMs - one.leastMs;
      if (now && (uptime === undefined || width(now) < width(uptime))) uptime = now;
      return terminal;
    },
    heal: async (path) => {
      const [pid = ""] = await facts(["pid"]);
      await runScript(transport, HEAL, [path, pid]);
    },
    sweep: async (windows) => {
      const [pid = ""] = await facts(["pane_pid"]);
      if (pid !== "" && uptime) await runScript(transport, SWEEP, sweepArguments(pid, windows, uptime));
    },
  };
}
