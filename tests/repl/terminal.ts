// A real terminal for the executable: a tmux server of its own, on a socket of its own, whose screen is read as text.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { BUDDY, type Place } from "../cmd/run-buddy.ts";

export type Terminal = AsyncDisposable & {
  /** Types text as it is. */
  readonly type: (text: string) => Promise<void>;
  /** Presses keys by tmux's names for them: `Enter`, `C-c`, `M-Enter`. */
  readonly press: (...keys: readonly string[]) => Promise<void>;
  /** As a terminal sends it when something is pasted. */
  readonly paste: (text: string) => Promise<void>;
  readonly resize: (columns: number, rows: number) => Promise<void>;
  /** The visible screen, without blanks at the ends of lines and empty lines at the end. */
  readonly screen: () => Promise<string>;
  /** With colours. */
  readonly coloured: () => Promise<string>;
  /** Everything that was ever printed and is not live. */
  readonly scrollback: () => Promise<string>;
  /** The screen as soon as it has a match; rejects, showing the screen, when it never does. */
  readonly sees: (pattern: RegExp | string) => Promise<string>;
  /** The screen as soon as nothing in it matches any more. */
  readonly loses: (pattern: RegExp | string) => Promise<string>;
  /** Settles when the program has ended. */
  readonly ended: () => Promise<void>;
  readonly run: (...args: readonly string[]) => Promise<string>;
};

export type TerminalOptions = {
  readonly columns?: number;
  readonly rows?: number;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** What is run instead of buddy; `$BUDDY` is the executable. */
  readonly shell?: string;
};

const PATIENCE_MS = 10_000;
const LOOK_MS = 15;

/** Why these tests cannot run here, if so. */
export const noTmux: string | undefined = Bun.which("tmux") === null ? "tmux is not installed" : undefined;

export async function openTerminal(place: Place, options: TerminalOptions = {}): Promise<Terminal> {
  const { columns = 80, rows = 24, args = [], env = {}, shell } = options;
  const dir = mkdtempSync(join(tmpdir(), "buddy-tmux-"));
  const socket = join(dir, "s");
  const run = async (...words: readonly string[]): Promise<string> => {
    const child = Bun.spawn(["tmux", "-S", socket, "-f", "/dev/null", ...words], {
      stdout: "pipe",
      stderr: "pipe",
      env: {
        PATH: process.env.PATH ?? "",
        HOME: place.home,
        TERM: "xterm-256color",
        LANG: "C.UTF-8",
        LC_ALL: "C.UTF-8",
      },
    });
    const [stdout, stderr, code] = await Promise.all([
      child.stdout.text(),
      child.stderr.text(),
      child.exited,
    ]);
    if (code !== 0) throw new Error(`tmux ${words.join(" ")}: ${stderr}`);
    return stdout;
  };
  const all = {
    HOME: place.home,
    USER: "me",
    TERM: "tmux-256color",
    COLORTERM: "truecolor",
    LANG: "C.UTF-8",
    BUDDY,
    ...env,
  };
  const given = Object.entries({ PATH: process.env.PATH ?? "", ...all }).map(
    ([name, value]) => `${name}=${value}`,
  );
  const command = shell === undefined ? [BUDDY, "--no-tmux", ...args] : ["/bin/sh", "-c", shell];
  await run(
    "new-session",
    "-d",
    "-x",
    String(columns),
    "-y",
    String(rows),
    "-c",
    place.cwd,
    ";",
    "set",
    "-g",
    "remain-on-exit",
    "on",
    ";",
    "set",
    "-g",
    "history-limit",
    "20000",
    ";",
    "set",
    "-g",
    "set-clipboard",
    "on",
    ";",
    "respawn-pane",
    "-k",
    "-c",
    place.cwd,
    "--",
    "env",
    "-i",
    ...given,
    ...command,
  );

  const capture = async (...words: readonly string[]): Promise<string> =>
    tidy(await run("capture-pane", "-p", "-t", ":0.0", ...words));
  const screen = () => capture();

  const until = async (wanted: (text: string) => boolean, what: string): Promise<string> => {
    const deadline = performance.now() + PATIENCE_MS;
    for (;;) {
      const text = await screen();
      if (wanted(text)) return text;
      if (performance.now() > deadline) throw new Error(`The screen never ${what}:\n${text}`);
      await Bun.sleep(LOOK_MS);
    }
  };
  /** tmux knows at once that a program has ended; that it says so on the screen can take it long. */
  const ended = async (): Promise<void> => {
    const deadline = performance.now() + PATIENCE_MS;
    while ((await run("display", "-p", "-t", ":0.0", "#{pane_dead}")).trim() !== "1") {
      if (performance.now() > deadline) throw new Error(`It never ended:\n${await screen()}`);
      await Bun.sleep(LOOK_MS);
    }
  };
  const has = (text: string, pattern: RegExp | string) =>
    typeof pattern === "string" ? text.includes(pattern) : pattern.test(text);

  return {
    run,
    ended,
    type: async (text) => void (await run("send-keys", "-t", ":0.0", "-l", "--", text)),
    press: async (...keys) => void (await run("send-keys", "-t", ":0.0", ...keys)),
    paste: async (text) => {
      await run("set-buffer", "-b", "pasted", "--", text);
      await run("paste-buffer", "-p", "-d", "-b", "pasted", "-t", ":0.0");
    },
    resize: async (width, height) =>
      void (await run("resize-window", "-x", String(width), "-y", String(height))),
    screen,
    coloured: () => capture("-e"),
    scrollback: () => capture("-S", "-"),
    sees: (pattern) => until((text) => has(text, pattern), `showed ${pattern}`),
    loses: (pattern) => until((text) => !has(text, pattern), `lost ${pattern}`),
    [Symbol.asyncDispose]: async () => {
      await run("kill-server").catch(() => {}); // it may have ended by itself
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

const tidy = (text: string): string =>
  text
    .split("\n")
    .map((line) => line.trimEnd())
    .join("\n")
    .trimEnd();
