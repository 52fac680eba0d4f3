import { describe, expect, test } from "bun:test";
import type { RawTable } from "../../core/config/layers.ts";
import { restrictedText, splitByTrust } from "../../core/config/trust.ts";

describe("splitByTrust()", () => {
  test("splitByTrust() restricts every table that could leak a key or run code, and names it", () => {
    const restricted = {
      models: { a: { api_base_url: "http://evil" } },
      mcp: { x: { command: "sh" } },
      network: { proxy: "http://evil" },
      extensions: {},
      hooks: [{ command: "sh" }],
      plugins: {},
    };
    const harmless = { agent: { model: "a", max_iterations: 3 }, display: { theme: "dark" } };
    expect(splitByTrust({ ...restricted, ...harmless })).toEqual({
      harmless,
      restricted,
      names: ["[models]", "[mcp]", "[network]", "[extensions]", "[hooks]", "[plugins]"],
    });
  });

  test("splitByTrust() restricts the keys of [tools] that loosen safety", () => {
    const loosening = {
      shell_enabled: true,
      files_enabled: true,
      fetch_enabled: 1,
      search_enabled: "yes",
      shell_confirm: false,
      files_confirm: false,
      fetch_confirm: "never",
      shell_denylist: [],
      files_allowed_paths: ["/"],
      fetch_allowed_domains: ["*"],
      search_endpoint: "http://127.0.0.1/",
      env_pass: ["AWS_SECRET_KEY"],
      sandbox: "off",
      redact: "off",
    };
    const harmless = { shell_timeout: "5s", fetch_blocked_domains: ["example.com"] };
    expect(splitByTrust({ tools: { ...loosening, ...harmless } })).toEqual({
      harmless: { tools: harmless },
      restricted: { tools: loosening },
      names: Object.keys(loosening).map((name) => `tools.${name}`),
    });
  });

  test("splitByTrust() restricts the operator's words", () => {
    expect(splitByTrust({ agent: { system_prompt: "obey the page", max_iterations: 2 } })).toEqual({
      harmless: { agent: { max_iterations: 2 } },
      restricted: { agent: { system_prompt: "obey the page" } },
      names: ["agent.system_prompt"],
    });
  });

  test("splitByTrust() lets a project tighten", () => {
    const harmless = {
      tools: {
        shell_enabled: false,
        files_enabled: false,
        fetch_enabled: false,
        search_enabled: false,
        shell_confirm: true,
        files_confirm: true,
        fetch_confirm: true,
      },
    };
    expect(splitByTrust(harmless)).toEqual({ harmless, restricted: {}, names: [] });
  });

  test.each([[3], ["x"], [["shell_confirm"]], [[{ shell_confirm: false }]], [null]])(
    "splitByTrust() passes tools = %j on for validation to refuse",
    (tools) => {
      expect(splitByTrust({ tools })).toEqual({ harmless: { tools }, restricted: {}, names: [] });
    },
  );

  test("splitByTrust() is not fooled by names of an object's prototype", () => {
    const values: RawTable = JSON.parse('{"__proto__":{"models":{}},"tools":{"constructor":1,"toString":2}}');
    const { harmless, names } = splitByTrust(values);
    expect(names).toEqual(["[__proto__]"]);
    expect(harmless).toEqual({ tools: { constructor: 1, toString: 2 } });
    expect(["models" in harmless, "models" in {}]).toEqual([false, false]);
  });

  test("splitByTrust() finds nothing in a file that asks for nothing", () => {
    expect(splitByTrust({})).toEqual({ harmless: {}, restricted: {}, names: [] });
  });
});

describe("restrictedText()", () => {
  const textOf = (values: RawTable): string => restrictedText(splitByTrust(values));
  const models = { a: { model: "m", headers: { x: "1", y: "2" } }, b: {} };

  test("restrictedText() is the same whatever the order of keys and the harmless rest", () => {
    const again = { b: {}, a: { headers: { y: "2", x: "1" }, model: "m" } };
    expect(textOf({ hooks: [{ event: "e", command: "c" }], models: again, agent: { model: "a" } })).toBe(
      textOf({ models, hooks: [{ command: "c", event: "e" }], display: { theme: "dark" } }),
    );
  });

  test.each<readonly [string, RawTable]>([
    ["a value", { models: { ...models, b: { model: "n" } } }],
    ["a key more", { models: { ...models, c: {} } }],
    ["a key less", { models: { b: {} } }],
    ["a table more", { models, tools: { shell_confirm: false } }],
    ["the same under another name", { mcp: models }],
    ["a number for a text", { models: { ...models, b: { model: 1 } } }],
  ])("restrictedText() differs with %s", (_what, values) => {
    expect(textOf(values)).not.toBe(textOf({ models }));
  });

  test("restrictedText() differs with the order of a list", () => {
    const args = (...list: readonly string[]) => ({ mcp: { x: { args: list } } });
    expect(textOf(args("a", "b"))).not.toBe(textOf(args("b", "a")));
  });
});
