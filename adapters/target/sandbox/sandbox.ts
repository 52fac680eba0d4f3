import { existsSync } from "node:fs";
import { err, ok, type Result } from "../../../core/result.ts";
import { reasonOf } from "../../host/errno.ts";
import { bubblewrap } from "./bubblewrap.ts";
import { seatbelt } from "./seatbelt.ts";
import { type SandboxPlace, type Walls, wallsOf } from "./walls.ts";

/** The program that runs another one inside of walls. */
export type Sandbox = (argv: readonly string[]) => readonly string[];

/** Fails where there is none that works: nobody who asked for walls gets a command without them. */
export function workspaceSandbox(place: SandboxPlace): Result<Sandbox, string> {
  const found = programFor(process.platform);
  if (!found.ok) return found;
  const walls = wallsOf(place);
  const sandbox: Sandbox = (argv) => found.value.wrap(found.value.program, walls, argv);
  const why = whyNot(sandbox);
  return why === undefined ? ok(sandbox) : err(`${found.value.program} does not work here: ${why}`);
}

/** It may be there and not be let: containers often forbid what it needs. */
function whyNot(sandbox: Sandbox): string | undefined {
  const argv = [...sandbox(["/bin/sh", "-c", "true"])];
  try {
    const { exitCode, stderr } = Bun.spawnSync(argv, { stdin: "ignore", env: {}, timeout: TRY_MS });
    if (exitCode === 0) return undefined;
    return stderr.toString().trim().split("\n")[0] || `it ended with ${exitCode}`;
  } catch (error) {
    return reasonOf(error);
  }
}

const TRY_MS = 5000;

type Program = {
  readonly program: string;
  readonly wrap: (program: string, walls: Walls, argv: readonly string[]) => readonly string[];
};

function programFor(platform: string): Result<Program, string> {
  // Not looked up in PATH: what stands between a command and the machine is not chosen by the environment.
  const first = (...paths: readonly string[]) => paths.find((path) => existsSync(path));
  if (platform === "linux") {
    const program = first("/usr/bin/bwrap", "/bin/bwrap", "/usr/local/bin/bwrap");
    return program === undefined
      ? err("bubblewrap (bwrap) is not installed")
      : ok({ program, wrap: bubblewrap });
  }
  const program = platform === "darwin" ? first("/usr/bin/sandbox-exec") : undefined;
  return program === undefined ? err("this system has no sandbox") : ok({ program, wrap: seatbelt });
}
