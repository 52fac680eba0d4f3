import * as v from "valibot";
import { err, ok, type Result } from "../result.ts";
import { type Config, type Profile, profileSchema } from "./schema.ts";

/** The profile a run uses, complete. */
export type ActiveProfile = Profile & { readonly name: string; readonly model: string };

export type ProfileChoice = {
  /** `-m`: a profile, or a model of the active profile. */
  readonly wanted: string | undefined;
  readonly baseUrl: string | undefined;
};

/** The name of the profile made of flags and environment alone. */
const AD_HOC = "default";

export function chooseProfile(config: Config, choice: ProfileChoice): Result<ActiveProfile, string> {
  const { models, agent } = config;
  const named = choice.wanted !== undefined && Object.hasOwn(models, choice.wanted);
  const name = (named ? choice.wanted : agent.model) || (Object.keys(models)[0] ?? AD_HOC);
  const found = Object.hasOwn(models, name) ? models[name] : undefined;
  if (found === undefined && (agent.model !== "" || choice.baseUrl === undefined))
    return err(noSuchProfile(config, name));
  const profile = found ?? v.parse(profileSchema, {});
  const model = named ? profile.model : (choice.wanted ?? profile.model);
  if (model === "" && found === undefined) {
    return err(
      "No model is chosen. Give one with -m MODEL, BUDDY_MODEL, or a [models.<name>] table in the configuration",
    );
  }
  const base = choice.baseUrl ?? profile.api_base_url;
  if (!/^https?:\/\//.test(base))
    return err(`The endpoint address "${base}" must begin with http:// or https://`);
  return ok({ ...profile, name, model: model || name, api_base_url: base.replace(/\/+$/, "") });
}

function noSuchProfile(config: Config, name: string): string {
  const known = Object.keys(config.models);
  if (known.length === 0) {
    return "No model is configured. Write a [models.<name>] table into the configuration, or set BUDDY_BASE_URL and BUDDY_MODEL";
  }
  return `There is no profile "${name}". The profiles are: ${known.join(", ")}`;
}
