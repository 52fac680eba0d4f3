import { closeSync, constants, openSync } from "node:fs";
import { type UserPaths, userPaths } from "../adapters/config/paths.ts";
import type { EnvRules } from "../adapters/host/child-env.ts";
import { temporaryDirectory } from "../adapters/host/temporary.ts";
import { lazyLocal } from "../adapters/target/lazy-local.ts";
import type { TargetPlace } from "../adapters/target/open.ts";
import type { Sandbox } from "../adapters/target/sandbox/sandbox.ts";
import type { Transport } from "../adapters/target/transport/transport.ts";
import type { Config } from "../core/config/schema.ts";
import { type Failure, failure } from "../core/failure.ts";
import type { Target } from "../core/ports/target.ts";
import { err, ok, type Result } from "../core/result.ts";
import type { Invocation } from "./command.ts";
import { fileRules, type ToolPlace } from "./wire-tools.ts";

type Place = Pick<Invocation, "cwd" | "env">;
type Where = Pick<Invocation, "cwd" | "env" | "flags" | "stderr">;

/** Where commands run and files are, and what there is to say about it. */
export type WiredTarget = ToolPlace & { readonly warnings: readonly string[] };

/** A target with plain shells, and what is needed to have a shared terminal there instead. */
type Opened = ToolPlace & {
  readonly transport: Transport;
  /** How the user gets there, before `tmux attach`. */
  readonly reach: readonly string[];
};

/** Where somebody looks on, commands run in a shared terminal, as far as that is possible and not unwanted. */
export async function wireTarget(
  config: Config,
  invocation: Where,
  paths: UserPaths,
): Promise<Result<WiredTarget, Failure>> {
  const { flags, env, stderr } = invocation;
  const sandbox = await wantedSandbox(config, invocation, paths);
  if (!sandbox.ok) return sandbox;
  const insists = flags.on("tmux");
  if (insists && (flags.on("no-tmux") || sandbox.value)) {
    const other = sandbox.value ? "tools.sandbox, which has no terminal inside its walls" : "--no-tmux";
    return err(failure("usage", `Give --tmux or ${other}, not both`));
  }
  const watched = stderr.isTerminal();
  const hasShell = config.tools.shell_enabled && !sandbox.value;
  const shares = !flags.on("no-tmux") && hasShell && (insists || watched);
  const here = localPlace(config, invocation, paths, sandbox.value);
  if (!shares && !isElsewhere(flags)) {
    const target = hasShell ? await besideUser(lazyLocal(here), env) : lazyLocal(here);
    return ok({ target, paths, keepIn: undefined, warnings: [] });
  }
  const opened = isElsewhere(flags)
    ? await openElsewhere(config, invocation)
    : ok(await openHere(here, paths));
  if (!opened.ok) return opened;
  const { target, paths: pathsThere, keepIn } = opened.value;
  const plain = { target, paths: pathsThere, keepIn, warnings: [] };
  if (!shares) return ok(plain);
  const inside = isElsewhere(flags) ? undefined : await insideManagedPane(env);
  if (inside) return err(inside);
  const { withTmux } = await import("../adapters/target/tmux/with-tmux.ts");
  const managed = await withTmux(target, opened.value.transport, {
    name: flags.text("tmux") || config.agent.name,
    reach: opened.value.reach,
    watched,
    maxSessions: config.tmux.max_sessions,
    maxPanes: config.tmux.max_panes,
  });
  if (managed.ok) return ok({ ...plain, target: managed.value });
  const where = isElsewhere(flags) ? ` (${plain.target.summary})` : "";
  const detail = `${managed.error.detail}${where}`;
  if (!insists) return ok({ ...plain, warnings: [`${detail}: each command runs in a shell of its own`] });
  await plain.target.close();
  return err(failure("target", detail, { hint: "install tmux, or leave --tmux out" }));
}

const isElsewhere = (flags: Where["flags"]): boolean => flags.on("ssh") || flags.on("container");

async function openHere(place: TargetPlace, paths: UserPaths): Promise<Opened> {
  const { openLocal } = await import("../adapters/target/open.ts");
  return { ...openLocal(place), paths, reach: [], keepIn: undefined };
}

/** A place that cannot be reached is the end of it: nothing is ever done here instead. */
async function openElsewhere(config: Config, { flags, env, cwd }: Where): Promise<Result<Opened, Failure>> {
  const { openFarTarget } = await import("../adapters/target/open-far.ts");
  const place = { ssh: flags.text("ssh"), container: flags.text("container"), cwd: flags.text("cwd") };
  const ways = { localCwd: cwd, env, envRules: envRules(config), asks: hasTerminal() };
  const opened = await openFarTarget({ ...place, ...ways }, new AbortController().signal);
  if (opened.ok) {
    const { home, temporary } = opened.value;
    const keepIn = `${temporary}/buddy-${crypto.randomUUID()}`;
    return ok({ ...opened.value, paths: userPaths({ HOME: home }), keepIn });
  }
  const { kind, message, hint } = opened.error;
  return err(failure(kind, message, hint === undefined ? {} : { hint }));
}

/** Whether a terminal is there on which a program can ask for a password. */
function hasTerminal(): boolean {
  try {
    closeSync(openSync("/dev/tty", constants.O_RDWR));
    return true;
  } catch {
    return false; // cron, CI, a detached session
  }
}

/** What is said at the start of a run whose commands can be watched. */
export const attachLine = ({ panes }: Target): string | undefined =>
  panes?.manage ? `Commands run in a shared terminal; see it with: ${panes.attachHint}` : undefined;

/** This machine, for looking at files only. */
export const localFilesTarget = (config: Config, place: Place, paths: UserPaths): Target =>
  lazyLocal(localPlace(config, place, paths, undefined));

function localPlace(config: Config, { cwd, env }: Place, { home }: UserPaths, sandbox: Sandbox | undefined) {
  return { cwd, home, env, envRules: envRules(config), sandbox };
}

/** Programs of ours get no key, whatever the variable is called that holds it. */
const envRules = ({ tools, models }: Config): EnvRules => ({
  pass: tools.env_pass,
  hold: Object.values(models).map((profile) => profile.api_key_env),
});

/** In a tmux window of the user's, the panes beside buddy's own can be seen. */
async function besideUser(target: Target, { TMUX, TMUX_PANE }: Invocation["env"]): Promise<Target> {
  const [socket] = (TMUX ?? "").split(",");
  if (!socket || !TMUX_PANE) return target;
  const { windowOf } = await import("../adapters/target/tmux/own-pane.ts");
  return { ...target, panes: windowOf(socket, TMUX_PANE) };
}

/** In the pane that it types into, buddy would type to itself. */
async function insideManagedPane(env: Invocation["env"]): Promise<Failure | undefined> {
  const [socket] = (env.TMUX ?? "").split(",");
  if (!socket || !env.TMUX_PANE) return undefined;
  const { isManagedPane } = await import("../adapters/target/tmux/own-pane.ts");
  if (!isManagedPane(socket, env.TMUX_PANE)) return undefined;
  return failure("target", "buddy was started in the pane that it would type into", {
    hint: "start it in another terminal, or with --no-tmux",
  });
}

async function wantedSandbox(
  config: Config,
  { cwd, flags }: Pick<Where, "cwd" | "flags">,
  paths: UserPaths,
): Promise<Result<Sandbox | undefined, Failure>> {
  const { sandbox, sandbox_network: network, shell_enabled } = config.tools;
  if (sandbox === "off" || !shell_enabled) return ok(undefined);
  if (isElsewhere(flags)) {
    const hint = 'set tools.sandbox = "off" to run commands without walls there';
    return err(failure("usage", "tools.sandbox has walls only for commands on this machine", { hint }));
  }
  const { workspaceSandbox } = await import("../adapters/target/sandbox/sandbox.ts");
  const { home, ownPaths = [] } = fileRules(config, paths);
  const made = workspaceSandbox({ cwd, home, temporary: temporaryDirectory(), ownPaths, network });
  if (made.ok) return made;
  const hint = 'install it, or set tools.sandbox = "off" to run commands without walls';
  return err(failure("usage", `Cannot run commands in a sandbox (tools.sandbox): ${made.error}`, { hint }));
}
