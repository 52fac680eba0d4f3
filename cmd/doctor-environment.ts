import { accessSync, constants } from "node:fs";
import { reasonOf } from "../adapters/host/errno.ts";
import { isTerminal } from "../adapters/host/output.ts";
import { probe } from "../adapters/host/probe.ts";
import type { Invocation } from "./command.ts";
import type { Check } from "./doctor-check.ts";
import { versionLine } from "./version.ts";

/** How long a program may take to say its version. */
const PROBE_MS = 3000;

/** What is around buddy; nothing of it is needed for the plainest run. */
export async function environmentChecks(invocation: Invocation): Promise<readonly Check[]> {
  const { env } = invocation;
  const [tmux, ssh, docker, podman] = await Promise.all([
    program("tmux", ["tmux", "-V"], "commands run without a pane to watch", env),
    program("ssh", ["ssh", "-V"], "--ssh cannot be used", env),
    program("docker", ["docker", "--version"], "", env),
    program("podman", ["podman", "--version"], "", env),
  ]);
  return [
    { name: "buddy", status: "ok", detail: `${versionLine().trim()}, ${process.platform} ${process.arch}` },
    terminal(env),
    directory(invocation),
    tmux,
    ssh,
    engines(docker, podman),
  ];
}

function terminal(env: Invocation["env"]): Check {
  const [input, output, errors] = [0, 1, 2].map(isTerminal);
  const locale = env.LC_ALL || env.LC_CTYPE || env.LANG || "none";
  const facts = `TERM ${env.TERM || "none"}, locale ${locale}, stdin ${word(input)}, stdout ${word(output)}, stderr ${word(errors)}`;
  const controlling = canAsk();
  return {
    name: "terminal",
    status: controlling ? "ok" : "warning",
    detail: facts,
    ...(controlling ? {} : { hint: "there is no terminal to ask for approvals on: give --approve" }),
  };
}

const word = (isThere: boolean | undefined): string => (isThere ? "terminal" : "no terminal");

function canAsk(): boolean {
  try {
    accessSync("/dev/tty", constants.R_OK | constants.W_OK);
    return [0, 1, 2].some(isTerminal);
  } catch {
    return false; // no such device, or not ours
  }
}

function directory({ cwd }: Invocation): Check {
  try {
    accessSync(cwd, constants.W_OK);
    return { name: "directory", status: "ok", detail: `"${cwd}" can be written` };
  } catch (error) {
    const detail = `"${cwd}": ${reasonOf(error)}; sessions go to the state directory`;
    return { name: "directory", status: "warning", detail };
  }
}

async function program(
  name: string,
  argv: readonly string[],
  without: string,
  env: Invocation["env"],
): Promise<Check> {
  const probed = await probe(argv, env, PROBE_MS);
  switch (probed.type) {
    case "absent":
      return { name, status: "warning", detail: `not found${without === "" ? "" : `: ${without}`}` };
    case "silent":
      return { name, status: "warning", detail: `did not answer within ${PROBE_MS / 1000} s` };
    case "said":
      return probed.code === 0
        ? { name, status: "ok", detail: probed.line }
        : { name, status: "warning", detail: `${argv.join(" ")} failed: ${probed.line}` };
  }
}

function engines(docker: Check, podman: Check): Check {
  const found = [docker, podman].filter(({ status }) => status === "ok");
  if (found.length > 0) {
    return { name: "containers", status: "ok", detail: found.map(({ detail }) => detail).join("; ") };
  }
  const detail = `docker ${docker.detail}, podman ${podman.detail}: --container cannot be used`;
  return { name: "containers", status: "warning", detail };
}
