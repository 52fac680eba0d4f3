import { userPaths } from "../adapters/config/paths.ts";
import { systemHost } from "../adapters/host/host.ts";
import { chooseTools } from "../core/choose-tools.ts";
import type { Config } from "../core/config/schema.ts";
import type { Sink } from "../core/event.ts";
import { type Extensions, registerExtensions } from "../core/extension.ts";
import { type Failure, failure } from "../core/failure.ts";
import { hookRunner } from "../core/hooks.ts";
import type { Store } from "../core/ports/store.ts";
import type { Target } from "../core/ports/target.ts";
import { systemPrompt } from "../core/prompt.ts";
import { err, ok, type Result } from "../core/result.ts";
import { type Runtime, startRuntime } from "../core/runtime/actor.ts";
import { screenExtension } from "../core/screen-note.ts";
import type { TaskRules } from "../core/task-rules.ts";
import { builtinExtension } from "../core/tools/index.ts";
import { bundleOf } from "./bundle.ts";
import type { Invocation } from "./command.ts";
import { promptFlag } from "./prompt-flags.ts";
import { redaction, secretHiding } from "./redaction.ts";
import { modelChosenBy, type Settings } from "./settings.ts";
import { VERSION } from "./version.ts";
import type { WiredModel } from "./wire-model.ts";
import { wireTarget } from "./wire-target.ts";
import { shellRules, toolServices } from "./wire-tools.ts";
import { wireWeb } from "./wire-web.ts";

// The composition root: from settings to ports to a runtime. Its parts are the other wire files.

export type App = {
  readonly runtime: Runtime;
  readonly target: Target;
  /** Absent when nothing is saved. */
  readonly store: Store | undefined;
  readonly extensions: Extensions;
  /** Ends everything that was opened. */
  readonly close: () => Promise<void>;
  /** The same for someone who does not wait. */
  readonly killNow: () => void;
};

/** Sessions are kept here, wherever the work is done. */
async function openStore(
  config: Config,
  { cwd, env }: Pick<Invocation, "cwd" | "env">,
  { summary }: Target,
): Promise<Store> {
  const { stateDir } = userPaths(env);
  const { sessionFiles } = await import("../adapters/store/session-files.ts");
  const { dir: prefer, keep_days: keepDays } = config.sessions;
  return sessionFiles({ cwd, stateDir, prefer, keepDays, made: { target: summary, buddy: VERSION } });
}

const panesKind = ({ panes }: Target): "managed" | "users" | undefined =>
  panes && (panes.manage ? "managed" : "users");

export type AppParts = {
  readonly settings: Pick<Settings, "config" | "policy" | "warnings">;
  readonly wired: WiredModel;
  /** Another model by name, for a run that may switch. */
  readonly find: (wanted: string) => Promise<Result<WiredModel, Failure>>;
  readonly sinks: readonly Sink[];
  readonly invocation: Pick<Invocation, "cwd" | "env" | "flags" | "stderr">;
  readonly saves: boolean;
  readonly rules?: TaskRules;
};

export async function startApp(parts: AppParts): Promise<Result<App, Failure>> {
  const { settings, wired, find, sinks, invocation, saves } = parts;
  const { config, policy, warnings } = settings;
  const { model } = wired;
  const { env, flags } = invocation;
  const replacement = promptFlag("system-prompt", invocation);
  if (!replacement.ok) return replacement;
  const appended = promptFlag("append-system-prompt", invocation);
  if (!appended.ok) return appended;
  // Which tools there are depends on it; from here on there is something to close.
  const opened = await wireTarget(config, invocation, userPaths(env));
  if (!opened.ok) return opened;
  const { target, paths } = opened.value;
  const { web, urls } = wireWeb(config, env);
  const switches = {
    shell: config.tools.shell_enabled,
    files: config.tools.files_enabled,
    web,
    panes: panesKind(target),
  };
  const screen = target.panes?.manage ? [screenExtension(target.panes)] : [];
  const hasTools = !flags.on("no-tools") && !flags.on("no-builtin-tools");
  const extensions = registerExtensions(hasTools ? [builtinExtension(switches), ...screen] : []);
  const tools = chooseTools(extensions.tools, flags.text("tools"));
  if (!tools.ok) {
    await target.close();
    return err(failure("usage", tools.error));
  }
  const services = toolServices(config, opened.value, wired.secrets);
  const hiding = await secretHiding(config, wired.secrets, systemHost);
  const careful = (one: WiredModel): WiredModel => ({ ...one, model: hiding.model(one.model) });
  const findCareful: AppParts["find"] = async (wanted) => {
    const found = await find(wanted);
    return found.ok ? ok(careful(found.value)) : found;
  };
  const store = saves ? await openStore(config, invocation, target) : undefined;
  const runtime = startRuntime({
    version: VERSION,
    host: systemHost,
    models: {
      first: bundleOf(config, careful(wired), findCareful),
      chosenBy: modelChosenBy(invocation),
      find: async (wanted) => {
        const found = await findCareful(wanted);
        return found.ok ? ok(bundleOf(config, found.value, findCareful)) : found;
      },
    },
    target,
    services: services.services,
    tools: hiding.tools(tools.value),
    hooks: hookRunner(systemHost, extensions.hooks),
    system: systemPrompt({
      replacement: replacement.value,
      operator: [appended.value ?? "", config.agent.system_prompt],
      target: target.summary,
      shared: target.panes?.manage !== undefined,
      cwd: target.cwd,
      date: new Date(systemHost.unixMs()).toISOString().slice(0, 10),
    }),
    maxIterations: config.agent.max_iterations,
    rules: parts.rules,
    parallelTools: config.agent.parallel_tools,
    queueMode: config.agent.queue_mode,
    policy,
    confirm: {
      shell: config.tools.shell_confirm,
      file: config.tools.files_confirm,
      url: config.tools.fetch_confirm,
    },
    deny: { shell: shellRules(config, paths), urls },
    store,
    redact: await redaction(wired.secrets, saves),
    sinks: [services.sink, ...sinks],
  });
  runtime.emit({ family: "lifecycle", type: "started", version: VERSION });
  runtime.emit({
    family: "lifecycle",
    type: "config_loaded",
    profile: model.profile,
    model: model.model,
    target: target.summary,
  });
  for (const message of [...warnings, ...opened.value.warnings]) {
    runtime.emit({ family: "warning", type: "warning", code: "config", message });
  }
  for (const message of extensions.warnings) {
    runtime.emit({ family: "warning", type: "warning", code: "extension", message });
  }
  const close = () => target.close().finally(services.close);
  return ok({ runtime, target, store, extensions, close, killNow: target.killNow });
}
