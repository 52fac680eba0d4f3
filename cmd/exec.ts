import { systemHost } from "../adapters/host/host.ts";
import { answer } from "../adapters/output/answer.ts";
import { chrome } from "../adapters/output/chrome.ts";
import { paintFor } from "../adapters/output/paint.ts";
import { parseDuration } from "../core/duration.ts";
import { type Failure, failure } from "../core/failure.ts";
import { userMessage } from "../core/message.ts";
import type { Model } from "../core/ports/model.ts";
import { err, ok, type Result } from "../core/result.ts";
import type { Invocation } from "./command.ts";
import { EXIT_CODES, errorLines } from "./exit.ts";
import { runOneTask } from "./one-task.ts";
import { promptInput, type StdinMode } from "./prompt-input.ts";
import { VERSION } from "./version.ts";
import { loadSettings, type ModelParts, type Settings, startApp, wireModel } from "./wire.ts";

/** One task: run it, print the answer, exit. */
export async function run(invocation: Invocation): Promise<number> {
  const ran = await execute(invocation);
  if (ran.ok) return ran.value;
  invocation.stderr.write(errorLines(ran.error));
  return EXIT_CODES[ran.error.class];
}

async function execute(invocation: Invocation): Promise<Result<number, Failure>> {
  const limits = readLimits(invocation);
  if (!limits.ok) return limits;
  const settings = await loadSettings(invocation);
  if (!settings.ok) return settings;
  const model = await chooseModel(settings.value, invocation);
  if (!model.ok) return model;
  const input = await promptInput(invocation.words, limits.value.stdin);
  if (!input.ok) return input;

  const { stdout, stderr, flags } = invocation;
  const paint = paintFor(invocation, stderr);
  const watcher = stderr.isTerminal();
  const warnings = [...settings.value.warnings, ...(input.value.notice ? [input.value.notice] : [])];
  const task = runOneTask({ stderr, paint, timeoutMs: limits.value.timeoutMs });
  const app = startApp({
    settings: { ...settings.value, warnings },
    model: model.value.model,
    invocation,
    saves: !flags.on("no-session"),
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

type Limits = { readonly timeoutMs: number | undefined; readonly stdin: StdinMode };

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
  return ok({ timeoutMs, stdin });
}

type ChosenModel = { readonly model: Model; readonly close: () => void };

/** The configured endpoint, or a recording in its place; recorded when that is asked for. */
async function chooseModel(
  settings: Settings,
  invocation: Invocation,
): Promise<Result<ChosenModel, Failure>> {
  const replay = invocation.flags.text("replay");
  if (replay !== undefined) return replayed(replay, settings, invocation);
  const parts = wireModel(settings, invocation);
  if (!parts.ok) return parts;
  const record = invocation.flags.text("record");
  return record === undefined
    ? ok({ model: parts.value.model, close: () => {} })
    : recorded(record, parts.value);
}

async function recorded(path: string, { model, redact }: ModelParts): Promise<Result<ChosenModel, Failure>> {
  const { recordTo } = await import("../adapters/model/record.ts");
  const recording = recordTo(path, systemHost, VERSION, redact);
  if (!recording.ok) return err(failure("usage", recording.error));
  return ok({ model: recording.value.wrap(model), close: recording.value.close });
}

async function replayed(
  path: string,
  { profile }: Settings,
  { flags }: Invocation,
): Promise<Result<ChosenModel, Failure>> {
  const { loadReplay } = await import("../adapters/model/replay.ts");
  const model = loadReplay(systemHost, path, {
    profile: profile.name,
    model: profile.model,
    check: flags.on("replay-loose") ? "loose" : "strict",
    pace: "instant",
  });
  return model.ok ? ok({ model: model.value, close: () => {} }) : err(failure("usage", model.error));
}
