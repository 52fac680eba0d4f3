import { existsSync } from "node:fs";
import { createUserFile } from "../adapters/config/create.ts";
import { type FlagLayer, type LoadedConfig, loadConfig } from "../adapters/config/load.ts";
import { userPaths } from "../adapters/config/paths.ts";
import { THINKING_LEVELS } from "../core/config/choices.ts";
import { type ActiveProfile, chooseProfile, type ProfileChoice } from "../core/config/profile.ts";
import { parseDuration } from "../core/duration.ts";
import { type Failure, failure } from "../core/failure.ts";
import type { ApprovalPolicy } from "../core/policy/approval.ts";
import type { Host } from "../core/ports/host.ts";
import { err, ok, type Result } from "../core/result.ts";
import type { Invocation } from "./command.ts";

/** Everything that flags, environment and files decide before something is opened or sent. */
export type Settings = {
  readonly loaded: LoadedConfig;
  readonly config: LoadedConfig["config"];
  readonly profile: ActiveProfile;
  readonly policy: ApprovalPolicy;
  readonly warnings: readonly string[];
};

export async function loadSettings(invocation: Invocation, host: Host): Promise<Result<Settings, Failure>> {
  const { flags, env } = invocation;
  const loaded = await loadLayers(invocation);
  if (!loaded.ok) return loaded;
  const { config, warnings } = loaded.value;
  const profile = activeProfile(loaded.value, invocation);
  if (!profile.ok) return profile;
  const policy = approvalPolicy(flags.text("approve") ?? (env.BUDDY_APPROVE || "ask"), host);
  if (!policy.ok) return err(failure("usage", policy.error));
  return ok({ loaded: loaded.value, config, profile: profile.value, policy: policy.value, warnings });
}

/** The configuration alone, for commands that need no profile. */
export async function loadLayers(invocation: Invocation): Promise<Result<LoadedConfig, Failure>> {
  const { flags, env, cwd } = invocation;
  const values = flagValues(invocation);
  if (!values.ok) return err(failure("usage", values.error));
  const loaded = await loadConfig({
    only: flags.text("config") ?? (env.BUDDY_CONFIG || undefined),
    hermetic: flags.on("hermetic"),
    cwd,
    paths: userPaths(env),
    trustOnce: flags.on("trust"),
    flags: { name: "flags", own: true, values: values.value },
  });
  return loaded.ok ? loaded : err(failure("usage", loaded.error));
}

/** `wanted`: a profile or model named while buddy runs, instead of the one on the command line. */
export function activeProfile(
  loaded: LoadedConfig,
  { flags, env }: Invocation,
  wanted?: string,
  thinking: string | undefined = flags.text("thinking"),
): Result<ActiveProfile, Failure> {
  const level = THINKING_LEVELS.find((known) => known === thinking);
  if (thinking !== undefined && level === undefined) {
    return err(
      failure("usage", `--thinking must be one of ${THINKING_LEVELS.join(", ")}, not "${thinking}"`),
    );
  }
  const named = namedModel({ flags, env });
  const chosen = chooseProfile(loaded.config, {
    ...named,
    wanted: wanted ?? named.wanted,
    thinking: level,
    hasKey: (vendor) => Boolean(env[vendor.keyVariable] || env.BUDDY_API_KEY),
    own: loaded.ownProfiles,
  });
  return chosen.ok ? chosen : err(failure("usage", chosen.error));
}

type NamedModel = Pick<ProfileChoice, "wanted" | "provider" | "baseUrl">;

/** What flags and environment say about which model to use. */
const namedModel = ({ flags, env }: Pick<Invocation, "flags" | "env">): NamedModel => ({
  wanted: flags.text("model") ?? (env.BUDDY_MODEL || env.AGENT_MODEL || undefined),
  provider: flags.text("provider"),
  baseUrl: flags.text("base-url") ?? (env.BUDDY_BASE_URL || env.AGENT_BASE_URL || undefined),
});

/** Whether it was the user who chose the model of this run, or the configuration. */
export const modelChosenBy = (invocation: Pick<Invocation, "flags" | "env">): "user" | "default" =>
  Object.values(namedModel(invocation)).some((value) => value !== undefined) ? "user" : "default";

/** Writes the commented template for someone who has no file yet. What comes back is worth a line on stderr. */
export function createMissingFile(
  { missingUserFile: path }: LoadedConfig,
  { env }: Pick<Invocation, "env">,
): string | undefined {
  const { home } = userPaths(env);
  if (path === undefined) return undefined;
  if (home !== undefined && !existsSync(home)) return `The home directory "${home}" does not exist`;
  const created = createUserFile(path);
  return created.ok ? undefined : `Cannot create the configuration "${path}": ${created.error}`;
}

function flagValues({ flags }: Invocation): Result<FlagLayer["values"], string> {
  const iterations = flags.text("max-iterations");
  if (iterations === undefined) return ok({});
  if (!/^[1-9]\d{0,6}$/.test(iterations)) {
    return err(`--max-iterations must be a whole number from 1, not "${iterations}"`);
  }
  return ok({ agent: { max_iterations: Number(iterations) } });
}

function approvalPolicy(text: string, host: Host): Result<ApprovalPolicy, string> {
  if (text === "ask" || text === "all" || text === "none") return ok({ type: text });
  const windowMs = parseDuration(text);
  if (windowMs === undefined)
    return err(`--approve must be ask, all, none or a duration such as 10m, not "${text}"`);
  return ok({ type: "window", untilMs: host.monotonicMs() + windowMs });
}
