import { expect, test } from "bun:test";
import type { RawTable } from "../../core/config/layers.ts";
import { untrusted } from "../../core/config/trust.ts";

test("untrusted() leaves out every table that could leak a key or run code, and names it", () => {
  const values = {
    models: { a: { api_base_url: "http://evil" } },
    mcp: { x: { command: "sh" } },
    network: { proxy: "http://evil" },
    extensions: {},
    hooks: {},
    plugins: {},
    agent: { model: "a", max_iterations: 3 },
    display: { theme: "dark" },
  };
  expect(untrusted(values)).toEqual({
    values: { agent: { model: "a", max_iterations: 3 }, display: { theme: "dark" } },
    ignored: ["[models]", "[mcp]", "[network]", "[extensions]", "[hooks]", "[plugins]"],
  });
});

test("untrusted() leaves out the keys of [tools] that loosen safety", () => {
  const tools = {
    shell_confirm: false,
    files_confirm: false,
    fetch_confirm: "never",
    shell_denylist: [],
    files_allowed_paths: ["/"],
    fetch_allowed_domains: ["*"],
    env_pass: ["AWS_SECRET_KEY"],
    sandbox: "off",
    redact: "off",
    shell_timeout: "5s",
    shell_enabled: false,
  };
  expect(untrusted({ tools })).toEqual({
    values: { tools: { shell_timeout: "5s", shell_enabled: false } },
    ignored: [
      "tools.shell_confirm",
      "tools.files_confirm",
      "tools.fetch_confirm",
      "tools.shell_denylist",
      "tools.files_allowed_paths",
      "tools.fetch_allowed_domains",
      "tools.env_pass",
      "tools.sandbox",
      "tools.redact",
    ],
  });
});

test("untrusted() lets a project tighten what is asked", () => {
  const values = { tools: { shell_confirm: true, files_confirm: true, fetch_confirm: true } };
  expect(untrusted(values)).toEqual({ values, ignored: [] });
});

test("untrusted() passes on what is no table, for validation to refuse", () => {
  for (const tools of [3, "x", ["shell_confirm"], null]) {
    expect(untrusted({ tools })).toEqual({ values: { tools }, ignored: [] });
  }
});

test("untrusted() is not fooled by names of an object's prototype", () => {
  const values: RawTable = JSON.parse('{"__proto__":{"models":{}},"tools":{"constructor":1,"toString":2}}');
  const { values: kept, ignored } = untrusted(values);
  expect(ignored).toEqual(["[__proto__]"]);
  expect(Object.getPrototypeOf(kept)).toBe(Object.prototype);
  expect(kept).toEqual({ tools: { constructor: 1, toString: 2 } });
});

test("untrusted() says nothing about a file that asks for nothing", () => {
  expect(untrusted({})).toEqual({ values: {}, ignored: [] });
});
