import { join } from "node:path";
import type { LoginDeps } from "../adapters/auth/current-login.ts";
import { type FoundKey, findKey } from "../adapters/auth/keys.ts";
import { readCatalogue } from "../adapters/config/catalogue.ts";
import { userConfigFile, userPaths } from "../adapters/config/paths.ts";
import { systemHost } from "../adapters/host/host.ts";
import { type Credentials, httpModel } from "../adapters/model/http.ts";
import { protocolNamed } from "../adapters/model/protocols.ts";
import { type ModelFacts, modelFacts } from "../core/catalogue.ts";
import type { ActiveProfile } from "../core/config/profile.ts";
import type { Config } from "../core/config/schema.ts";
import { type Failure, failure } from "../core/failure.ts";
import type { Model } from "../core/ports/model.ts";
import { redactKnown } from "../core/redact-known.ts";
import { err, ok, type Result } from "../core/result.ts";
import { secretValues } from "../core/secret-values.ts";
import { hostOf, isLoopback } from "../core/vendors.ts";
import { authorities } from "./authorities.ts";
import type { Invocation } from "./command.ts";
import type { Settings } from "./settings.ts";
import { VERSION } from "./version.ts";

// From a profile to an endpoint: its address, its credentials, what is known of its model.

/** A model with what is known of it. */
export type WiredModel = {
  readonly model: Model;
  readonly facts: ModelFacts;
  /** Values that must not appear anywhere. */
  readonly secrets: readonly string[];
};

/** The endpoint of the active profile. Nothing is sent yet, but what could be missing is found missing. */
export async function wireModel(
  { config, profile }: Pick<Settings, "config" | "profile">,
  invocation: Invocation,
): Promise<Result<WiredModel, Failure>> {
  const facts = await factsOf(profile, invocation);
  if (!facts.ok) return facts;
  const access = await accessFor(profile, invocation);
  if (!access.ok) return access;
  const ca = authorities(config.network.ca_file);
  if (!ca.ok) return ca;
  const secrets = [...access.value.secrets, ...secretValues(invocation.env)];
  const model = httpModel(systemHost, await protocolNamed(profile.api), {
    profile: profile.name,
    baseUrl: access.value.baseUrl,
    credentials: access.value.credentials,
    headers: profile.headers,
    userAgent: `buddy/${VERSION}`,
    options: {
      model: profile.model,
      stream: profile.stream || access.value.mustStream,
      maxOutputTokens: profile.max_output_tokens,
      temperature: config.agent.temperature,
      topP: config.agent.top_p,
      thinking: profile.thinking,
      facts: facts.value,
    },
    retries: config.network.retries,
    connectTimeoutMs: config.network.connect_timeout,
    idleTimeoutMs: config.network.idle_timeout,
    proxy: config.network.proxy,
    ca: ca.value,
    redact: redactKnown(secrets),
  });
  return ok({ model, facts: facts.value, secrets });
}

/** What the catalogue knows of the profile's model; what the profile itself says wins. */
export async function factsOf(
  profile: ActiveProfile,
  { env, flags }: Pick<Invocation, "env" | "flags">,
): Promise<Result<ModelFacts, Failure>> {
  const file = flags.on("hermetic") ? undefined : userConfigFile(userPaths(env));
  // A model of this machine has the name of one that is sold elsewhere, not its price.
  const isFree = isLoopback(hostOf(profile.api_base_url));
  const rules = await readCatalogue(file, isFree ? "without_prices" : "with_prices");
  if (!rules.ok) return err(failure("usage", rules.error));
  const known = modelFacts(rules.value, profile.model);
  const listed = isFree ? null : known.price;
  return ok({ ...known, context: profile.context_limit || known.context, price: profile.price ?? listed });
}

type Access = {
  readonly baseUrl: string;
  readonly credentials: Credentials;
  readonly secrets: readonly string[];
  /** The backend of a login answers only in streams. */
  readonly mustStream: boolean;
};

async function accessFor(profile: ActiveProfile, invocation: Invocation): Promise<Result<Access, Failure>> {
  if (profile.auth === "login") return loginAccess(profile, invocation);
  const found = await profileKey(profile, invocation);
  if (!found.ok) return found;
  const { key } = found.value;
  const credential = key === undefined ? ({ type: "none" } as const) : ({ type: "key", key } as const);
  return ok({
    baseUrl: profile.api_base_url,
    credentials: async () => ok(credential),
    secrets: key === undefined ? [] : [key],
    mustStream: false,
  });
}

/** A login goes to the provider's own backend; the profile's address only says which provider that is. */
async function loginAccess(profile: ActiveProfile, invocation: Invocation): Promise<Result<Access, Failure>> {
  const deps = await loginDeps(profile, invocation);
  if (!deps.ok) return deps;
  const { currentLogin } = await import("../adapters/auth/current-login.ts");
  const first = await currentLogin(deps.value, { renew: "when_due" }, new AbortController().signal);
  if (!first.ok) return first;
  let token = first.value.accessToken;
  return ok({
    baseUrl: deps.value.provider.backendUrl,
    credentials: async ({ renew }, signal) => {
      const login = await currentLogin(
        deps.value,
        { renew: renew ? { rejected: token } : "when_due" },
        signal,
      );
      if (!login.ok) return login;
      token = login.value.accessToken;
      return ok({ type: "login", token, accountId: login.value.accountId ?? "" });
    },
    secrets: [token],
    mustStream: true,
  });
}

/** What the login machinery needs to know about a profile. */
export async function loginDeps(
  profile: ActiveProfile,
  { env }: Pick<Invocation, "env">,
): Promise<Result<LoginDeps, Failure>> {
  if (profile.api !== "responses") {
    return err(failure("usage", `Profile "${profile.name}": auth = "login" needs api = "responses"`));
  }
  const { loginProvider } = await import("../adapters/auth/providers.ts");
  const provider = loginProvider(profile.api_base_url, env);
  if (!provider.ok) return provider;
  const { configDir } = userPaths(env);
  if (configDir === undefined) {
    return err(
      failure("auth", "A login needs a home directory to keep it in", { hint: "set HOME, or use a key" }),
    );
  }
  const authPath = join(configDir, "auth.json");
  return ok({ host: systemHost, provider: provider.value, profile: profile.name, authPath });
}

/** The key of a profile, and where it came from. */
export const profileKey = (
  profile: ActiveProfile,
  { env, cwd, flags }: Invocation,
): Promise<Result<FoundKey, Failure>> => findKey(profile, { env, cwd, keyring: !flags.on("hermetic") });

/** What the endpoint of a profile offers. */
export async function remoteModels(
  config: Config,
  profile: ActiveProfile,
  invocation: Invocation,
): Promise<Result<readonly string[], Failure>> {
  const access = await accessFor(profile, invocation);
  if (!access.ok) return access;
  const { signal } = new AbortController();
  const credential = await access.value.credentials({ renew: false }, signal);
  if (!credential.ok) return credential;
  const ca = authorities(config.network.ca_file);
  if (!ca.ok) return ca;
  const { listModels } = await import("../adapters/model/list.ts");
  const listed = await listModels(
    {
      protocol: await protocolNamed(profile.api),
      credential: credential.value,
      headers: profile.headers,
      timeoutMs: config.network.connect_timeout + REMOTE_LIST_MS,
      proxy: config.network.proxy,
      ca: ca.value,
      where: {
        profile: profile.name,
        address: access.value.baseUrl,
        protocol: profile.api,
        login: credential.value.type === "login",
      },
    },
    signal,
  );
  const redact = redactKnown(access.value.secrets);
  return listed.ok ? listed : err({ ...listed.error, message: redact(listed.error.message) });
}

const REMOTE_LIST_MS = 20_000;
