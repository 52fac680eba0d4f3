import {
  appendFileSync,
  chmodSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findProgram, mustRun } from "./programs.ts";

/** A real sshd on loopback with keys of its own. */
export type Sshd = AsyncDisposable & {
  /** For `--ssh`. */
  readonly address: string;
  readonly port: number;
  /** A directory for the front of PATH, with an ssh that knows the keys. */
  readonly bin: string;
  readonly root: string;
  /** Its key is known at another port too. */
  readonly trust: (port: number) => void;
  /** The server's process. Those of its connections are its children. */
  readonly pid: () => number;
  /** Ends the server and every connection at once. */
  readonly kill: () => Promise<void>;
  readonly restart: () => Promise<void>;
};

export async function startSshd(): Promise<Sshd> {
  const root = mkdtempSync(join(tmpdir(), "buddy-sshd-"));
  const port = await freePort();
  const user = await mustRun(["id", "-un"]);
  const at = (name: string) => join(root, name);
  for (const key of ["host", "user"]) {
    await mustRun(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", at(key)]);
  }
  copyFileSync(at("user.pub"), at("authorized"));
  const hostKey = await Bun.file(at("host.pub")).text();
  writeFileSync(at("known"), `[127.0.0.1]:${port} ${hostKey}`);
  writeFileSync(at("sshd_config"), serverConfig(root, port));
  writeFileSync(at("ssh_config"), clientConfig(root, port));
  mkdirSync(at("bin"));
  writeFileSync(at("bin/ssh"), `#!/bin/sh\nexec ${findProgram("ssh")} -F ${at("ssh_config")} "$@"\n`);
  chmodSync(at("bin/ssh"), 0o755);
  // Where sshd gives up its rights; packages leave it to the system's start.
  if (process.getuid?.() === 0) mkdirSync("/run/sshd", { recursive: true, mode: 0o755 });

  let server = await listen(root);
  const kill = async (): Promise<void> => {
    const connections = await childrenOf(server.pid);
    server.kill("SIGKILL");
    for (const pid of connections) killQuietly(pid);
    await server.exited;
  };
  return {
    address: `${user}@127.0.0.1:${port}`,
    port,
    bin: at("bin"),
    root,
    trust: (other) => appendFileSync(at("known"), `[127.0.0.1]:${other} ${hostKey}`),
    pid: () => server.pid,
    kill,
    restart: async () => {
      server = await listen(root);
    },
    [Symbol.asyncDispose]: async () => {
      await kill();
      Bun.spawnSync(["tmux", "kill-server"], { env: { PATH: process.env.PATH, TMUX_TMPDIR: root } });
      rmSync(root, { recursive: true, force: true });
    },
  };
}

async function listen(root: string) {
  const server = Bun.spawn([findProgram("sshd") ?? "sshd", "-D", "-e", "-f", join(root, "sshd_config")], {
    env: { PATH: process.env.PATH ?? "" },
    stdin: "ignore",
    stdout: "ignore",
    stderr: "pipe",
  });
  let said = "";
  const errors = server.stderr.getReader();
  while (!said.includes("Server listening")) {
    const { done, value } = await errors.read();
    if (done) throw new Error(`sshd did not start: ${said}`);
    said += new TextDecoder().decode(value);
  }
  // What it says later is read so that it never waits for us.
  void (async () => {
    while (!(await errors.read()).done);
  })();
  return server;
}

const serverConfig = (root: string, port: number): string =>
  [
    `Port ${port}`,
    "ListenAddress 127.0.0.1",
    `HostKey ${root}/host`,
    `AuthorizedKeysFile ${root}/authorized`,
    "PidFile none",
    "UsePAM no",
    "StrictModes no",
    "PasswordAuthentication no",
    "KbdInteractiveAuthentication no",
    "PermitRootLogin prohibit-password",
    "MaxStartups 200",
    // A bash that is not the first one does not read the start-up files of whoever runs the tests.
    // And a tmux server of its own serves who comes this way.
    `SetEnv SHLVL=3 TMUX_TMPDIR=${root} TMPDIR=${root} LANG=C.UTF-8`,
    "",
  ].join("\n");

const clientConfig = (root: string, port: number): string =>
  [
    "Host rig",
    "  HostName 127.0.0.1",
    `  Port ${port}`,
    "Host *",
    `  IdentityFile ${root}/user`,
    "  IdentitiesOnly yes",
    `  UserKnownHostsFile ${root}/known`,
    "  GlobalKnownHostsFile /dev/null",
    "",
  ].join("\n");

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.listen(0, "127.0.0.1", () => {
      const address = probe.address();
      probe.close(() =>
        address === null || typeof address === "string"
          ? reject(new Error("no port is free"))
          : resolve(address.port),
      );
    });
  });
}

/** The processes that a process started, and theirs. */
export async function childrenOf(pid: number): Promise<readonly number[]> {
  const listed = await mustRun(["ps", "-e", "-o", "pid=,ppid="]);
  const pairs = listed.split("\n").map((line) => line.trim().split(/\s+/).map(Number));
  const below = (parent: number): readonly number[] =>
    pairs.flatMap(([child = 0, of]) => (of === parent ? [child, ...below(child)] : []));
  return below(pid);
}

function killQuietly(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // it is gone already
  }
}
