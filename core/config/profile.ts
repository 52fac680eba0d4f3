import { err, ok, type Result } from "../result.ts";
import { hostOf, VENDORS, type Vendor, vendorAt } from "../vendors.ts";
import { defaultProfile } from "./default-profile.ts" with { type: "macro" };
import type { Config, Profile } from "./schema.ts";

/** The profile a run uses, complete. */
export type ActiveProfile = Profile & { readonly name: string };

export type ProfileChoice = {
  /** `-m`: a profile, or a model. */
  readonly wanted: string | undefined;
  /** `--provider`: the first profile at that vendor's endpoint. */
  readonly provider: string | undefined;
  readonly baseUrl: string | undefined;
  readonly thinking: Profile["thinking"] | undefined;
  /** Whether a key for that vendor is at hand. */
  readonly hasKey: (vendor: Vendor) => boolean;
  /** Profiles of the user's own files, in order; the first is active when none is named. */
  readonly own: readonly string[];
};

/** A profile of which nothing is said. */
const UNSAID = defaultProfile();
const DEFAULT_PROFILE = "gpt-codex";
/** The name of a profile that is made of flags and environment alone. */
const AD_HOC = "default";

export function chooseProfile(config: Config, choice: ProfileChoice): Result<ActiveProfile, string> {
  const named = namedProfile(config, choice);
  if (!named.ok) return named;
  const { profile, explicit } = named.value;
  const model = choice.wanted !== undefined && !isProfile(config, choice.wanted) ? choice.wanted : undefined;
  const placed = choice.baseUrl === undefined ? ok(profile) : atAddress(profile, choice.baseUrl, explicit);
  if (!placed.ok) return placed;
  const chosen = model === undefined ? ok(placed.value) : withModel(config, placed.value, model, choice);
  if (!chosen.ok) return chosen;
  return complete(chosen.value, choice.thinking);
}

type Named = { readonly profile: ActiveProfile; readonly explicit: boolean };

const isProfile = (config: Config, name: string): boolean => Object.hasOwn(config.models, name);

/** The profile that flags or files name; `explicit` when somebody did, and it was not just the default. */
function namedProfile(config: Config, choice: ProfileChoice): Result<Named, string> {
  if (choice.provider !== undefined) return ofProvider(config, choice.provider);
  const byFlag = choice.wanted !== undefined && isProfile(config, choice.wanted) ? choice.wanted : undefined;
  const name = byFlag ?? (config.agent.model || choice.own[0] || DEFAULT_PROFILE);
  const profile = isProfile(config, name) ? config.models[name] : undefined;
  if (profile === undefined) return err(`There is no profile "${name}". ${profileList(config)}`);
  return ok({ profile: { ...profile, name }, explicit: byFlag !== undefined || config.agent.model !== "" });
}

function ofProvider(config: Config, provider: string): Result<Named, string> {
  const vendor = VENDORS.find(({ name }) => name === provider.toLowerCase());
  if (!vendor) {
    return err(
      `There is no provider "${provider}". The providers are: ${VENDORS.map(({ name }) => name).join(", ")}`,
    );
  }
  const found = Object.entries(config.models).find(
    ([, profile]) => hostOf(profile.api_base_url) === vendor.host,
  );
  const [name, profile] = found ?? [vendor.name, atVendor(vendor)];
  return ok({ profile: { ...profile, name }, explicit: true });
}

/** An address from outside replaces the profile's. A profile nobody named is then not meant: only the address is. */
function atAddress(
  profile: ActiveProfile,
  baseUrl: string,
  explicit: boolean,
): Result<ActiveProfile, string> {
  if (hostOf(baseUrl) === hostOf(profile.api_base_url)) return ok({ ...profile, api_base_url: baseUrl });
  if (explicit) return ok({ ...withoutCredentials(profile), api_base_url: baseUrl });
  const vendor = vendorAt(hostOf(baseUrl));
  const plain = vendor ? atVendor(vendor) : UNSAID;
  return ok({ ...plain, api_base_url: baseUrl, name: vendor?.name ?? AD_HOC });
}

/** A key goes only to the host it was configured for; for another one there are BUDDY_API_KEY and its own profile. */
const withoutCredentials = (profile: ActiveProfile): ActiveProfile => ({
  ...profile,
  api_key: "",
  api_key_env: "",
  api_key_file: "",
  api_key_keyring: "",
  headers: {},
});

/** A model of the active profile, unless its name can only be another vendor's. */
function withModel(
  config: Config,
  profile: ActiveProfile,
  model: string,
  choice: ProfileChoice,
): Result<ActiveProfile, string> {
  const host = hostOf(profile.api_base_url);
  const owner = vendorAt(host) && VENDORS.find(({ models }) => models?.test(model));
  if (!owner || owner.host === host)
    return ok(model === profile.model ? profile : { ...withoutModelFacts(profile), model });
  if (!choice.hasKey(owner)) {
    return err(
      `"${model}" is a model of ${owner.name}, for which there is no key (${owner.keyVariable}). ${profileList(config)}`,
    );
  }
  return ok({ ...atVendor(owner), model, name: owner.name });
}

/** What was said of one model does not hold for another. */
function withoutModelFacts({ price: _price, ...profile }: ActiveProfile): ActiveProfile {
  return { ...profile, context_limit: 0, max_output_tokens: 0 };
}

const atVendor = (vendor: Vendor): Profile => ({
  ...UNSAID,
  api_base_url: vendor.baseUrl,
  api: vendor.api,
  api_key_env: vendor.keyVariable,
});

function complete(
  profile: ActiveProfile,
  thinking: Profile["thinking"] | undefined,
): Result<ActiveProfile, string> {
  const base = profile.api_base_url;
  if (!ADDRESS.test(base))
    return err(`The endpoint address "${base}" must be http:// or https:// and a host`);
  if (/^https?:\/\/[^/?#]*@/i.test(base))
    return err("The endpoint address must not hold a user name or a password");
  if (profile.model === "" && (profile.name === AD_HOC || vendorNamed(profile.name))) {
    return err("No model is chosen. Give one with -m MODEL, BUDDY_MODEL, or in a [models.<name>] table");
  }
  return ok({
    ...profile,
    model: profile.model || profile.name,
    api_base_url: base.replace(/\/+$/, ""),
    thinking: thinking ?? profile.thinking,
  });
}

const ADDRESS = /^https?:\/\/(?:[^/?#\s]*@)?(?:\[[0-9a-f:.]+\]|[^\s/?#:@[\]\\]+)(?::\d{1,5})?(?:\/\S*)?$/i;

const vendorNamed = (name: string): boolean => VENDORS.some((vendor) => vendor.name === name);

function profileList(config: Config): string {
  return `The profiles are: ${Object.keys(config.models).join(", ")}`;
}
