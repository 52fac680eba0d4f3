import type { LoginDeps } from "../adapters/auth/current-login.ts";
import { type Failure, failure } from "../core/failure.ts";
import { err, ok, type Result } from "../core/result.ts";
import type { Invocation } from "./command.ts";
import { activeProfile, createMissingFile, loadLayers } from "./settings.ts";
import { loginDeps } from "./wire-model.ts";

export type LoginProfile = { readonly deps: LoginDeps; readonly usesLogin: boolean };

/** The profile that a login is for: the one named, else the active one. */
export async function loginProfile(invocation: Invocation): Promise<Result<LoginProfile, Failure>> {
  const loaded = await loadLayers(invocation);
  if (!loaded.ok) return loaded;
  createMissingFile(loaded.value, invocation);
  const [wanted, ...rest] = invocation.words;
  if (rest.length > 0) return err(failure("usage", "Give one profile"));
  const { models } = loaded.value.config;
  const named = wanted !== undefined && Object.hasOwn(models, wanted) ? models[wanted] : undefined;
  if (wanted !== undefined && named === undefined) {
    const hint = `the profiles are: ${Object.keys(models).join(", ")}`;
    return err(failure("usage", `There is no profile "${wanted}"`, { hint }));
  }
  const profile = named && wanted ? ok({ ...named, name: wanted }) : activeProfile(loaded.value, invocation);
  if (!profile.ok) return profile;
  const deps = await loginDeps(profile.value, invocation);
  return deps.ok ? ok({ deps: deps.value, usesLogin: profile.value.auth === "login" }) : deps;
}
