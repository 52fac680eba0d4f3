import { tmpdir } from "node:os";
import type { UserPaths } from "../adapters/config/paths.ts";
import { openLocalTarget } from "../adapters/target/open.ts";
import type { Sandbox } from "../adapters/target/sandbox/sandbox.ts";
import type { Config } from "../core/config/schema.ts";
import { type Failure, failure } from "../core/failure.ts";
import type { Target } from "../core/ports/target.ts";
import { err, ok, type Result } from "../core/result.ts";
import type { Invocation } from "./command.ts";
import { fileRules } from "./wire-tools.ts";

type Place = Pick<Invocation, "cwd" | "env">;

/** Where commands run and files are. */
export async function wireTarget(
  config: Config,
  place: Place,
  paths: UserPaths,
): Promise<Result<Target, Failure>> {
  const sandbox = await wantedSandbox(config, place, paths);
  return sandbox.ok ? ok(localTarget(config, place, paths, sandbox.value)) : sandbox;
}

/** This machine, for looking at files only. */
export const localFilesTarget = (config: Config, place: Place, paths: UserPaths): Target =>
  localTarget(config, place, paths, undefined);

function localTarget(
  { tools, models }: Config,
  { cwd, env }: Place,
  { home }: UserPaths,
  sandbox: Sandbox | undefined,
): Target {
  const hold = Object.values(models).map((profile) => profile.api_key_env);
  return openLocalTarget({ cwd, home, env, envRules: { pass: tools.env_pass, hold }, sandbox });
}

async function wantedSandbox(
  config: Config,
  { cwd }: Place,
  paths: UserPaths,
): Promise<Result<Sandbox | undefined, Failure>> {
  const { sandbox, sandbox_network: network, shell_enabled } = config.tools;
  if (sandbox === "off" || !shell_enabled) return ok(undefined);
  const { workspaceSandbox } = await import("../adapters/target/sandbox/sandbox.ts");
  const { home, ownPaths = [] } = fileRules(config, paths);
  const made = workspaceSandbox({ cwd, home, temporary: tmpdir(), ownPaths, network });
  if (made.ok) return made;
  const hint = 'install it, or set tools.sandbox = "off" to run commands without walls';
  return err(failure("usage", `Cannot run commands in a sandbox (tools.sandbox): ${made.error}`, { hint }));
}
