import { systemHost } from "../adapters/host/host.ts";
import { type Failure, failure } from "../core/failure.ts";
import { err, ok, type Result } from "../core/result.ts";
import { secretValues } from "../core/secret-values.ts";
import type { Invocation } from "./command.ts";
import { activeProfile, type Settings } from "./settings.ts";
import { VERSION } from "./version.ts";
import { factsOf, type WiredModel, wireModel } from "./wire-model.ts";

/** The model of another profile; in a replay there is only the recorded one. */
export async function findModel(
  wanted: string,
  settings: Settings,
  invocation: Invocation,
): Promise<Result<WiredModel, Failure>> {
  if (invocation.flags.text("replay") !== undefined)
    return err(failure("usage", "A recording has only one model"));
  const profile = activeProfile(settings.loaded, invocation, wanted);
  return profile.ok ? wireModel({ ...settings, profile: profile.value }, invocation) : profile;
}

export type ChosenModel = { readonly wired: WiredModel; readonly close: () => void };

/** The configured endpoint, or a recording in its place; recorded when that is asked for. */
export async function chooseModel(
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
