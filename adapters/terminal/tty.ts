import { StdinBuffer, setKittyProtocolActive } from "@earendil-works/pi-tui";
import type { Output } from "../host/output.ts";

export type Size = { readonly columns: number; readonly rows: number };

/** The terminal as the REPL uses it: keys in, text out, and always a way back to how it was. */
export type Tty = {
  readonly start: (on: TtyEvents) => void;
  /** Restores the terminal at once; doing it twice does no harm. */
  readonly stop: () => void;
  readonly write: (text: string) => void;
  readonly size: () => Size;
};

export type TtyEvents = {
  /** One key as the terminal sent it. */
  readonly key: (data: string) => void;
  readonly paste: (text: string) => void;
  readonly resize: () => void;
  readonly focus: (focused: boolean) => void;
  /** The terminal's answer to what its background colour is, raw. */
  readonly background: (reply: string) => void;
  /** Nobody is there any more. */
  readonly gone: () => void;
};

const HIDE_CURSOR = "\u001b[?25l";
const SHOW_CURSOR = "\u001b[?25h";
// Bracketed paste, focus reports, and keys that tell Shift+Enter from Enter where the terminal can.
const ENTER = `\u001b[?2004h\u001b[?1004h\u001b[>1u\u001b[?u\u001b[>4;1m${HIDE_CURSOR}`;
const LEAVE = `\u001b[?2026l\u001b[?7h\u001b[?2004l\u001b[?1004l\u001b[<u\u001b[>4;0m\u001b[0m${SHOW_CURSOR}`;
const ASK_BACKGROUND = "\u001b]11;?\u0007";
/** A lone Escape is told from the start of a sequence by waiting; over a network a sequence may arrive in parts. */
const ESCAPE_MS = 25;
const REMOTE_ESCAPE_MS = 100;

export function processTty(stdout: Output, env: Readonly<Record<string, string | undefined>>): Tty {
  let release: (() => void) | undefined;

  const start = (on: TtyEvents): void => {
    const remote = Boolean(env.SSH_CONNECTION || env.SSH_TTY);
    const buffer = new StdinBuffer({ escapeTimeout: remote ? REMOTE_ESCAPE_MS : ESCAPE_MS });
    buffer.on("data", (data) => route(data, on));
    buffer.on("paste", on.paste);
    const { stdin } = process;
    const onData = (chunk: Buffer | string) => buffer.process(chunk.toString());
    // Not SIGWINCH: when that comes, the size that Bun knows may still be the old one.
    process.stdout.on("resize", on.resize);
    stdin.setRawMode(true);
    stdin.setEncoding("utf8");
    stdin.on("data", onData);
    stdin.on("end", on.gone);
    stdin.on("error", on.gone);
    stdin.resume();
    stdout.write(`${ENTER}${ASK_BACKGROUND}`);
    release = () => {
      process.stdout.off("resize", on.resize);
      stdin.off("data", onData);
      stdin.off("end", on.gone);
      stdin.off("error", on.gone);
      buffer.destroy();
      stdin.pause();
      stdin.setRawMode(false);
    };
  };

  return {
    start,
    stop: () => {
      if (release === undefined) return;
      const undo = release;
      release = undefined;
      stdout.write(LEAVE);
      setKittyProtocolActive(false);
      undo();
    },
    write: (text) => void stdout.write(text),
    size: () => {
      const [columns, rows] = process.stdout.getWindowSize();
      return { columns: Math.max(1, columns || 80), rows: Math.max(2, rows || 24) };
    },
  };
}

/** Answers and reports of the terminal are not keys. */
function route(data: string, on: TtyEvents) {
  if (data === "\u001b[I" || data === "\u001b[O") return on.focus(data === "\u001b[I");
  if (data.startsWith("\u001b]11;")) return on.background(data);
  const kitty = /^\u001b\[\?(\d+)u$/.exec(data);
  if (kitty) return setKittyProtocolActive(kitty[1] !== "0");
  if (/^\u001b(?:[\]PX^_]|\[\?[\d;]*[a-z]$)/.test(data)) return;
  on.key(data);
}
