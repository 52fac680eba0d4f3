import { resolve } from "node:path";
import type { ActiveProfile } from "../../core/config/profile.ts";
import { type Failure, failure } from "../../core/failure.ts";
import { err, ok, type Result } from "../../core/result.ts";
import { hostOf, isLoopback, vendorAt } from "../../core/vendors.ts";
import { readSmallFile } from "../host/read-small-file.ts";
import { keyringEntry } from "./keyring.ts";

export type KeyPlace = {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** Whether the OS keyring may be asked. */
  readonly keyring: boolean;
};

/** A key and where it came from, in words for the user; no key where none is needed. */
export type FoundKey = { readonly key: string | undefined; readonly source: string };

/** The key for a profile's endpoint, first found of the documented sources. Missing is a failure before anything is sent. */
export async function findKey(profile: ActiveProfile, place: KeyPlace): Promise<Result<FoundKey, Failure>> {
  const host = hostOf(profile.api_base_url);
  const found = await firstKey(profile, host, place);
  if (!found.ok) return found;
  if (found.value === undefined) {
    if (isLoopback(host)) return ok({ key: undefined, source: "none needed" });
    return err(missingKey(profile, host));
  }
  const { key, source } = found.value;
  if (/[^\x21-\x7e]/.test(key ?? "")) {
    return err(failure("auth", `The key from ${source} has a blank or an unprintable character`));
  }
  return ok(found.value);
}

async function firstKey(
  profile: ActiveProfile,
  host: string,
  place: KeyPlace,
): Promise<Result<FoundKey | undefined, Failure>> {
  const { env } = place;
  for (const name of ["BUDDY_API_KEY", "AGENT_API_KEY"]) {
    const key = env[name];
    if (key) return ok({ key, source: name });
  }
  const configured = await configuredKey(profile, place);
  if (!configured.ok || configured.value?.key) return configured;
  const variable = vendorAt(host)?.keyVariable ?? "";
  if (env[variable]) return ok({ key: env[variable], source: variable });
  if (!place.keyring || isLoopback(host)) return ok(undefined);
  const entry = await keyringEntry(host);
  return ok(entry.ok && entry.value ? { key: entry.value, source: `keyring entry "${host}"` } : undefined);
}

/** The one source that the profile names. An unset variable is an empty key, not an error. */
async function configuredKey(
  profile: ActiveProfile,
  place: KeyPlace,
): Promise<Result<FoundKey | undefined, Failure>> {
  if (profile.api_key_env !== "") {
    return ok({ key: place.env[profile.api_key_env], source: profile.api_key_env });
  }
  if (profile.api_key_file !== "") return keyFile(profile.api_key_file, place);
  if (profile.api_key !== "") return ok({ key: profile.api_key, source: "api_key in the configuration" });
  if (profile.api_key_keyring === "") return ok(undefined);
  const entry = await keyringEntry(profile.api_key_keyring);
  if (!entry.ok) {
    const hint = "use api_key_env or api_key_file on this machine";
    return err(
      failure("auth", `Cannot read keyring entry "${profile.api_key_keyring}": ${entry.error}`, { hint }),
    );
  }
  return ok({ key: entry.value, source: `keyring entry "${profile.api_key_keyring}"` });
}

const MAX_KEY_BYTES = 64 * 1024;

function keyFile(path: string, { env, cwd }: KeyPlace): Result<FoundKey, Failure> {
  const full = resolve(cwd, env.HOME && path.startsWith("~/") ? env.HOME + path.slice(1) : path);
  const read = readSmallFile(full, MAX_KEY_BYTES);
  if (!read.ok) return err(failure("auth", `Cannot read the key file "${full}": ${read.error.reason}`));
  return ok({ key: read.value.replace(/\r?\n$/, ""), source: `file "${full}"` });
}

function missingKey(profile: ActiveProfile, host: string): Failure {
  const vendor = vendorAt(host);
  const variable = profile.api_key_env || vendor?.keyVariable || "BUDDY_API_KEY";
  const login = vendor?.name === "openai" ? `, or auth = "login" there and: buddy login ${profile.name}` : "";
  return failure("auth", `There is no key for profile "${profile.name}" (${host})`, {
    hint: `set ${variable}, or api_key_file in [models.${profile.name}]${login}`,
  });
}
