import type { UserPaths } from "../adapters/config/paths.ts";
import { openLocalTarget } from "../adapters/target/open.ts";
import type { Config } from "../core/config/schema.ts";
import type { Target } from "../core/ports/target.ts";
import type { Invocation } from "./command.ts";

/** Where commands run and files are. */
export function wireTarget(
  { tools, models }: Config,
  { cwd, env }: Pick<Invocation, "cwd" | "env">,
  { home }: UserPaths,
): Target {
  const hold = Object.values(models).map((profile) => profile.api_key_env);
  return openLocalTarget({ cwd, home, env, envRules: { pass: tools.env_pass, hold } });
}
