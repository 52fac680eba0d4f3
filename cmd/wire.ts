import * as v from "valibot";
import { findKey } from "../adapters/auth/keys.ts";
import { loadConfig } from "../adapters/config/load.ts";
import { userPaths } from "../adapters/config/paths.ts";
import { systemHost } from "../adapters/host/host.ts";
import { completions } from "../adapters/model/completions.ts";
import { httpModel } from "../adapters/model/http.ts";
import { sessionFiles } from "../adapters/store/session-files.ts";
import { openLocalTarget } from "../adapters/target/open.ts";
import { type ActiveProfile, chooseProfile } from "../core/config/profile.ts";
import { type Config, configSchema } from "../core/config/schema.ts";
import { parseDuration } from "../core/duration.ts";
import type { Sink } from "../core/event.ts";
import { type Failure, failure } from "../core/failure.ts";
import { outputLimits } from "../core/output-limit.ts";
import type { ApprovalPolicy } from "../core/policy/approval.ts";
import type { Host } from "../core/ports/host.ts";
import type { Model } from "../core/ports/model.ts";
import { systemPrompt } from "../core/prompt.ts";
import { type Redact, redactor } from "../core/redact.ts";
import { err, ok, type Result } from "../core/result.ts";
import { type Runtime, startRuntime } from "../core/runtime/actor.ts";
import { toolset } from "../core/tool.ts";
import { builtinTools } from "../core/tools/index.ts";
import type { Invocation } from "./command.ts";
import { VERSION } from "./version.ts";

/** The one file that knows every adapter: from flags, environment and files to a runtime. */
export type App = {
  readonly runtime: Runtime;
  readonly model: Model;
  /** Ends everything that was opened. */
  readonly close: () => Promise<void>;
};

export type Settings = {
  readonly config: Config;
  readonly profile: ActiveProfile;
  readonly policy: ApprovalPolicy;
  readonly warnings: readonly string[];
};

/** What a model tells whoever wraps it, for instance to record it. */
export type ModelParts = { readonly model: Model; readonly redact: Redact };

const UNKNOWN_CONTEXT_TOKENS = 8192;

/** Everything that can be wrong before something is opened or sent. */
export async function loadSettings(invocation: Invocation): Promise<Result<Settings, Failure>> {
  const { flags, env, cwd } = invocation;
  const loaded = await loadConfig({
    only: flags.text("config") ?? env.BUDDY_CONFIG,
    cwd,
    paths: userPaths(env),
    env,
    trusted: flags.on("trust"),
    flags: { name: "Flags", values: flagValues(invocation) },
  });
  if (!loaded.ok) return err(failure("usage", loaded.error));
  const { config, warnings } = loaded.value;
  const profile = chooseProfile(config, {
    wanted: flags.text("model") ?? env.BUDDY_MODEL ?? env.AGENT_MODEL,
    baseUrl: flags.text("base-url") ?? env.BUDDY_BASE_URL ?? env.AGENT_BASE_URL,
  });
  if (!profile.ok) return err(failure("usage", profile.error));
  const policy = approvalPolicy(flags.text("approve") ?? env.BUDDY_APPROVE ?? "ask", systemHost);
  if (!policy.ok) return err(failure("usage", policy.error));
  return ok({ config, profile: profile.value, policy: policy.value, warnings });
}

export function wireModel(
  { config, profile }: Settings,
  invocation: Invocation,
): Result<ModelParts, Failure> {
  const key = findKey(profile, invocation.env, invocation.cwd);
  if (!key.ok) return key;
  const redact = redactor(key.value ? [key.value] : []);
  const model = httpModel(systemHost, completions(), {
    profile: profile.name,
    baseUrl: profile.api_base_url,
    key: key.value,
    headers: profile.headers,
    userAgent: `buddy/${VERSION}`,
    options: {
      model: profile.model,
      stream: profile.stream,
      maxOutputTokens: profile.max_output_tokens,
      temperature: config.agent.temperature,
      topP: config.agent.top_p,
    },
    retries: config.network.retries,
    idleTimeoutMs: config.network.idle_timeout,
    redact,
  });
  return ok({ model, redact });
}

/** Every key at its default: what an empty file means. */
export const defaultConfig = (): Config => v.parse(configSchema, {});

export type AppParts = {
  readonly settings: Pick<Settings, "config" | "policy" | "warnings">;
  readonly model: Model;
  readonly sinks: readonly Sink[];
  readonly invocation: Pick<Invocation, "cwd" | "env" | "flags">;
  readonly saves: boolean;
};

export function startApp({ settings, model, sinks, invocation, saves }: AppParts): App {
  const { config, policy, warnings } = settings;
  const { cwd, env, flags } = invocation;
  const paths = userPaths(env);
  const target = openLocalTarget({ cwd, home: paths.home, env });
  const switches = { shell: config.tools.shell_enabled, files: config.tools.files_enabled };
  const runtime = startRuntime({
    version: VERSION,
    host: systemHost,
    model,
    target,
    tools: toolset(flags.on("no-tools") ? [] : builtinTools(switches)),
    limits: {
      shellTimeoutMs: config.tools.shell_timeout,
      ...outputLimits(config.tools.output_limit, UNKNOWN_CONTEXT_TOKENS),
    },
    system: systemPrompt({
      operator: [flags.text("append-system-prompt") ?? "", config.agent.system_prompt],
      target: target.summary,
      cwd,
      date: new Date(systemHost.unixMs()).toISOString().slice(0, 10),
    }),
    maxIterations: config.agent.max_iterations,
    parallelTools: config.agent.parallel_tools,
    policy,
    confirm: { shell: config.tools.shell_confirm },
    store: saves ? sessionFiles({ cwd, stateDir: paths.stateDir, prefer: config.sessions.dir }) : undefined,
    sinks,
  });
  runtime.emit({ family: "lifecycle", type: "started", version: VERSION });
  runtime.emit({
    family: "lifecycle",
    type: "config_loaded",
    profile: model.profile,
    model: model.model,
    target: target.summary,
  });
  for (const message of warnings) {
    runtime.emit({ family: "warning", type: "warning", code: "config", message });
  }
  return { runtime, model, close: target.close };
}

function flagValues({ flags }: Invocation): Record<string, unknown> {
  const iterations = flags.text("max-iterations");
  return iterations === undefined ? {} : { agent: { max_iterations: Number(iterations) } };
}

function approvalPolicy(text: string, host: Host): Result<ApprovalPolicy, string> {
  if (text === "ask" || text === "all" || text === "none") return ok({ type: text });
  const windowMs = parseDuration(text);
  if (windowMs === undefined)
    return err(`--approve must be ask, all, none or a duration such as 10m, not "${text}"`);
  return ok({ type: "window", untilMs: host.monotonicMs() + windowMs });
}
