import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as v from "valibot";
import { reasonOf } from "../adapters/host/errno.ts";
import { systemHost } from "../adapters/host/host.ts";
import { replayModel } from "../adapters/model/replay.ts";
import { answer } from "../adapters/output/answer.ts";
import { chrome } from "../adapters/output/chrome.ts";
import { paintFor } from "../adapters/output/paint.ts";
import { modelFacts } from "../core/catalogue.ts";
import { type Config, configSchema } from "../core/config/schema.ts";
import { failure } from "../core/failure.ts";
import { userMessage } from "../core/message.ts";
import { parseRecording } from "../core/recording.ts";
import { err } from "../core/result.ts";
import recording from "../fixtures/demo/conversation.jsonl" with { type: "text" };
import type { Invocation } from "./command.ts";
import { DEMO_FILES, DEMO_MODEL, DEMO_PROMPT } from "./demo-project.ts";
import { EXIT_CODES, errorLines, reportFailure } from "./exit.ts";
import { runOneTask } from "./one-task.ts";
import { catchSignals } from "./signals.ts";
import { startApp } from "./wire.ts";

/** Plays the embedded recording through the real loop, with real commands, in a directory of its own. */
export async function run(invocation: Invocation): Promise<number> {
  const exchanges = parseRecording(recording);
  if (!exchanges.ok) throw new Error(`The embedded recording is broken: ${exchanges.error}`);
  let cwd: string;
  try {
    cwd = mkdtempSync(join(tmpdir(), "buddy-demo-"));
    for (const [name, text] of Object.entries(DEMO_FILES)) writeFileSync(join(cwd, name), text);
  } catch (error) {
    const message = `Cannot make a directory for the demo in "${tmpdir()}": ${reasonOf(error)}`;
    invocation.stderr.write(errorLines({ message, hint: "set TMPDIR to a directory that can be written" }));
    return EXIT_CODES.target;
  }
  try {
    const model = replayModel(systemHost, exchanges.value, {
      name: "demo",
      profile: "demo",
      model: DEMO_MODEL,
      check: "strict",
      pace: invocation.flags.on("fast") ? "instant" : "live",
    });
    return await play({ ...invocation, cwd }, model);
  } finally {
    rmSync(cwd, { recursive: true, force: true });
  }
}

async function play(invocation: Invocation, model: ReturnType<typeof replayModel>): Promise<number> {
  const { stdout, stderr } = invocation;
  const paint = paintFor(invocation, stderr);
  stderr.write(
    `${paint("dim", "A recorded model, real commands, no network. Files: total.sh, prices.txt")}\n`,
  );
  stderr.write(`${paint("green", "> ")}${DEMO_PROMPT}\n`);
  const signals = catchSignals((code) => process.exit(code));
  const task = runOneTask({ stderr, paint, signals, timeoutMs: undefined, session: undefined });
  const app = await startApp({
    settings: { config: withoutWeb(defaultConfig()), policy: { type: "all" }, warnings: [] },
    find: async () => err(failure("usage", "The demo has only one model")),
    wired: { model, facts: modelFacts([], model.model), secrets: [] },
    invocation: withoutPanes(invocation),
    saves: false,
    sinks: [answer(stdout).sink, chrome(stderr, { paint, quiet: false, showReasoning: true }), task.sink],
  });
  return app.ok ? task.run(app.value, userMessage(DEMO_PROMPT)) : reportFailure(app.error, stderr);
}

/** What it runs ends with it: no session is left behind. */
const withoutPanes = (invocation: Invocation): Invocation => ({
  ...invocation,
  flags: { ...invocation.flags, on: (name) => name === "no-tmux" || invocation.flags.on(name) },
});

/** Every key at its default: what an empty file means. */
const defaultConfig = (): Config => v.parse(configSchema, {});

/** The demo keeps its word: no network. */
const withoutWeb = (config: Config): Config => ({
  ...config,
  tools: { ...config.tools, fetch_enabled: false, search_enabled: false },
});
