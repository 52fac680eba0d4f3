import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { findProgram, mustRun } from "./programs.ts";

/** A real podman with storage and settings of its own; nothing of the user's is touched. */
export type Podman = AsyncDisposable & {
  /** Scripts that call podman, or docker on podman's socket, with these settings: for BUDDY_CONTAINER_ENGINE. */
  readonly podman: string;
  readonly docker: string;
  readonly env: Readonly<Record<string, string>>;
  readonly call: (...words: readonly string[]) => Promise<string>;
  /** Starts a container that has this machine's temporary directory, and nothing else of it. */
  readonly run: (image: Image, name: string) => Promise<void>;
};

/** `plain`: busybox alone. `full`: bash and tmux as well. `bare`: a program, but no shell. */
export type Image = "plain" | "full" | "bare";

export async function startPodman(): Promise<Podman> {
  const root = mkdtempSync(join(tmpdir(), "buddy-podman-"));
  const at = (name: string) => join(root, name);
  writeFileSync(at("containers.conf"), CONTAINERS_CONF);
  writeFileSync(
    at("storage.conf"),
    `[storage]\ndriver = "vfs"\ngraphroot = "${at("graph")}"\nrunroot = "${at("run")}"\n`,
  );
  const env = { CONTAINERS_CONF: at("containers.conf"), CONTAINERS_STORAGE_CONF: at("storage.conf") };
  const settings = Object.entries(env).map(([name, value]) => `${name}=${value}`);
  writeProgram(at("podman"), `exec env ${settings.join(" ")} ${findProgram("podman")} "$@"`);
  const socket = `unix://${at("podman.sock")}`;
  writeProgram(
    at("docker"),
    `exec env DOCKER_HOST=${socket} DOCKER_CONFIG=${root} ${findProgram("docker")} "$@"`,
  );
  const call = (...words: readonly string[]) => mustRun([at("podman"), ...words]);
  const service = Bun.spawn([at("podman"), "system", "service", "--time", "0", socket], {
    env: { PATH: process.env.PATH ?? "", HOME: root },
    stdin: "ignore",
    stdout: "ignore",
    stderr: "ignore",
  });
  const images = new Map<Image, Promise<unknown>>();
  return {
    podman: at("podman"),
    docker: at("docker"),
    env,
    call,
    run: async (image, name) => {
      const imported = images.get(image) ?? importImage(call, root, image);
      images.set(image, imported);
      await imported;
      const mount = `${tmpdir()}:${tmpdir()}`;
      const program = [image === "bare" ? "/busybox" : "/bin/busybox", "sleep", "100000"];
      // With the temporary directory comes the socket of this machine's own tmux, which is none of its business.
      const settings = ["-v", mount, "-e", "TMUX_TMPDIR=/root", "-e", "LANG=C.UTF-8"];
      await call("run", "-d", "--name", name, ...settings, `rig-${image}`, ...program);
    },
    [Symbol.asyncDispose]: async () => {
      await call("rm", "-f", "-t", "0", "-a");
      service.kill("SIGKILL");
      await service.exited;
      endMonitors(root);
      rmSync(root, { recursive: true, force: true });
    },
  };
}

/** After an exec over its socket podman leaves a monitor behind for five minutes, in case somebody asks how it ended. */
function endMonitors(root: string): void {
  for (const pid of readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
    try {
      const [program = "", ...words] = readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0");
      const isOurs = program.endsWith("conmon") && words.some((word) => word.startsWith(`${root}/`));
      if (isOurs) process.kill(Number(pid), "SIGKILL");
    } catch {
      // it ended while we were looking
    }
  }
}

const CONTAINERS_CONF = `[containers]
default_ulimits = ["nofile=1024:1024", "nproc=1024:1024"]
netns = "none"
[engine]
runtime = "runc"
cgroup_manager = "cgroupfs"
events_logger = "file"
`;

function writeProgram(path: string, line: string): void {
  writeFileSync(path, `#!/bin/sh\n${line}\n`);
  chmodSync(path, 0o755);
}

async function importImage(call: Podman["call"], root: string, image: Image): Promise<void> {
  const tree = join(root, image);
  const busybox = findProgram("busybox") ?? "busybox";
  for (const dir of ["bin", "tmp", "etc", "proc", "dev", "sys", "root"]) {
    mkdirSync(join(tree, dir), { recursive: true });
  }
  if (image === "bare") {
    await mustRun(["cp", busybox, join(tree, "busybox")]);
  } else {
    await mustRun(["cp", busybox, join(tree, "bin/busybox")]);
    const applets = (await mustRun([busybox, "--list"])).split("\n").filter((name) => name !== "busybox");
    for (const name of applets) symlinkSync("busybox", join(tree, "bin", name));
  }
  if (image === "full") {
    await copyWithLibraries(tree, ["bash", "tmux"]);
    writeFileSync(join(tree, "etc/passwd"), `root:x:0:0:root:/root:${findProgram("bash")}\n`);
  }
  const archive = join(root, `${image}.tar`);
  await mustRun(["tar", "-C", tree, "-cf", archive, "."]);
  await call("import", "-q", archive, `rig-${image}`);
}

/** Programs of this machine with the libraries and terminal descriptions that they need. */
async function copyWithLibraries(tree: string, names: readonly string[]): Promise<void> {
  const programs = names.map((name) => findProgram(name) ?? name);
  const listed = await Promise.all(programs.map((path) => mustRun(["ldd", path])));
  const libraries = listed.flatMap((text) => text.match(/\/\S+/g) ?? []);
  for (const path of new Set([...programs, ...libraries])) {
    mkdirSync(join(tree, dirname(path)), { recursive: true });
    await mustRun(["cp", "-L", path, join(tree, path)]);
  }
  for (const dir of ["/usr/share/terminfo", "/lib/terminfo", "/usr/lib/locale/C.utf8"]) {
    await mustRun([
      "sh",
      "-c",
      `[ ! -d ${dir} ] || { mkdir -p ${tree}${dir} && cp -RL ${dir}/. ${tree}${dir}; }`,
    ]);
  }
}
