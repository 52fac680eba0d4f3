import { describe, expect, test } from "bun:test";
import { mergeLayers, type RawTable } from "../../core/config/layers.ts";
import { type ActiveProfile, chooseProfile, type ProfileChoice } from "../../core/config/profile.ts";
import { err, ok, type Result } from "../../core/result.ts";

const NOTHING: ProfileChoice = { wanted: undefined, baseUrl: undefined };

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
  api_key: "",
  api_key_env: "",
  api_key_file: "",
  max_output_tokens: 0,
  stream: true,
  headers: {},
  ...more,
});

const TWO = { models: { a: { model: "a-1" }, b: { model: "b-1", api_base_url: "http://b/v1/" } } };

describe("chooseProfile()", () => {
  test("takes the active profile", () => {
    expect(choose({ ...TWO, agent: { model: "b" } })).toEqual(
      ok(profile({ name: "b", model: "b-1", api_base_url: "http://b/v1" })),
    );
  });

  test("takes the first profile when none is active", () => {
    expect(choose(TWO)).toEqual(ok(profile({ name: "a", model: "a-1" })));
  });

  test("calls the model by the profile's name when it has no other", () => {
    expect(choose({ models: { a: {} } })).toEqual(ok(profile({ name: "a", model: "a" })));
  });

  test("prefers a profile of the wanted name to the active one", () => {
    expect(choose({ ...TWO, agent: { model: "a" } }, { wanted: "b" })).toEqual(
      ok(profile({ name: "b", model: "b-1", api_base_url: "http://b/v1" })),
    );
  });

  test("uses any other wanted name as a model of the active profile", () => {
    expect(choose({ ...TWO, agent: { model: "b" } }, { wanted: "b-2" })).toEqual(
      ok(profile({ name: "b", model: "b-2", api_base_url: "http://b/v1" })),
    );
  });

  test("does not take a property of every object for a profile", () => {
    expect(choose(TWO, { wanted: "toString" })).toEqual(ok(profile({ name: "a", model: "toString" })));
  });

  test("sends a profile's requests to another address when one is given", () => {
    expect(choose(TWO, { baseUrl: "http://127.0.0.1:1234/v1//" })).toEqual(
      ok(profile({ name: "a", model: "a-1", api_base_url: "http://127.0.0.1:1234/v1" })),
    );
  });

  test("makes a profile of an address and a model alone", () => {
    expect(choose({}, { wanted: "m-1", baseUrl: "http://h/v1" })).toEqual(
      ok(profile({ name: "default", model: "m-1", api_base_url: "http://h/v1" })),
    );
  });

  test.each<readonly [fact: string, values: RawTable, choice: Partial<ProfileChoice>, message: string]>([
    [
      "there is nothing at all",
      {},
      {},
      "No model is configured. Write a [models.<name>] table into the configuration, or set BUDDY_BASE_URL and BUDDY_MODEL",
    ],
    [
      "there is a model but no address",
      {},
      { wanted: "m-1" },
      "No model is configured. Write a [models.<name>] table into the configuration, or set BUDDY_BASE_URL and BUDDY_MODEL",
    ],
    [
      "there is an address but no model",
      {},
      { baseUrl: "http://h/v1" },
      "No model is chosen. Give one with -m MODEL, BUDDY_MODEL, or a [models.<name>] table in the configuration",
    ],
    [
      "the active profile does not exist",
      { ...TWO, agent: { model: "c" } },
      {},
      'There is no profile "c". The profiles are: a, b',
    ],
    [
      "the active profile does not exist, whatever the address",
      { ...TWO, agent: { model: "c" } },
      { baseUrl: "http://h/v1" },
      'There is no profile "c". The profiles are: a, b',
    ],
    [
      "the address is none",
      TWO,
      { baseUrl: "localhost:1234" },
      'The endpoint address "localhost:1234" must begin with http:// or https://',
    ],
    [
      "the profile's address is none",
      { models: { a: { api_base_url: "file:///etc" } } },
      {},
      'The endpoint address "file:///etc" must begin with http:// or https://',
    ],
  ])("says what to do when %s", (_fact, values, choice, message) => {
    expect(choose(values, choice)).toEqual(err(message));
  });
});
