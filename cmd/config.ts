import { existsSync } from "node:fs";
import { createUserFile } from "../adapters/config/create.ts";
import { projectConfigFile, userConfigFile, userPaths } from "../adapters/config/paths.ts";
import { effectiveValues } from "../core/config/effective.ts";
import { firstMistakes } from "../core/config/layers.ts";
import { type Failure, failure } from "../core/failure.ts";
import { nearest } from "../core/nearest.ts";
import { redactor } from "../core/redact.ts";
import { err, ok, type Result } from "../core/result.ts";
import { displayText } from "../core/sanitize.ts";
import { secretValues } from "../core/secret-values.ts";
import type { Invocation } from "./command.ts";
import { reportFailure, warningLine } from "./exit.ts";
import { loadLayers } from "./settings.ts";

const ACTIONS: Readonly<Record<string, (invocation: Invocation) => Promise<Result<number, Failure>>>> = {
  path: showPaths,
  show: showValues,
  check: checkFiles,
  init: makeFile,
};

/** `buddy config path|show|check|init`. */
export async function run(invocation: Invocation): Promise<number> {
  const [name = "show", ...rest] = invocation.words;
  const action = Object.hasOwn(ACTIONS, name) && rest.length === 0 ? ACTIONS[name] : undefined;
  if (!action) {
    const what = [name, ...rest].join(" ");
    const meant = nearest(what, Object.keys(ACTIONS));
    const said = `Unknown action "${what}" of config${meant ? `; did you mean "${meant}"?` : ""}`;
    const hint = "buddy config path, show, check or init";
    return reportFailure(failure("usage", said, { hint }), invocation.stderr);
  }
  const done = await action(invocation);
  return done.ok ? done.value : reportFailure(done.error, invocation.stderr);
}

/** Every file that could count, lowest first, and whether it is there. */
async function showPaths({ env, cwd, flags, stdout }: Invocation): Promise<Result<number, Failure>> {
  const only = flags.text("config") ?? (env.BUDDY_CONFIG || undefined);
  const paths = only ? [only] : [userConfigFile(userPaths(env)), projectConfigFile(cwd)];
  for (const path of paths) {
    if (path !== undefined) stdout.write(`${displayText(path)}${existsSync(path) ? "" : " (not there)"}\n`);
  }
  return ok(0);
}

/** Each value in force with where it comes from; secrets are masked. */
async function showValues(invocation: Invocation): Promise<Result<number, Failure>> {
  const loaded = await loadLayers(invocation);
  if (!loaded.ok) return loaded;
  for (const warning of loaded.value.warnings) invocation.stderr.write(warningLine(warning));
  // An address may hold a password, an argument a token.
  const redact = redactor(secretValues(invocation.env));
  for (const { path, value, source } of effectiveValues(loaded.value.config, loaded.value.layers)) {
    invocation.stdout.write(displayText(`${path} = ${redact(value)}  # ${source}`).concat("\n"));
  }
  return ok(0);
}

/** Exit 0 only when every file is right; unknown keys count as wrong here. */
async function checkFiles(invocation: Invocation): Promise<Result<number, Failure>> {
  const loaded = await loadLayers(invocation);
  if (!loaded.ok) return loaded;
  const { layers } = loaded.value;
  const warnings = [...firstMistakes(layers), ...loaded.value.warnings];
  for (const warning of warnings) invocation.stderr.write(warningLine(warning));
  if (warnings.length > 0) return ok(2);
  const files = layers.filter((layer) => layer.lineOf).map((layer) => layer.name);
  invocation.stdout.write(
    displayText(`${files.length > 0 ? files.join("\n") : "No configuration file"}\nok\n`),
  );
  return ok(0);
}

async function makeFile({ env, stdout }: Invocation): Promise<Result<number, Failure>> {
  const path = userConfigFile(userPaths(env));
  if (path === undefined) {
    return err(failure("usage", "There is no home directory for a configuration", { hint: "set HOME" }));
  }
  if (existsSync(path)) {
    stdout.write(`${displayText(path)} is already there; it was not changed\n`);
    return ok(0);
  }
  const created = createUserFile(path);
  if (!created.ok) return err(failure("usage", `Cannot create "${path}": ${created.error}`));
  stdout.write(`${displayText(path)} created\n`);
  return ok(0);
}
