import { systemHost } from "../adapters/host/host.ts";
import { OutputFailure } from "../adapters/host/output.ts";
import { isPrinted, withOneNewline } from "../adapters/output/answer.ts";
import { chrome } from "../adapters/output/chrome.ts";
import { paintFor } from "../adapters/output/paint.ts";
import type { RunOutput } from "../adapters/output/run-output.ts";
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
import { watchers } from "./wire-watchers.ts";

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

async function execute({ invocation, output, signals, answer }: Execution): Promise<Result<number, Failure>> {
  const options = execOptions(invocation);
  if (!options.ok) return options;
  const prompt = checkPrompt(invocation.words);
  if (!prompt.ok) return prompt;
  const writeLast = await lastMessage(invocation);
  if (!writeLast.ok) return writeLast;
  const settings = await loadSettings(invocation, systemHost);
  if (!settings.ok) return settings;
  const notCreated = createMissingFile(settings.value.loaded, invocation);
  const model = await chooseModel(settings.value, invocation);
  if (!model.ok) return model;
  const { wired, close } = model.value;
  const priced = checkPrice(model.value, options.value);
  if (priced) return err(priced);
  const message = await userInput(prompt.value, model.value, options.value, invocation);
  if (!message.ok) return message;
  const watching = await watchers(invocation, wired.secrets);
  if (!watching.ok) return watching;

  const { stderr, flags } = invocation;
  const paint = paintFor(invocation, stderr);
  const warnings = [...settings.value.warnings, ...present(notCreated, message.value.notice)];
  const task = runOneTask({
    stderr,
    paint,
    signals,
    ...options.value,
    isAbandoned: output.isAbandoned,
    keep: keepAnswer(writeLast.value, answer),
  });
  const app = await startApp({
    settings: { ...settings.value, warnings },
    wired,
    find: (wanted) => findModel(wanted, settings.value, invocation),
    invocation,
    saves: !flags.on("no-session") && !flags.on("hermetic"),
    rules: { ...options.value.rules, ...(answer ? { answer } : {}) },
    sinks: [
      ...watching.value.before,
      output.sink,
      chromeFor(invocation, settings.value),
      ...watching.value.after,
      task.sink,
    ],
  });
  if (!app.ok) return app;
  const attach = attachLine(app.value.target);
  if (attach && !flags.on("quiet")) stderr.write(`${paint("dim", attach)}\n`);
  const code = await task.run(app.value, message.value.message);
  close();
  return ok(code);
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
