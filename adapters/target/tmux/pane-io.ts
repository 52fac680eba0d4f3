import type { Result } from "../../../core/result.ts";
import type { Transport } from "../transport/transport.ts";
import type { Control } from "./control.ts";
import { runScript } from "./once.ts";
import { PROBE, type Terminal, terminalOf } from "./probe.ts";
import { tmuxQuote } from "./quote.ts";
import { SWEEP, sweepArguments, type Window } from "./sweep.ts";

/** What is done to one pane, each in the words of tmux. */
export type PaneIo = {
  readonly id: string;
  /** Types a text as it is. A line editor that takes blocks gets it as one. */
  readonly paste: (text: string) => void;
  readonly keys: (...names: readonly string[]) => void;
  /** A pane that is being scrolled swallows what is typed. */
  readonly leaveModes: () => void;
  readonly writeFile: (path: string, text: string) => void;
  readonly facts: (formats: readonly string[]) => Promise<readonly string[]>;
  /** The screen, without blank lines at its end. */
  readonly screen: () => Promise<string>;
  readonly terminal: () => Promise<Terminal>;
  readonly sweep: (windows: readonly Window[]) => Promise<void>;
  readonly tell: (command: string) => void;
  readonly ask: (command: string) => Promise<Result<readonly string[], string>>;
};

export function paneIo(transport: Transport, control: Control, id: string): PaneIo {
  const { ask, tell } = control;
  const buffer = `buddy${id}`;
  const facts = async (formats: readonly string[]): Promise<readonly string[]> => {
    const said = await ask(
      `display-message -p -t ${id} ${tmuxQuote(formats.map((format) => `#{${format}}`).join("\t"))}`,
    );
    return said.ok ? (said.value[0] ?? "").split("\t") : [];
  };
  return {
    id,
    ask,
    tell,
    facts,
    paste: (text) => {
      tell(`set-buffer -b ${buffer} -- ${tmuxQuote(text)}`);
      tell(`paste-buffer -p -d -b ${buffer} -t ${id}`);
    },
    keys: (...names) => tell(`send-keys -t ${id} ${names.map(tmuxQuote).join(" ")}`),
    leaveModes: () => tell(`if-shell -F -t ${id} '#{pane_in_mode}' 'send-keys -t ${id} -X cancel'`),
    writeFile: (path, text) => {
      tell(`set-buffer -b ${buffer}n -- ${tmuxQuote(text)}`);
      tell(`save-buffer -b ${buffer}n ${tmuxQuote(path)}`);
      tell(`delete-buffer -b ${buffer}n`);
    },
    screen: async () => {
      const said = await ask(`capture-pane -p -t ${id}`);
      return said.ok ? Buffer.from(said.value.join("\n"), "latin1").toString("utf8").trimEnd() : "";
    },
    terminal: async () => {
      const [pid = "", tty = ""] = await facts(["pane_pid", "pane_tty"]);
      const said = await runScript(transport, PROBE, [pid, tty]);
      return terminalOf(said.ok ? said.value : "");
    },
    sweep: async (windows) => {
      const [pid = ""] = await facts(["pane_pid"]);
      if (pid !== "") await runScript(transport, SWEEP, sweepArguments(pid, windows));
    },
  };
}
