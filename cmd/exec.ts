import { systemHost } from "../adapters/host/host.ts";
import { answer } from "../adapters/output/answer.ts";
import { chrome } from "../adapters/output/chrome.ts";
import { paintFor } from "../adapters/output/paint.ts";
import { parseDuration } from "../core/duration.ts";
import { type Failure, failure } from "../core/failure.ts";
import { userMessage } from "../core/message.ts";
import { err, ok, type Result } from "../core/result.ts";
import type { SessionCommand } from "../core/runtime/state.ts";
import { secretValues } from "../core/secret-values.ts";
import type { Invocation } from "./command.ts";
import { reportFailure } from "./exit.ts";
import type { Flags } from "./flags.ts";
import { runOneTask } from "./one-task.ts";
import { checkPrompt, promptInput, type StdinMode } from "./prompt-input.ts";
import { activeProfile, createMissingFile, loadSettings, type Settings } from "./settings.ts";
import { VERSION } from "./version.ts";
import { startApp } from "./wire.ts";
import { factsOf, type WiredModel, wireModel } from "./wire-model.ts";

/** One task: run it, print the answer, exit. */
export async function run(invocation: Invocation): Promise<number> {
  const ran = await execute(invocation);
  return ran.ok ? ran.value : reportFailure(ran.error, invocation.stderr);
}

async function execute(invocation: Invocation): Promise<Result<number, Failure>> {
  const limits = readLimits(invocation);
  if (!limits.ok) return limits;
  const prompt = checkPrompt(invocation.words);
  if (!prompt.ok) return prompt;
  const settings = await loadSettings(invocation, systemHost);
  if (!settings.ok) return settings;
  const notCreated = createMissingFile(settings.value.loaded, invocation);
  const model = await chooseModel(settings.value, invocation);
  if (!model.ok) return model;
  const input = await promptInput(prompt.value, limits.value.stdin);
  if (!input.ok) return input;

  const { stdout, stderr, flags } = invocation;
  const paint = paintFor(invocation, stderr);
  const watcher = stderr.isTerminal();
  const notices = [notCreated, input.value.notice].filter((notice) => notice !== undefined);
  const warnings = [...settings.value.warnings, ...notices];
  const task = runOneTask({ stderr, paint, ...limits.value });
  const app = await startApp({
    settings: { ...settings.value, warnings },
    wired: model.value.wired,
    find: (wanted) => findModel(wanted, settings.value, invocation),
    invocation,
    saves: !flags.on("no-session") && !flags.on("hermetic"),
    sinks: [
      answer(stdout),
      chrome(stderr, { paint, quiet: flags.on("quiet"), showReasoning: watcher }),
      task.sink,
    ],
  });
  const code = await task.run(app, userMessage(input.value.prompt));
  model.value.close();
  return ok(code);
}

type Limits = {
  readonly timeoutMs: number | undefined;
  readonly stdin: StdinMode;
  readonly session: SessionCommand | undefined;
};

function readLimits({ flags }: Invocation): Result<Limits, Failure> {
  const stdin = flags.text("stdin") ?? "auto";
  if (stdin !== "auto" && stdin !== "require" && stdin !== "ignore") {
    return err(failure("usage", `--stdin must be auto, require or ignore, not "${stdin}"`));
  }
  const timeout = flags.text("timeout");
  const timeoutMs = timeout === undefined ? undefined : parseDuration(timeout);
  if (timeout !== undefined && !timeoutMs) {
    return err(failure("usage", `--timeout must be a duration such as 30s or 10m, not "${timeout}"`));
  }
  const session = sessionCommand(flags);
  return session.ok ? ok({ timeoutMs, stdin, session: session.value }) : session;
}

function sessionCommand(flags: Flags): Result<SessionCommand | undefined, Failure> {
  const ref = flags.text("resume");
  const last = flags.on("continue");
  if (ref !== undefined && last) return err(failure("usage", "Give --continue or --resume, not both"));
  if ((ref !== undefined || last) && (flags.on("no-session") || flags.on("hermetic"))) {
    return err(failure("usage", "A session cannot be resumed without sessions"));
  }
  if (!flags.on("fork")) {
    if (last) return ok({ type: "session_resume_last" });
    return ok(ref === undefined ? undefined : { type: "session_resume", ref });
  }
  if (ref !== undefined) return ok({ type: "session_fork", ref });
  return last
    ? ok({ type: "session_fork", ref: "last" })
    : err(failure("usage", "--fork needs --continue or --resume ID"));
}

/** The model of another profile; in a replay there is only the recorded one. */
async function findModel(
  wanted: string,
  settings: Settings,
  invocation: Invocation,
): Promise<Result<WiredModel, Failure>> {
  if (invocation.flags.text("replay") !== undefined)
    return err(failure("usage", "A recording has only one model"));
  const profile = activeProfile(settings.loaded, invocation, wanted);
  return profile.ok ? wireModel({ ...settings, profile: profile.value }, invocation) : profile;
}

type ChosenModel = { readonly wired: WiredModel; readonly close: () => void };

/** The configured endpoint, or a recording in its place; recorded when that is asked for. */
async function chooseModel(
  settings: Settings,
  invocation: Invocation,
): Promise<Result<ChosenModel, Failure>> {
  const replay = invocation.flags.text("replay");
  if (replay !== undefined) return replayed(replay, settings, invocation);
  const wired = await wireModel(settings, invocation);
  if (!wired.ok) return wired;
  const record = invocation.flags.text("record");
  return record === undefined ? ok({ wired: wired.value, close: () => {} }) : recorded(record, wired.value);
}

async function recorded(path: string, wired: WiredModel): Promise<Result<ChosenModel, Failure>> {
  const { recordTo } = await import("../adapters/model/record.ts");
  const { redactor } = await import("../core/redact.ts");
  const recording = recordTo(path, systemHost, VERSION, redactor(wired.secrets));
  if (!recording.ok) return err(failure("usage", recording.error));
  return ok({ wired: { ...wired, model: recording.value.wrap(wired.model) }, close: recording.value.close });
}

async function replayed(
  path: string,
  { profile }: Settings,
  invocation: Invocation,
): Promise<Result<ChosenModel, Failure>> {
  const { loadReplay } = await import("../adapters/model/replay.ts");
  const facts = await factsOf(profile, invocation);
  if (!facts.ok) return facts;
  const model = loadReplay(systemHost, path, {
    profile: profile.name,
    model: profile.model,
    check: invocation.flags.on("replay-loose") ? "loose" : "strict",
    pace: "instant",
  });
  if (!model.ok) return err(failure("usage", model.error));
  const wired = { model: model.value, facts: facts.value, secrets: secretValues(invocation.env) };
  return ok({ wired, close: () => {} });
}
