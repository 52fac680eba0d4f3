import { afterAll, beforeAll } from "bun:test";
import { openLocal } from "../../adapters/target/open.ts";
import { openFarTarget } from "../../adapters/target/open-far.ts";
import { withTmux } from "../../adapters/target/tmux/with-tmux.ts";
import type { Transport } from "../../adapters/target/transport/transport.ts";
import type { Target } from "../../core/ports/target.ts";
import { type TmuxServer, tmuxServer } from "../fakes/tmux-server.ts";
import { type Podman, startPodman } from "../rigs/podman.ts";
import { withPrograms } from "../rigs/programs.ts";
import { type Sshd, startSshd } from "../rigs/sshd.ts";
import { never } from "./target-runs.ts";
import { targetTmuxContract } from "./target-tmux.contract.ts";

let count = 0;

/** Each target has a session of its own. */
async function inPane(opened: {
  readonly target: Target;
  readonly transport: Transport;
  readonly reach: readonly string[];
}): Promise<Target> {
  count += 1;
  const name = `contract-${count}`;
  const settings = { name, reach: opened.reach, watched: false, maxSessions: 9, maxPanes: 5 };
  const managed = await withTmux(opened.target, opened.transport, settings);
  if (!managed.ok) throw new Error(managed.error.detail);
  return managed.value;
}

async function far(place: { ssh?: string; container?: string; cwd: string }, env: Record<string, string>) {
  const { ssh, container, cwd } = place;
  const opened = await openFarTarget({ ssh, container, cwd, localCwd: "/", env, asks: false }, never());
  if (!opened.ok) throw new Error(opened.error.message);
  return inPane(opened.value);
}

let server: TmuxServer;
let sshd: Sshd;
let podman: Podman;

withPrograms("local tmux", ["tmux"], () => {
  beforeAll(() => {
    server = tmuxServer();
  });
  const open = ({ cwd }: { readonly cwd: string }) =>
    inPane({ ...openLocal({ cwd, home: undefined, env: server.env }), reach: [] });
  targetTmuxContract("local tmux", open, { place: "elsewhere" });
});

withPrograms("ssh tmux", ["tmux", "ssh", "sshd", "ssh-keygen"], () => {
  beforeAll(async () => {
    sshd = await startSshd();
  });
  targetTmuxContract(
    "ssh tmux",
    ({ cwd, env }) => far({ ssh: sshd.address, cwd }, { ...env, PATH: `${sshd.bin}:${env.PATH}` }),
    { place: "elsewhere" },
  );
});

withPrograms("container tmux", ["tmux", "bash", "podman", "runc", "busybox", "ldd"], () => {
  beforeAll(async () => {
    podman = await startPodman();
    await podman.run("full", "panes");
  }, 60_000);
  targetTmuxContract(
    "container tmux",
    ({ cwd, env }) => far({ container: "panes", cwd }, { ...env, BUDDY_CONTAINER_ENGINE: podman.podman }),
    { place: "elsewhere" },
  );
});

// Behind everything else, so that connections are closed before what they lead to is gone.
afterAll(async () => {
  await podman?.[Symbol.asyncDispose]();
  await sshd?.[Symbol.asyncDispose]();
  server?.[Symbol.dispose]();
});
