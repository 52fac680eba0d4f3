import { existsSync, rmSync } from "node:fs";
import { err, ok, type Result } from "../../../core/result.ts";
import { reasonOf } from "../../host/errno.ts";
import { type Spawned, spawnGroup } from "../../host/spawn.ts";
import { orAfter } from "../../host/timer.ts";
import { textOf } from "../far/keeper.ts";
import { shellWord } from "../far/quote.ts";
import type { Link, LinkFailure } from "./link.ts";
import { privateDirectory } from "./private-directory.ts";
import { type SshHost, sshName } from "./ssh-host.ts";

export type SshPlace = {
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  /** The user can be asked for a password, a passphrase or about a host key on the terminal. */
  readonly asks: boolean;
};

/** What the user's ssh_config must not change about the connection; all else is theirs. */
const OURS = [
  ...["-T", "-x", "-e", "none"],
  ...["ControlPersist=no", "RemoteCommand=none", "ClearAllForwardings=yes", "PermitLocalCommand=no"].flatMap(
    (option) => ["-o", option],
  ),
  ...["ServerAliveInterval=5", "ServerAliveCountMax=3", "ConnectTimeout=15"].flatMap((option) => [
    "-o",
    option,
  ]),
];

/**
 * ssh ends with its standard input, which is our life line, and the directory of its socket goes with it, however we
 * end. It does not get the interrupts of the terminal, because what runs over there has to be ended first.
 */
const MASTER = `exec 3<&0 </dev/null
dir=$1
shift
trap '' INT QUIT
"$@" <&3 3<&- &
pid=$!
exec 3<&-
trap 'kill "$pid" 2>/dev/null' TERM HUP
wait "$pid"
code=$?
while kill -0 "$pid" 2>/dev/null; do wait "$pid"; code=$?; done
rm -rf "$dir"
exit "$code"`;

/** How long ssh may take to close a connection in good order. */
const CLOSE_MS = 2000;

type Master = { readonly process: Spawned; readonly directory: string; readonly socket: string };

/** OpenSSH with one connection for everything. */
export function sshLink(host: SshHost, place: SshPlace): Link {
  const name = sshName(host);
  let master: Master | undefined;
  let attempts = 0;

  const connect = async (signal: AbortSignal): Promise<Result<void, LinkFailure>> => {
    // ssh takes its socket away when it ends; the rest of it may take a moment longer.
    if (master && !existsSync(master.socket)) await orAfter(CLOSE_MS, master.process.exited);
    if (master && existsSync(master.socket)) return ok(undefined);
    attempts += 1;
    // Somebody who is in the middle of something else is not asked for a password again.
    const asks = place.asks && attempts === 1;
    const opened = await openMaster(host, { ...place, asks }, signal);
    if (!opened.ok) return err(explain(opened.error));
    master = opened.value;
    void master.process.exited.then(() => {
      if (master === opened.value) master = undefined;
    });
    return ok(undefined);
  };
  const explain = (words: string): LinkFailure => explainSsh(host, words, place.asks);

  return {
    summary: `ssh ${name}`,
    reach: ["ssh", "-t", ...loginWords(host)],
    connect,
    start: (argv, options) => {
      if (master === undefined) return err(`The connection to ${name} is lost`);
      // Nothing but the shared connection may be used: whatever else ssh would try ends at once.
      const way = ["-F", "none", "-S", master.socket, "-o", "BatchMode=yes", "-o", "ProxyCommand=false"];
      const words = argv.map(shellWord).join(" ");
      const client = ["ssh", ...way, "-T", "-x", "-e", "none", ...addressOf(host), `exec ${words}`];
      return spawned(client, () => spawnGroup(client, place, options));
    },
    explain,
    close: async (how) => {
      const last = master;
      if (last === undefined) return;
      last.process.stdin?.close();
      const late = how === "at_once" || (await orAfter(CLOSE_MS, last.process.exited)) === "late";
      if (late) await last.process.end();
      rmSync(last.directory, { recursive: true, force: true });
    },
    killNow: () => master?.process.stdin?.close(),
  };
}

function spawned(argv: readonly string[], start: () => Spawned): Result<Spawned, string> {
  try {
    return ok(start());
  } catch (error) {
    return err(`Cannot start ${argv[0]}: ${reasonOf(error)}`);
  }
}

/** As a person would write it. */
const loginWords = ({ host, user, port }: SshHost): readonly string[] => [
  ...(port === undefined ? [] : ["-p", port]),
  user === undefined ? host : `${user}@${host}`,
];

const addressOf = ({ host, user, port }: SshHost): readonly string[] => [
  ...(user === undefined ? [] : ["-l", user]),
  ...(port === undefined ? [] : ["-p", port]),
  "--",
  host,
];

/** Settles when the connection stands: what is sent has come back. The error is what ssh said. */
async function openMaster(
  host: SshHost,
  { env, cwd, asks }: SshPlace,
  signal: AbortSignal,
): Promise<Result<Master, string>> {
  signal.throwIfAborted();
  if (!existsSync("/bin/sh")) return err("there is no /bin/sh to run ssh with");
  const directory = privateDirectory(env.XDG_RUNTIME_DIR);
  if (!directory.ok) return directory;
  const socket = `${directory.value}/s`;
  const ask = asks ? [] : ["-o", "BatchMode=yes"];
  const ssh = ["ssh", "-M", "-S", socket, ...OURS, ...ask, ...addressOf(host), "exec cat"];
  const argv = ["/bin/sh", "-c", MASTER, "sh", directory.value, ...ssh];
  const session = asks ? "shared" : "own";
  const started = spawned(argv, () => spawnGroup(argv, { cwd, env, session }, { stdin: "pipe" }));
  if (!started.ok) {
    rmSync(directory.value, { recursive: true, force: true });
    return started;
  }
  const child = started.value;
  const onAbort = () => {
    void child.end();
    // It may not have come far enough to do this itself.
    rmSync(directory.value, { recursive: true, force: true });
  };
  signal.addEventListener("abort", onAbort, { once: true });
  // It may be asking for a password: it must not go on doing so when we are gone.
  process.once("exit", onAbort);
  const words = textOf(child.stderr);
  void child.stdin?.write("\n");
  const echo = child.stdout[Symbol.asyncIterator]();
  const { done } = await echo.next();
  signal.removeEventListener("abort", onAbort);
  process.off("exit", onAbort);
  if (!done) {
    void drain(echo);
    return ok({ process: child, directory: directory.value, socket });
  }
  await child.exited;
  signal.throwIfAborted();
  return err(await words);
}

async function drain(echo: AsyncIterator<Uint8Array>): Promise<void> {
  while (!(await echo.next()).done);
}

const LAST_LINES = 3;

function explainSsh(host: SshHost, words: string, asked: boolean): LinkFailure {
  const lines = words
    .split(/[\r\n]+/)
    .map((line) => line.trim())
    .filter((line) => line !== "" && !line.startsWith("mux_client") && !/^@+$/.test(line));
  const said = lines.slice(-LAST_LINES).join("; ");
  const hint = hintFor(words, loginWords(host).join(" "), asked);
  return {
    message: `Cannot reach ${sshName(host)} over SSH${said === "" ? "" : `: ${said}`}`,
    hint,
  };
}

function hintFor(words: string, login: string, asked: boolean): string {
  if (/ssh: not found|No such file or directory: ssh/i.test(words)) return "install OpenSSH's client";
  if (/Host key verification failed|host key.*changed/i.test(words)) {
    return `connect once with: ssh ${login}, and compare the host key`;
  }
  if (/Permission denied/i.test(words)) {
    return asked
      ? `try: ssh ${login}`
      : `there is no terminal to ask for a password on: use a key or an agent, and try: ssh -o BatchMode=yes ${login}`;
  }
  if (/Could not resolve|Name or service not known/i.test(words)) {
    return "check the name, or give a Host of ~/.ssh/config";
  }
  return `try: ssh ${login}`;
}
