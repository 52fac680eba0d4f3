import { systemHost } from "../adapters/host/host.ts";
import { type Failure, failure } from "../core/failure.ts";
import { err, type Result } from "../core/result.ts";
import type { Invocation } from "./command.ts";
import type { Check } from "./doctor-check.ts";
import { loadSettings, type Settings } from "./settings.ts";
import { profileKey, remoteModels } from "./wire-model.ts";

const ENDPOINT_MS = 10_000;

/** Configuration, credentials, endpoint: each needs the one before. */
export async function setupChecks(invocation: Invocation): Promise<readonly Check[]> {
  const settings = await loadSettings(invocation, systemHost);
  if (!settings.ok) return [failed("config", settings.error), skipped("credentials"), skipped("endpoint")];
  const config = configCheck(settings.value);
  const credentials = await credentialsCheck(settings.value, invocation);
  if (credentials.status === "failed") return [config, credentials, skipped("endpoint")];
  return [config, credentials, await endpointCheck(settings.value, invocation)];
}

const failed = (name: string, { class: kind, message, hint }: Failure): Check => ({
  name,
  status: "failed",
  detail: message,
  class: kind,
  ...(hint ? { hint } : {}),
});

const skipped = (name: string): Check => ({ name, status: "warning", detail: "not looked at" });

function configCheck({ warnings, profile }: Settings): Check {
  const using = `profile "${profile.name}", model "${profile.model}"`;
  const [first] = warnings;
  return first === undefined
    ? { name: "config", status: "ok", detail: using }
    : { name: "config", status: "warning", detail: `${using}; ${warnings.join("; ")}` };
}

async function credentialsCheck({ profile }: Settings, invocation: Invocation): Promise<Check> {
  if (profile.auth === "login") {
    return { name: "credentials", status: "ok", detail: "by login; the endpoint says whether it is valid" };
  }
  const key = await profileKey(profile, invocation);
  if (!key.ok) return failed("credentials", key.error);
  return { name: "credentials", status: "ok", detail: `key from ${key.value.source}` };
}

/** Asks for the list of models: it costs nothing, and only the profile's own endpoint sees its key. */
async function endpointCheck({ config, profile }: Settings, invocation: Invocation): Promise<Check> {
  const listed = await withinTime(remoteModels(config, profile, invocation), profile.api_base_url);
  const at = `${profile.api_base_url} (${profile.api})`;
  if (!listed.ok && listed.error.http_status === 404) {
    return { name: "endpoint", status: "warning", detail: `${at} is there, but has no list of models` };
  }
  if (!listed.ok) return failed("endpoint", listed.error);
  const { length } = listed.value;
  if (length === 0 || listed.value.includes(profile.model)) {
    return { name: "endpoint", status: "ok", detail: `${at} answers` };
  }
  const detail = `${at} answers, but "${profile.model}" is not among its ${length} models`;
  return { name: "endpoint", status: "warning", detail, hint: "buddy models --remote" };
}

/** Whatever hangs, this ends. */
async function withinTime<T>(
  work: Promise<Result<T, Failure>>,
  address: string,
): Promise<Result<T, Failure>> {
  const stop = new AbortController();
  const late = systemHost.wait(ENDPOINT_MS, stop.signal).then(
    () => err(failure("model", `${address} did not answer within ${ENDPOINT_MS / 1000} s`)),
    () => err(failure("internal", "Not waited for")),
  );
  const first = await Promise.race([work, late]);
  stop.abort();
  return first;
}
