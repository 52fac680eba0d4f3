import { describe, expect, test } from "bun:test";
import { mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createUserFile } from "../../adapters/config/create.ts";
import { readConfigFile } from "../../adapters/config/files.ts";
import { TEMPLATE } from "../../adapters/config/template.ts";
import { mergeLayers } from "../../core/config/layers.ts";
import { inDirectory, unwrap } from "./in-directory.ts";

const modeOf = (path: string): string => (statSync(path).mode & 0o777).toString(8);

describe("TEMPLATE", () => {
  const merged = (text: string) => mergeLayers([{ name: "template", values: { ...Bun.TOML.parse(text) } }]);

  test("TEMPLATE passes the schema without a warning and has the six profiles", () => {
    const { config, warnings } = unwrap(merged(TEMPLATE));
    const profiles = Object.entries(config.models).map(
      ([name, { api, api_base_url, api_key_env, model }]) => [
        name,
        api,
        new URL(api_base_url).host,
        api_key_env,
        model !== "",
      ],
    );
    expect(warnings).toEqual([]);
    expect(profiles).toEqual([
      ["gpt-codex", "responses", "api.openai.com", "OPENAI_API_KEY", true],
      ["gpt-spark", "responses", "api.openai.com", "OPENAI_API_KEY", true],
      ["claude", "anthropic", "api.anthropic.com", "ANTHROPIC_API_KEY", true],
      ["openrouter-deepseek", "completions", "openrouter.ai", "OPENROUTER_API_KEY", true],
      ["openrouter-glm", "completions", "openrouter.ai", "OPENROUTER_API_KEY", true],
      ["ollama", "completions", "127.0.0.1:11434", "", true],
    ]);
  });

  test("TEMPLATE shows the defaults where it shows values: with every comment taken off it means the same", () => {
    const shown = TEMPLATE.replace(/^# (?=[a-z_]+ = )/gm, "");
    expect(shown).not.toBe(TEMPLATE);
    const { config, warnings } = unwrap(merged(shown));
    const plain = unwrap(merged(TEMPLATE)).config;
    expect(warnings).toEqual([]);
    // The first profile shows alternatives too: a login, and a price.
    const { "gpt-codex": first, ...others } = plain.models;
    const shownFirst = { ...first, auth: "login", price: { input: 0, output: 0, cached: 0 } };
    expect<unknown>(config).toEqual({
      ...plain,
      agent: { ...plain.agent, model: "gpt-codex" },
      models: { "gpt-codex": shownFirst, ...others },
    });
  });

  test("TEMPLATE holds no key and fits a terminal", () => {
    expect(TEMPLATE).not.toMatch(/sk-|api_key = /);
    expect(Math.max(...TEMPLATE.split("\n").map((line) => line.length))).toBeLessThanOrEqual(110);
    expect(TEMPLATE).toEndWith("\n");
  });
});

describe("createUserFile()", () => {
  test("createUserFile() writes the template, private, into directories it makes private", () =>
    inDirectory({}, async (root) => {
      const path = join(root, "a/buddy/buddy.toml");
      expect(createUserFile(path)).toEqual({ ok: true, value: undefined });
      expect(readFileSync(path, "utf8")).toBe(TEMPLATE);
      expect([path, join(root, "a/buddy"), join(root, "a")].map(modeOf)).toEqual(["600", "700", "700"]);
      expect(readdirSync(join(root, "a/buddy"))).toEqual(["buddy.toml"]);
      expect((await readConfigFile(path)).ok).toBe(true);
    }));

  test("createUserFile() says why it cannot, and leaves nothing behind", () =>
    inDirectory({ file: "in the way" }, async (root) => {
      expect(createUserFile(join(root, "file/buddy.toml")).ok).toBe(false);
      mkdirSync(join(root, "dir/buddy.toml"), { recursive: true });
      writeFileSync(join(root, "dir/buddy.toml/x"), "");
      expect(createUserFile(join(root, "dir/buddy.toml")).ok).toBe(false);
      expect(readdirSync(root, { recursive: true, encoding: "utf8" }).sort()).toEqual([
        "dir",
        "dir/buddy.toml",
        "dir/buddy.toml/x",
        "file",
      ]);
    }));

  test("createUserFile() writes through no link that lies in its place", () =>
    inDirectory({ victim: "mine" }, async (root) => {
      symlinkSync(join(root, "victim"), join(root, "buddy.toml"));
      expect(createUserFile(join(root, "buddy.toml")).ok).toBe(true);
      expect(readFileSync(join(root, "victim"), "utf8")).toBe("mine");
    }));
});
