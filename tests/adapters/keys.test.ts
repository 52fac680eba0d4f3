import { describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as v from "valibot";
import { findKey } from "../../adapters/auth/keys.ts";
import type { ActiveProfile } from "../../core/config/profile.ts";
import { profileSchema } from "../../core/config/schema.ts";

const profile = (fields: Readonly<Record<string, string>>): ActiveProfile => ({
  ...v.parse(profileSchema, fields),
  name: "p",
  model: "m",
});

const OPENAI = "https://api.openai.com/v1";
const OTHER = "https://models.example.com/v1";

describe("findKey()", () => {
  test.each([
    [
      "BUDDY_API_KEY before all",
      { api_key: "conf", api_base_url: OPENAI },
      { BUDDY_API_KEY: "env", OPENAI_API_KEY: "v" },
      "env",
    ],
    ["the old AGENT_API_KEY", { api_key: "conf" }, { AGENT_API_KEY: "old" }, "old"],
    ["BUDDY_API_KEY before the old one", {}, { BUDDY_API_KEY: "new", AGENT_API_KEY: "old" }, "new"],
    ["the key of the profile", { api_key: "conf", api_base_url: OPENAI }, { OPENAI_API_KEY: "v" }, "conf"],
    ["the profile's variable", { api_key_env: "MINE", api_base_url: OTHER }, { MINE: "mine" }, "mine"],
    ["the vendor's variable", { api_base_url: OPENAI }, { OPENAI_API_KEY: "v" }, "v"],
    [
      "the vendor's variable when the profile's is unset",
      { api_key_env: "MINE", api_base_url: OPENAI },
      { OPENAI_API_KEY: "v" },
      "v",
    ],
    ["Anthropic's variable", { api_base_url: "https://api.anthropic.com" }, { ANTHROPIC_API_KEY: "a" }, "a"],
    [
      "OpenRouter's variable",
      { api_base_url: "https://openrouter.ai/api/v1" },
      { OPENROUTER_API_KEY: "o" },
      "o",
    ],
  ])(
    "findKey() takes %s",
    (_what, fields: Readonly<Record<string, string>>, env: Readonly<Record<string, string>>, key) => {
      expect(findKey(profile(fields), env, "/")).toEqual({ ok: true, value: key });
    },
  );

  test("findKey() sends a vendor's key to nobody else", () => {
    const env = { OPENAI_API_KEY: "v", ANTHROPIC_API_KEY: "a", OPENROUTER_API_KEY: "o", GEMINI_API_KEY: "g" };
    for (const url of [
      OTHER,
      "https://api.openai.com.evil.example/v1",
      "https://evil.example/api.openai.com",
    ]) {
      expect(findKey(profile({ api_base_url: url }), env, "/")).toMatchObject({
        ok: false,
        error: { class: "auth" },
      });
    }
  });

  test("findKey() reads a file and trims the newline at its end", () => {
    const root = mkdtempSync(join(tmpdir(), "buddy-keys-"));
    try {
      writeFileSync(join(root, "key"), "sk-from-file\r\n");
      const given = { ok: true, value: "sk-from-file" } as const;
      expect(findKey(profile({ api_key_file: join(root, "key") }), {}, "/")).toEqual(given);
      expect(findKey(profile({ api_key_file: "key" }), {}, root)).toEqual(given);
      expect(findKey(profile({ api_key_file: "~/key" }), { HOME: root }, "/")).toEqual(given);
      const path = join(root, "none");
      expect(findKey(profile({ api_key_file: path }), {}, "/")).toEqual({
        ok: false,
        error: { class: "auth", message: `Cannot read the key file "${path}": no such file or directory` },
      });
    } finally {
      rmSync(root, { recursive: true });
    }
  });

  test.each([
    "http://localhost:11434/v1",
    "http://127.0.0.1:8080/v1",
    "http://127.1.2.3/v1",
    "http://[::1]:9/v1",
  ])("findKey() needs no key for %s", (url) => {
    expect(findKey(profile({ api_base_url: url }), {}, "/")).toEqual({ ok: true, value: undefined });
  });

  test.each([
    "http://localhost.evil.example/v1",
    "http://127.0.0.1.evil.example/v1",
    "http://10.0.0.1/v1",
    "https://models.example.com/v1",
  ])("findKey() needs a key for %s", (url) => {
    expect(findKey(profile({ api_base_url: url }), {}, "/")).toMatchObject({
      ok: false,
      error: { class: "auth" },
    });
  });

  test.each([
    [{ api_base_url: OPENAI }, "api.openai.com", "set OPENAI_API_KEY, or api_key_file in [models.p]"],
    [
      { api_base_url: OTHER, api_key_env: "MINE" },
      "models.example.com",
      "set MINE, or api_key_file in [models.p]",
    ],
    [{ api_base_url: OTHER }, "models.example.com", "set BUDDY_API_KEY, or api_key_file in [models.p]"],
  ])("findKey() of %j says how to give one", (fields: Readonly<Record<string, string>>, host, hint) => {
    expect(findKey(profile(fields), {}, "/")).toEqual({
      ok: false,
      error: { class: "auth", message: `There is no key for profile "p" (${host})`, hint },
    });
  });

  test.each(["two words", "line\nbreak", "bell\u0007", "schlüssel"])(
    "findKey() refuses %j without showing it",
    (key) => {
      const found = findKey(profile({ api_key: key }), {}, "/");
      expect(found).toMatchObject({ ok: false, error: { class: "auth" } });
      expect(JSON.stringify(found)).not.toContain(JSON.stringify(key).slice(1, -1));
    },
  );
});
