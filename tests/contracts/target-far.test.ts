import { afterAll, beforeAll } from "bun:test";
import { type FarPlace, openFarTarget } from "../../adapters/target/open-far.ts";
import type { Target } from "../../core/ports/target.ts";
import { type Podman, startPodman } from "../rigs/podman.ts";
import { withPrograms } from "../rigs/programs.ts";
import { type Sshd, startSshd } from "../rigs/sshd.ts";
import { targetContract } from "./target.contract.ts";
import { targetFilesContract } from "./target-files.contract.ts";
import { never } from "./target-runs.ts";

type Env = Readonly<Record<string, string>>;

async function open(place: Pick<FarPlace, "ssh" | "container" | "cwd">, env: Env): Promise<Target> {
  const opened = await openFarTarget({ ...place, localCwd: "/", env, asks: false }, never());
  if (!opened.ok) throw new Error(opened.error.message);
  return opened.value.target;
}

let sshd: Sshd;
let podman: Podman;

const overSsh = (env: Env): Env => ({ ...env, PATH: `${sshd.bin}:${env.PATH}` });

const SSH = ["ssh", "sshd", "ssh-keygen"];
const PODMAN = ["podman", "runc", "busybox"];

function contracts(name: string, open: (place: { cwd: string; env: Env }) => Promise<Target>): void {
  targetContract(name, open, { place: "elsewhere" });
  targetFilesContract(name, open, { place: "elsewhere" });
}

withPrograms("ssh plain", SSH, () => {
  beforeAll(async () => {
    sshd = await startSshd();
  });
  contracts("ssh plain", ({ cwd, env }) =>
    open({ ssh: sshd.address, container: undefined, cwd }, overSsh(env)),
  );
});

withPrograms("containers", PODMAN, () => {
  beforeAll(async () => {
    podman = await startPodman();
    await podman.run("plain", "contract");
  }, 60_000);
  contracts("container plain", ({ cwd, env }) =>
    open({ ssh: undefined, container: "contract", cwd }, { ...env, BUDDY_CONTAINER_ENGINE: podman.podman }),
  );

  withPrograms("docker client on podman's socket", ["docker"], () => {
    contracts("docker client on podman's socket", ({ cwd, env }) =>
      open({ ssh: undefined, container: "contract", cwd }, { ...env, BUDDY_CONTAINER_ENGINE: podman.docker }),
    );
  });

  withPrograms("container on ssh", SSH, () => {
    contracts("container on ssh", ({ cwd, env }) =>
      open(
        { ssh: sshd.address, container: "contract", cwd },
        { ...overSsh(env), BUDDY_CONTAINER_ENGINE: podman.podman },
      ),
    );
  });
});

// Behind everything else, so that connections are closed before what they lead to is gone.
afterAll(async () => {
  await podman?.[Symbol.asyncDispose]();
  await sshd?.[Symbol.asyncDispose]();
});
