import { systemHost } from "../adapters/host/host.ts";
import { OutputFailure } from "../adapters/host/output.ts";
import { after } from "../adapters/host/timer.ts";
import { isPrinted, withOneNewline } from "../adapters/output/answer.ts";
import { chrome } from "../adapters/output/chrome.ts";
import { paintFor } from "../adapters/output/paint.ts";
import type { RunOutput } from "../adapters/output/run-output.ts";
import { formatDuration } from "../core/duration.ts";
import type { Sink } from "../core/event.ts";
import { type Failure, failure } from "../core/failure.ts";
import { text, type UserMessage } from "../core/message.ts";
import { err, ok, type Result } from "../core/result.ts";
import type { AnswerRule } from "../core/task-rules.ts";
import type { Invocation } from "./command.ts";
import { type ChosenModel, chooseModel, findModel } from "./exec-model.ts";
import { type ExecOptions, execOptions } from "./exec-options.ts";
import { errorLines, reportFailure, unexpected } from "./exit.ts";
import type { WriteLast } from "./last-message.ts";
import { runOneTask } from "./one-task.ts";
import { failEarly, outputAs, outputFormat } from "./output-format.ts";
import { checkPrompt, promptInput } from "./prompt-input.ts";
import { createMissingFile, loadSettings, type Settings } from "./settings.ts";
import { catchSignals, type Signals, signalWords } from "./signals.ts";
import { startApp } from "./wire.ts";
import { attachLine } from "./wire-target.ts";
import { type Watchers, watchers } from "./wire-watchers.ts";

/** One task: run it, print the answer, exit. */
export async function run(invocation: Invocation): Promise<number> {
  const { flags, stdout, stderr } = invocation;
  const format = outputFormat(flags);
  if (!format.ok) return reportFailure(format.error, stderr);
  const rule = await wantedAnswer(flags.text("output-schema"));
  const isDocument = rule.ok && rule.value ? documentTest(rule.value) : undefined;
  const output = await outputAs(format.value, stdout, { isDocument });
  const signals = catchSignals((code) => {
    failEarly(output, failure("interrupted", signalWords(code)), code);
    stderr.write(errorLines({ message: signalWords(code) }));
    process.exit(code);
  });
  try {
    const ran = rule.ok ? await execute({ invocation, output, signals, answer: rule.value }) : rule;
    if (ran.ok) return ran.value;
    failEarly(output, ran.error);
    return reportFailure(ran.error, stderr);
  } catch (error) {
    if (!(error instanceof OutputFailure)) failEarly(output, unexpected(error));
    throw error;
  } finally {
    signals.release();
  }
}

const documentTest =
  ({ check }: AnswerRule) =>
  (answer: string): boolean =>
    check(answer).ok;

async function wantedAnswer(path: string | undefined): Promise<Result<AnswerRule | undefined, Failure>> {
  if (path === undefined) return ok(undefined);
  const { answerSchema } = await import("./answer-schema.ts");
  return answerSchema(path);
}

type Execution = {
  readonly invocation: Invocation;
  readonly output: RunOutput;
  readonly signals: Signals;
  readonly answer: AnswerRule | undefined;
};

async function execute(execution: Execution): Promise<Result<number, Failure>> {
  const ready = await prepare(execution);
  return ready.ok ? perform(execution, ready.value) : ready;
}

/** Everything that can be found wrong before anything is opened or sent. */
type Ready = {
  readonly options: ExecOptions;
  readonly settings: Settings;
  readonly model: ChosenModel;
  readonly message: UserMessage;
  readonly watching: Watchers;
  readonly writeLast: WriteLast | undefined;
  /** The task begins: its own time limit counts from here. */
  readonly begin: () => void;
};

async function prepare({ invocation, output }: Execution): Promise<Result<Ready, Failure>> {
  const options = execOptions(invocation);
  if (!options.ok) return options;
  const prompt = checkPrompt(invocation.words);
  if (!prompt.ok) return prompt;
  const begin = beginInTime(options.value, output, invocation);
  const writeLast = await lastMessage(invocation);
  if (!writeLast.ok) return writeLast;
  const settings = await loadSettings(invocation, systemHost);
  if (!settings.ok) return settings;
  const notCreated = createMissingFile(settings.value.loaded, invocation);
  const model = await chooseModel(settings.value, invocation);
  if (!model.ok) return model;
  const priced = checkPrice(model.value, options.value);
  if (priced) return err(priced);
  const input = await userInput(prompt.value, model.value, options.value, invocation);
  if (!input.ok) return input;
  const watching = await watchers(invocation, model.value.wired.secrets);
  if (!watching.ok) return watching;
  const { message, notice } = input.value;
  const warnings = [...settings.value.warnings, ...present(notCreated, notice)];
  return ok({
    options: options.value,
    settings: { ...settings.value, warnings },
    model: model.value,
    message,
    watching: watching.value,
    writeLast: writeLast.value,
    begin,
  });
}

async function perform(
  { invocation, output, signals, answer }: Execution,
  { options, settings, model, message, watching, writeLast, begin }: Ready,
): Promise<Result<number, Failure>> {
  const { stderr, flags } = invocation;
  const paint = paintFor(invocation, stderr);
  const task = runOneTask({
    stderr,
    paint,
    signals,
    ...options,
    isAbandoned: output.isAbandoned,
    keep: keepAnswer(writeLast, answer),
  });
  const app = await startApp({
    settings,
    wired: model.wired,
    find: (wanted) => findModel(wanted, settings, invocation),
    invocation,
    saves: !flags.on("no-session") && !flags.on("hermetic"),
    rules: { ...options.rules, ...(answer ? { answer } : {}) },
    sinks: [...watching.before, output.sink, chromeFor(invocation, settings), ...watching.after, task.sink],
  });
  if (!app.ok) return app;
  begin();
  const attach = attachLine(app.value.target);
  if (attach && !flags.on("quiet")) stderr.write(`${paint("dim", attach)}\n`);
  const code = await task.run(app.value, message);
  model.close();
  return ok(code);
}

/** A time limit also holds for what comes before the task: input that does not end, a host that does not answer. */
function beginInTime({ timeoutMs }: ExecOptions, output: RunOutput, { stderr }: Invocation): () => void {
  if (timeoutMs === undefined) return () => {};
  return after(timeoutMs, () => {
    const message = `Stopped after ${formatDuration(timeoutMs)}: the task had not begun`;
    failEarly(output, failure("limit", message));
    process.exit(reportFailure(failure("limit", message), stderr));
  });
}

const present = (...texts: readonly (string | undefined)[]): readonly string[] =>
  texts.filter((text) => text !== undefined);

function chromeFor(invocation: Invocation, { config }: Settings): Sink {
  const { stderr, flags } = invocation;
  return chrome(stderr, {
    paint: paintFor(invocation, stderr),
    quiet: flags.on("quiet"),
    showReasoning: stderr.isTerminal() && config.display.show_reasoning,
    showToolCalls: config.display.show_tool_calls,
    showTokens: config.display.show_tokens,
  });
}

/** A cap on a cost that cannot be known would be none. */
function checkPrice({ wired }: ChosenModel, { rules }: ExecOptions): Failure | undefined {
  if (rules.maxCostUsd === undefined || wired.facts.price !== null) return undefined;
  const { model, profile } = wired.model;
  return failure("usage", `The price of "${model}" is not known: --max-cost cannot be kept`, {
    hint: `set price = { input = …, output = … } in [models.${profile}], or use --max-tokens-total`,
  });
}

async function lastMessage({ flags }: Invocation): Promise<Result<WriteLast | undefined, Failure>> {
  const name = flags.text("output-last-message");
  if (name === undefined) return ok(undefined);
  const { lastMessageFile } = await import("./last-message.ts");
  return lastMessageFile(name);
}

type Ended = Parameters<typeof isPrinted>[0];

/** The file gets what stdout gets. */
const keepAnswer =
  (write: WriteLast | undefined, answer: AnswerRule | undefined) =>
  (end: Ended): Failure | undefined =>
    write && isPrinted(end, answer && documentTest(answer)) ? write(withOneNewline(end.result)) : undefined;

type UserInput = { readonly message: UserMessage; readonly notice: string | undefined };

/** The prompt, then files, then what stdin has, then images. */
async function userInput(
  prompt: string,
  { wired }: ChosenModel,
  { stdin }: ExecOptions,
  invocation: Invocation,
): Promise<Result<UserInput, Failure>> {
  const attached = await attachedTo(invocation, wired);
  if (!attached.ok) return attached;
  const input = await promptInput(prompt, stdin, attached.value.texts);
  if (!input.ok) return input;
  const content = [text(input.value.prompt), ...attached.value.images];
  return ok({ message: { role: "user", content }, notice: input.value.notice });
}

async function attachedTo({ flags }: Invocation, { model, facts }: ChosenModel["wired"]) {
  if (flags.list("file").length + flags.list("image").length === 0) return ok({ texts: [], images: [] });
  const { attachments } = await import("./attachments.ts");
  return attachments({ flags }, { name: model.model, images: facts.images });
}
