import { openLocal } from "../../../adapters/target/open.ts";
import { withTmux } from "../../../adapters/target/tmux/with-tmux.ts";
import type { RunEnd, Target } from "../../../core/ports/target.ts";
import { type TmuxServer, tmuxServer } from "../../fakes/tmux-server.ts";

export const SHELLS = ["bash", "zsh", "dash"] as const;

export type SharedTarget = AsyncDisposable & { readonly target: Target; readonly server: TmuxServer };

export type SharedOptions = {
  readonly watched?: boolean;
  readonly maxSessions?: number;
  readonly maxPanes?: number;
  readonly server?: TmuxServer;
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
};

/** This machine with its commands in a pane of a server of its own. */
export async function openShared(shell: string, options: SharedOptions = {}): Promise<SharedTarget> {
  const server = options.server ?? tmuxServer(Bun.which(shell) ?? shell);
  const { target, transport } = openLocal({
    cwd: options.cwd ?? server.dir,
    home: server.dir,
    env: { ...options.env, ...server.env, HOME: server.dir },
  });
  const shared = await withTmux(target, transport, {
    name: "test",
    reach: [],
    watched: options.watched ?? false,
    maxSessions: options.maxSessions ?? 1,
    maxPanes: options.maxPanes ?? 5,
  });
  if (!shared.ok) throw new Error(shared.error.detail);
  return {
    target: shared.value,
    server,
    [Symbol.asyncDispose]: async () => {
      await shared.value.close();
      if (options.server === undefined) server[Symbol.dispose]();
    },
  };
}

export type Ran = { readonly stdout: string; readonly end: RunEnd; readonly notices: readonly string[] };

export async function runIn(
  target: Target,
  command: string,
  { timeoutMs = 20_000, signal = new AbortController().signal } = {},
): Promise<Ran> {
  const chunks: Uint8Array[] = [];
  const notices: string[] = [];
  let end: RunEnd | undefined;
  for await (const event of target.run({ command, timeoutMs }, signal)) {
    if ("bytes" in event) chunks.push(event.bytes);
    else if (event.type === "notice" || event.type === "attention") notices.push(event.text);
    else end = event;
  }
  if (end === undefined) throw new Error("No closing event");
  return { stdout: Buffer.concat(chunks).toString(), end, notices };
}

export const exited = (code: number, stdout: string): Ran => ({
  stdout,
  end: { type: "exited", code },
  notices: [],
});

export const missing = SHELLS.filter((shell) => Bun.which(shell) === null);
