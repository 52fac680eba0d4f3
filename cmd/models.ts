import type { ActiveProfile } from "../core/config/profile.ts";
import { type Failure, failure } from "../core/failure.ts";
import { err, ok, type Result } from "../core/result.ts";
import { oneLine } from "../core/sanitize.ts";
import type { Invocation } from "./command.ts";
import { reportFailure } from "./exit.ts";
import { activeProfile, loadLayers } from "./settings.ts";
import { factsOf, profileKey, remoteModels } from "./wire-model.ts";

/** `buddy models`: the profiles; `--remote`: what the active profile's endpoint offers. */
export async function run(invocation: Invocation): Promise<number> {
  const listed = invocation.flags.on("remote")
    ? await listRemote(invocation)
    : await listProfiles(invocation);
  return listed.ok ? 0 : reportFailure(listed.error, invocation.stderr);
}

async function listRemote(invocation: Invocation): Promise<Result<void, Failure>> {
  const loaded = await loadLayers(invocation);
  if (!loaded.ok) return loaded;
  const profile = activeProfile(loaded.value, invocation);
  if (!profile.ok) return profile;
  const models = await remoteModels(loaded.value.config, profile.value, invocation);
  if (!models.ok) return models;
  invocation.stdout.write(models.value.map((name) => `${oneLine(name, 200)}\n`).join(""));
  return ok(undefined);
}

async function listProfiles(invocation: Invocation): Promise<Result<void, Failure>> {
  const loaded = await loadLayers(invocation);
  if (!loaded.ok) return loaded;
  const { config } = loaded.value;
  const active = activeProfile(loaded.value, invocation);
  const own = Object.entries(config.models).map(([name, profile]) => ({
    ...profile,
    name,
    model: profile.model || name,
  }));
  // One that flags and environment made is no profile of the files.
  const all = active.ok && !own.some(({ name }) => name === active.value.name) ? [active.value, ...own] : own;
  if (all.length === 0) return err(failure("usage", "There are no profiles"));
  for (const profile of all) {
    const isActive = active.ok && active.value.name === profile.name;
    const lines = await describe(isActive && active.ok ? active.value : profile, invocation);
    if (!lines.ok) return lines;
    invocation.stdout.write(`${isActive ? "* " : "  "}${lines.value.join("\n    ")}\n`);
  }
  return ok(undefined);
}

async function describe(
  profile: ActiveProfile,
  invocation: Invocation,
): Promise<Result<readonly string[], Failure>> {
  const facts = await factsOf(profile, invocation);
  if (!facts.ok) return facts;
  const key = profile.auth === "login" ? undefined : await profileKey(profile, invocation);
  const source = key === undefined ? "login" : key.ok ? key.value.source : `missing: ${key.error.hint ?? ""}`;
  const { context, price } = facts.value;
  const cost = price ? `, $${price.input} in and $${price.output} out per million tokens` : "";
  const row = (label: string, text: string) => `${label.padEnd(10)}${oneLine(text, 300)}`;
  return ok([
    oneLine(profile.name, 80),
    row("model", `${profile.model} (context ${context} tokens${cost})`),
    row("endpoint", `${profile.api_base_url} (${profile.api}, thinking ${profile.thinking})`),
    row("key", source),
  ]);
}
