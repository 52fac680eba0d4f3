import { systemHost } from "../adapters/host/host.ts";
import { isTerminal } from "../adapters/host/output.ts";
import { repl } from "../adapters/terminal/app.ts";
import { lineMode } from "../adapters/terminal/line-mode.ts";
import { processTty } from "../adapters/terminal/tty.ts";
import type { Sink } from "../core/event.ts";
import { type Failure, failure } from "../core/failure.ts";
import { err, ok, type Result } from "../core/result.ts";
import type { SessionCommand } from "../core/runtime/state.ts";
import type { Invocation } from "./command.ts";
import { EXIT_CODES, reportFailure } from "./exit.ts";
import { activeProfile, createMissingFile, loadSettings, type Settings } from "./settings.ts";
import { type App, startApp } from "./wire.ts";
import { type WiredModel, wireModel } from "./wire-model.ts";
import { replHistory, replHost, replSettings, type Thinking } from "./wire-repl.ts";
import { logSinks } from "./wire-watchers.ts";

/** Which conversation the REPL begins with: a new one, one that is named, or one to choose. */
export type Beginning = SessionCommand | { readonly type: "pick_session" } | undefined;

/** `buddy [prompt]`: a conversation on the terminal, or line by line where there is none. */
export function run(invocation: Invocation): Promise<number> {
  const ref = invocation.flags.text("session");
  return converse(invocation, ref === undefined ? undefined : { type: "session_resume", ref });
}

export async function converse(invocation: Invocation, beginning: Beginning): Promise<number> {
  const ran = await open(invocation, beginning);
  return ran.ok ? ran.value : reportFailure(ran.error, invocation.stderr);
}

async function open(invocation: Invocation, beginning: Beginning): Promise<Result<number, Failure>> {
  const settings = await loadSettings(invocation, systemHost);
  if (!settings.ok) return settings;
  const saves = !invocation.flags.on("no-session") && !invocation.flags.on("hermetic");
  if (beginning && !saves) return err(failure("usage", "A session cannot be resumed without sessions"));
  const notCreated = createMissingFile(settings.value.loaded, invocation);
  const wired = await wireModel(settings.value, invocation);
  if (!wired.ok) return wired;
  const logs = await logSinks(invocation, wired.value.secrets);
  if (!logs.ok) return logs;
  let level: string | undefined;
  const thinking: Thinking = {
    get: () => level ?? settings.value.profile.thinking,
    set: (next) => {
      level = next;
    },
  };
  const warnings = [...settings.value.warnings, ...(notCreated === undefined ? [] : [notCreated])];
  const start: Start = (sink) =>
    startApp({
      settings: { ...settings.value, warnings },
      wired: wired.value,
      find: (wanted) => findModel(wanted, level, settings.value, invocation),
      invocation,
      saves,
      sinks: [sink, ...logs.value],
    });
  const interactive =
    isTerminal(0) && invocation.stdout.isTerminal() && !["", "dumb"].includes(invocation.env.TERM ?? "");
  return interactive
    ? onTerminal({
        invocation,
        beginning,
        settings: settings.value,
        wired: wired.value,
        thinking,
        start,
      })
    : lineByLine(invocation, beginning, start);
}

type Start = (sink: Sink) => Promise<Result<App, Failure>>;

type Opening = {
  readonly invocation: Invocation;
  readonly beginning: Beginning;
  readonly settings: Settings;
  readonly wired: WiredModel;
  readonly thinking: Thinking;
  readonly start: Start;
};

async function onTerminal({
  invocation,
  beginning,
  settings,
  wired,
  thinking,
  start,
}: Opening): Promise<Result<number, Failure>> {
  const history = replHistory(invocation, wired.secrets);
  const tty = processTty(invocation.stdout, invocation.env);
  const front = repl({ tty, settings: replSettings(settings, invocation), history });
  const started = await start(front.sink);
  if (!started.ok) return started;
  const app = started.value;
  // Whatever ends the process, the terminal is given back.
  process.on("exit", tty.stop);
  const release = onSignals(front.stop);
  const host = replHost(app, settings, invocation, { thinking, secrets: wired.secrets });
  const prompt = invocation.words.join(" ").trim();
  if (beginning && beginning.type !== "pick_session") app.runtime.send(beginning);
  const first =
    beginning?.type === "pick_session"
      ? beginning
      : prompt === ""
        ? undefined
        : ({ type: "prompt", text: prompt } as const);
  try {
    return ok(
      await Promise.race([
        front.run({ send: app.runtime.send, host, first }),
        // It stops by itself only on a bug, which is then told by whoever reports it.
        app.runtime.stopped.then(() => 1),
      ]),
    );
  } finally {
    tty.stop();
    release();
    await shutDown(app);
    await history.trim(AbortSignal.timeout(2000)).catch(() => {}); // the next one trims it
  }
}

/** How long whatever still runs may take to end when the user leaves. */
const LEAVE_MS = 5000;

/** Nobody who has left waits for ever: what does not end by then is ended. */
async function shutDown(app: App): Promise<void> {
  app.runtime.send({ type: "shutdown" });
  const ended = app.runtime.stopped.catch(() => {}).then(app.close); // a bug is told already
  const late = new Promise<"late">((resolve) => setTimeout(resolve, LEAVE_MS, "late"));
  if ((await Promise.race([ended, late])) === "late") app.killNow();
}

const SIGNALS = { SIGTERM: 143, SIGHUP: 129, SIGINT: 130 } as const;

/** Calls back with what the shell would count; the result takes that back. */
function onSignals(stop: (code: number) => void): () => void {
  const listeners = Object.entries(SIGNALS).map(([name, code]) => ({ name, on: () => stop(code) }));
  for (const { name, on } of listeners) process.on(name, on);
  return () => {
    for (const { name, on } of listeners) process.off(name, on);
  };
}

async function lineByLine(
  invocation: Invocation,
  beginning: Beginning,
  start: Opening["start"],
): Promise<Result<number, Failure>> {
  if (beginning?.type === "pick_session") {
    return err(
      failure("usage", "Which session? There is no terminal to choose one on", {
        hint: "buddy resume ID, or buddy resume --last",
      }),
    );
  }
  const lines = lineMode(invocation.stdout, invocation.stderr);
  const started = await start(lines.sink);
  if (!started.ok) return started;
  const app = started.value;
  let release = () => {};
  const signalled = new Promise<number>((resolve) => {
    release = onSignals(resolve);
  });
  const read = lines.run({
    send: app.runtime.send,
    session: beginning,
    first: invocation.words.join(" ").trim(),
  });
  const code = await Promise.race([read.then((why) => (why ? EXIT_CODES[why.class] : 0)), signalled]);
  release();
  await shutDown(app);
  return ok(code);
}

async function findModel(
  wanted: string,
  thinking: string | undefined,
  settings: Settings,
  invocation: Invocation,
): Promise<Result<WiredModel, Failure>> {
  const profile = activeProfile(settings.loaded, invocation, wanted, thinking);
  return profile.ok ? wireModel({ ...settings, profile: profile.value }, invocation) : profile;
}
