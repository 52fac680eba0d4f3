import { describe, expect, test } from "bun:test";
import { mergeLayers, type RawTable } from "../../core/config/layers.ts";
import { type ActiveProfile, chooseProfile, type ProfileChoice } from "../../core/config/profile.ts";
import { err, ok, type Result } from "../../core/result.ts";

const NOTHING: ProfileChoice = {
  wanted: undefined,
  provider: undefined,
  baseUrl: undefined,
  thinking: undefined,
  hasKey: () => false,
  own: [],
};

function choose(values: RawTable, choice: Partial<ProfileChoice> = {}): Result<ActiveProfile, string> {
  const loaded = mergeLayers([{ name: "test", values }]);
  if (!loaded.ok) throw new Error(loaded.error);
  return chooseProfile(loaded.value.config, { ...NOTHING, ...choice });
}

const profile = (more: Partial<ActiveProfile>): ActiveProfile => ({
  name: "a",
  model: "a",
  api_base_url: "https://api.openai.com/v1",
  api: "completions",
  auth: "api-key",
  api_key: "",
  api_key_env: "",
  api_key_file: "",
  api_key_keyring: "",
  context_limit: 0,
  max_output_tokens: 0,
  thinking: "medium",
  stream: true,
  headers: {},
  ...more,
});

/** Profiles as the template has them, one of the user's at its end. */
const BUILT_IN = {
  "gpt-codex": {
    api_base_url: "https://api.openai.com/v1",
    api: "responses",
    api_key_env: "OPENAI_API_KEY",
    model: "gpt-5",
  },
  claude: {
    api_base_url: "https://api.anthropic.com",
    api: "anthropic",
    api_key_env: "ANTHROPIC_API_KEY",
    model: "claude-x",
  },
  ollama: { api_base_url: "http://127.0.0.1:11434/v1", model: "qwen3" },
};
const ALL = { ...BUILT_IN, mine: { api_base_url: "https://models.example.com/v1/", model: "m-1" } };

const CODEX = profile({
  name: "gpt-codex",
  model: "gpt-5",
  api: "responses",
  api_key_env: "OPENAI_API_KEY",
});
const MINE = profile({ name: "mine", model: "m-1", api_base_url: "https://models.example.com/v1" });
const CLAUDE = profile({
  name: "claude",
  model: "claude-x",
  api_base_url: "https://api.anthropic.com",
  api: "anthropic",
  api_key_env: "ANTHROPIC_API_KEY",
});
const OLLAMA = profile({ name: "ollama", model: "qwen3", api_base_url: "http://127.0.0.1:11434/v1" });

const config = (agentModel = ""): RawTable => ({ models: ALL, agent: { model: agentModel } });

type Row = readonly [fact: string, agentModel: string, choice: Partial<ProfileChoice>, chosen: ActiveProfile];

describe("chooseProfile() finds the profile", () => {
  test.each<Row>([
    ["the default when nobody says anything", "", {}, CODEX],
    ["the user's first own when none is named", "", { own: ["mine", "claude"] }, MINE],
    ["the active one", "mine", {}, MINE],
    ["the active one before the user's first own", "claude", { own: ["mine"] }, CLAUDE],
    ["the wanted one before the active one", "mine", { wanted: "claude" }, CLAUDE],
    ["the first at a provider", "mine", { provider: "anthropic" }, CLAUDE],
    ["the first at a provider, in any spelling", "mine", { provider: "OpenAI" }, CODEX],
    ["the provider's before the wanted one's", "", { provider: "anthropic", wanted: "mine" }, CLAUDE],
    ["a thinking level over the profile's", "mine", { thinking: "high" }, { ...MINE, thinking: "high" }],
  ])("%s", (_fact, agentModel, choice, chosen) => {
    expect(choose(config(agentModel), choice)).toEqual(ok(chosen));
  });

  test("a provider without a profile, made of what is known of the vendor", () => {
    expect(choose(config(), { provider: "openrouter", wanted: "z-ai/glm" })).toEqual(
      ok(
        profile({
          name: "openrouter",
          model: "z-ai/glm",
          api_base_url: "https://openrouter.ai/api/v1",
          api_key_env: "OPENROUTER_API_KEY",
        }),
      ),
    );
  });

  test("a model of its profile's name when it has no other", () => {
    expect(choose({ models: { a: {} } }, { own: ["a"] })).toEqual(ok(profile({ name: "a", model: "a" })));
  });
});

describe("chooseProfile() takes a model by name", () => {
  const hasKey = () => true;

  test.each<Row>([
    ["for one of the active profile", "mine", { wanted: "m-2" }, { ...MINE, model: "m-2" }],
    ["for one of the user's first own", "", { wanted: "m-2", own: ["mine"] }, { ...MINE, model: "m-2" }],
    ["for one of the default's vendor", "", { wanted: "gpt-6", hasKey }, { ...CODEX, model: "gpt-6" }],
    [
      "and no property of every object for a profile",
      "mine",
      { wanted: "toString" },
      { ...MINE, model: "toString" },
    ],
    [
      "to its only vendor when the profile is at another",
      "",
      { wanted: "claude-y", hasKey },
      { ...CLAUDE, name: "anthropic", model: "claude-y" },
    ],
    [
      "to its only vendor from there",
      "claude",
      { wanted: "o9-mini", hasKey },
      { ...CODEX, name: "openai", model: "o9-mini" },
    ],
    [
      "and no vendor's name for more than a name on a host of nobody's",
      "mine",
      { wanted: "claude-y", hasKey },
      { ...MINE, model: "claude-y" },
    ],
    [
      "and no vendor's name for more than a name on this machine",
      "ollama",
      { wanted: "gpt-oss", hasKey },
      { ...OLLAMA, model: "gpt-oss" },
    ],
  ])("%s", (_fact, agentModel, choice, chosen) => {
    expect(choose(config(agentModel), choice)).toEqual(ok(chosen));
  });

  test("asks only about the key of the vendor that it needs", () => {
    const asked: string[] = [];
    const hasKey: ProfileChoice["hasKey"] = ({ name }) => {
      asked.push(name);
      return true;
    };
    choose(config(), { wanted: "gemini-pro", hasKey });
    expect(asked).toEqual(["google"]);
  });
});

describe("chooseProfile() takes an address", () => {
  const baseUrl = "http://127.0.0.1:1234/v1";
  const adHoc = profile({ name: "default", model: "m", api_base_url: baseUrl });

  test.each<Row>([
    ["in place of the active profile's", "mine", { baseUrl }, { ...MINE, api_base_url: baseUrl }],
    [
      "in place of the wanted profile's",
      "",
      { baseUrl, wanted: "claude" },
      { ...CLAUDE, api_base_url: baseUrl, api_key_env: "" },
    ],
    [
      "in place of the provider's profile's",
      "",
      { baseUrl, provider: "anthropic" },
      { ...CLAUDE, api_base_url: baseUrl, api_key_env: "" },
    ],
    ["for a profile of its own when nobody named one", "", { baseUrl, wanted: "m" }, adHoc],
    [
      "for a profile of its own, whatever profiles the user has",
      "",
      { baseUrl, wanted: "m", own: ["mine"] },
      adHoc,
    ],
    [
      "of the same host as another path of the profile nobody named",
      "",
      { baseUrl: "https://api.openai.com/v2" },
      { ...CODEX, api_base_url: "https://api.openai.com/v2" },
    ],
    [
      "of a vendor for that vendor's",
      "",
      { baseUrl: "https://api.anthropic.com/x", wanted: "claude-y" },
      { ...CLAUDE, name: "anthropic", model: "claude-y", api_base_url: "https://api.anthropic.com/x" },
    ],
    [
      "without the slashes at its end",
      "mine",
      { baseUrl: `${baseUrl}//` },
      { ...MINE, api_base_url: baseUrl },
    ],
  ])("%s", (_fact, agentModel, choice, chosen) => {
    expect(choose(config(agentModel), choice)).toEqual(ok(chosen));
  });

  test("of another host takes no key and no headers of the named profile along", () => {
    const models = {
      mine: {
        api_base_url: "https://llm.example/v1",
        api_key_env: "K",
        headers: { "x-token": "t" },
        model: "m",
      },
    };
    const chosen = (url: string) => {
      const { ok: found, ...rest } = choose({ models }, { baseUrl: url, wanted: "mine" });
      return found && "value" in rest ? [rest.value.api_key_env, rest.value.headers] : rest;
    };
    expect(chosen("https://other.example/v1")).toEqual(["", {}]);
    expect(chosen("https://llm.example:8443/v2")).toEqual(["K", { "x-token": "t" }]);
  });

  test("that nobody named a profile for keeps nothing of one: no key, no headers", () => {
    const models = { mine: { api_key: "sk-mine", headers: { "x-token": "t" }, model: "m" } };
    expect(choose({ models }, { own: ["mine"], wanted: "m", baseUrl: "https://other.example/v1" })).toEqual(
      ok(profile({ name: "default", model: "m", api_base_url: "https://other.example/v1" })),
    );
  });
});

describe("chooseProfile() says what is wrong", () => {
  const list = "The profiles are: gpt-codex, claude, ollama, mine";
  const noModel = "No model is chosen. Give one with -m MODEL, BUDDY_MODEL, or in a [models.<name>] table";

  test.each<readonly [fact: string, agentModel: string, choice: Partial<ProfileChoice>, message: string]>([
    ["the active profile does not exist", "c", {}, `There is no profile "c". ${list}`],
    [
      "the active profile does not exist, whatever the address",
      "c",
      { baseUrl: "http://h/v1" },
      `There is no profile "c". ${list}`,
    ],
    [
      "the provider does not exist",
      "",
      { provider: "acme" },
      'There is no provider "acme". The providers are: openai, anthropic, google, openrouter',
    ],
    ["there is an address but no model", "", { baseUrl: "http://h/v1" }, noModel],
    ["there is a provider without a profile and no model", "", { provider: "google" }, noModel],
    [
      "the model can only be another vendor's, for which there is no key",
      "",
      { wanted: "claude-y" },
      `"claude-y" is a model of anthropic, for which there is no key (ANTHROPIC_API_KEY). ${list}`,
    ],
    [
      "the address holds a name and a password",
      "mine",
      { baseUrl: "http://me:secret@h/v1" },
      "The endpoint address must not hold a user name or a password",
    ],
    ...[
      ...["localhost:1234", "ftp://h/v1", "file:///etc", "//h/v1", "http:h", "", "http://", "https:///v1"],
      ...["http://:80/v1", "http://h:port/v1", "http://h:123456/v1", "http://a b/v1", "http://[::1/v1"],
    ].map(
      (baseUrl) =>
        [
          `the address is ${JSON.stringify(baseUrl)}`,
          "mine",
          { baseUrl },
          `The endpoint address "${baseUrl}" must be http:// or https:// and a host`,
        ] as const,
    ),
  ])("when %s", (_fact, agentModel, choice, message) => {
    expect(choose(config(agentModel), choice)).toEqual(err(message));
  });

  test("when the profile's own address is none", () => {
    expect(choose({ models: { a: { api_base_url: "file:///etc" } } }, { own: ["a"] })).toEqual(
      err('The endpoint address "file:///etc" must be http:// or https:// and a host'),
    );
  });

  test("when there are no profiles at all", () => {
    expect(choose({})).toEqual(err('There is no profile "gpt-codex". The profiles are: '));
  });
});
