import { readFileSync } from "node:fs";
import { hostname, userInfo } from "node:os";
import { dirname, extname, join, resolve } from "node:path";
import { userPaths } from "../adapters/config/paths.ts";
import { systemHost } from "../adapters/host/host.ts";
import type { Output } from "../adapters/host/output.ts";
import { readSmallFile } from "../adapters/host/read-small-file.ts";
import { type HistoryFile, historyFile } from "../adapters/terminal/history-file.ts";
import { keysFrom } from "../adapters/terminal/keys.ts";
import type { ProfileChoice, ReplHost } from "../adapters/terminal/repl-host.ts";
import type { ReplSettings } from "../adapters/terminal/stage.ts";
import { colourDepth } from "../adapters/terminal/style.ts";
import { THINKING_LEVELS } from "../core/config/choices.ts";
import type { ApprovalPolicy } from "../core/policy/approval.ts";
import type { Target } from "../core/ports/target.ts";
import { redactor } from "../core/redact.ts";
import { err, ok, type Result } from "../core/result.ts";
import type { Invocation } from "./command.ts";
import type { Flags } from "./flags.ts";
import type { Settings } from "./settings.ts";
import { VERSION } from "./version.ts";
import type { App } from "./wire.ts";
import { localFilesTarget } from "./wire-target.ts";

/** How the REPL looks and which keys it has. */
export function replSettings({ config, policy }: Settings, { env, flags }: Invocation): ReplSettings {
  const { display } = config;
  const configDir = flags.on("hermetic") ? undefined : userPaths(env).configDir;
  return {
    choices: {
      reasoning: display.show_reasoning,
      expanded: false,
      tokens: display.show_tokens,
      toolCalls: display.show_tool_calls,
    },
    depth: colourDepth(env, { color: display.color && !flags.on("no-color") }),
    markdown: display.markdown,
    notify: display.notify,
    theme: display.theme,
    themesDir: configDir && join(configDir, "themes"),
    keys: keysFrom(configDir && customKeys(join(configDir, "keybindings.json"))),
    env,
    policy: policyWords(policy),
  };
}

const KEYS_BYTES = 65_536;

/** What the file holds; a mistake in it is something that `keysFrom` complains about. */
function customKeys(path: string): unknown {
  const read = readSmallFile(path, KEYS_BYTES);
  if (!read.ok) return read.error.missing ? undefined : read.error.reason;
  try {
    return JSON.parse(read.value);
  } catch {
    return "not JSON";
  }
}

function policyWords(policy: ApprovalPolicy): string {
  if (policy.type === "ask") return "";
  return policy.type === "window" ? "for a while" : policy.type;
}

/** Earlier prompts; a hermetic run has none and leaves none. */
export function replHistory({ env, flags }: Invocation, secrets: readonly string[]): HistoryFile {
  const { stateDir } = userPaths(env);
  const path = flags.on("hermetic") || stateDir === undefined ? undefined : join(stateDir, "history.jsonl");
  return historyFile(systemHost, path, redactor(secrets));
}

export type Thinking = { readonly get: () => string; readonly set: (level: string) => void };

/** What the REPL can do beside commands of the runtime. */
export function replHost(
  app: App,
  settings: Settings,
  invocation: Invocation,
  more: { readonly thinking: Thinking; readonly secrets: readonly string[] },
): ReplHost {
  const { env, cwd } = invocation;
  const { home } = userPaths(env);
  return {
    version: VERSION,
    home,
    target: app.target,
    aside: asideOf(app.target, settings, invocation),
    attachHint: app.target.panes?.manage ? app.target.panes.attachHint : undefined,
    place: `${userName(env)}@${hostname()}`,
    contextFiles: [],
    skills: [],
    mcpServers: Object.keys(settings.config.mcp),
    tools: app.extensions.tools.specs,
    commands: app.extensions.commands,
    profiles: profileChoices(settings),
    thinkingLevels: THINKING_LEVELS,
    thinking: more.thinking.get,
    setThinking: more.thinking.set,
    store: app.store,
    logIn: async (profile, what) => {
      const { run } = what === "login" ? await import("./login.ts") : await import("./logout.ts");
      await run({ ...invocation, flags: flagsOf({}), words: [profile] });
    },
    exportSession: (ref, path) => exportTo(ref, resolve(cwd, path), invocation),
    showSession: (ref) => shownSession(ref, invocation),
    branch: async () => (isLocal(app.target) ? branchOf(cwd) : ""),
    redact: redactor(more.secrets),
    unixMs: systemHost.unixMs,
    monotonicMs: systemHost.monotonicMs,
  };
}

/** Beside a terminal that the user shares, so that looking for files types nothing into it. */
function asideOf(target: Target, { config }: Settings, invocation: Invocation): Pick<Target, "run"> {
  if (isLocal(target)) return localFilesTarget(config, invocation, userPaths(invocation.env));
  return target.panes?.manage ? NOWHERE : target;
}

const NOWHERE: Pick<Target, "run"> = {
  run: async function* () {
    yield { type: "failed", detail: "nothing is looked up there" } as const;
  },
};

const isLocal = ({ summary }: Pick<Target, "summary">): boolean => /^local\b/.test(summary);

/** Those of the user come before those that buddy knows by itself. */
function profileChoices({ config, loaded }: Settings): readonly ProfileChoice[] {
  const all = Object.entries(config.models).map(([name, { model }]) => ({ name, model: model || name }));
  const own = new Set(loaded.ownProfiles);
  return [...all.filter(({ name }) => own.has(name)), ...all.filter(({ name }) => !own.has(name))];
}

function userName({ USER, LOGNAME }: Invocation["env"]): string {
  if (USER || LOGNAME) return USER || LOGNAME || "";
  try {
    const { username, uid } = userInfo();
    return uid === 0 ? "root" : username;
  } catch {
    return "user"; // a number without a name, as in some containers
  }
}

/** The branch from the repository's own file: nothing of the repository is run. */
function branchOf(cwd: string): string {
  for (let dir = cwd; ; dir = dirname(dir)) {
    try {
      const head = readFileSync(join(dir, ".git", "HEAD"), "utf8").slice(0, 500);
      return /^ref: refs\/heads\/([\w./-]{1,100})/.exec(head)?.[1] ?? head.slice(0, 8);
    } catch {
      if (dir === dirname(dir)) return ""; // no repository here
    }
  }
}

const RESUMED_LINES = 40;

/** The end of a conversation, as `buddy sessions show` shows it. */
async function shownSession(ref: string, invocation: Invocation): Promise<readonly string[]> {
  const { stdout, code } = await sessionsCommand(["show", ref], {}, invocation);
  const lines = stdout.trimEnd().split("\n");
  return code === 0 ? lines.slice(-RESUMED_LINES) : [];
}

async function exportTo(ref: string, path: string, invocation: Invocation): Promise<Result<string, string>> {
  const wanted = extname(path).slice(1);
  const format = ["html", "jsonl"].includes(wanted) ? wanted : "md";
  const { stderr, code } = await sessionsCommand(["export", ref], { format, output: path }, invocation);
  return code === 0 ? ok(path) : err(stderr.trim().replace(/^buddy: /, ""));
}

async function sessionsCommand(
  words: readonly string[],
  values: Readonly<Record<string, string>>,
  invocation: Invocation,
): Promise<{ readonly stdout: string; readonly stderr: string; readonly code: number }> {
  const { run } = await import("./sessions.ts");
  const [stdout, stderr] = [captured(), captured()];
  const code = await run({
    ...invocation,
    words,
    flags: flagsOf(values),
    stdout: stdout.output,
    stderr: stderr.output,
  });
  return { stdout: stdout.text(), stderr: stderr.text(), code };
}

const flagsOf = (values: Readonly<Record<string, string>>): Flags => ({
  on: () => false,
  text: (name) => values[name],
  list: () => [],
});

function captured(): { readonly output: Output; readonly text: () => string } {
  let text = "";
  const write = (more: string) => {
    text += more;
    return "written" as const;
  };
  return { output: { write, isTerminal: () => false }, text: () => text };
}
