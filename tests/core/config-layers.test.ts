import { describe, expect, test } from "bun:test";
import { firstMistakes, type Layer, mergeLayers, type RawTable } from "../../core/config/layers.ts";
import type { Config } from "../../core/config/schema.ts";
import { err, ok } from "../../core/result.ts";

const DEFAULTS: Config = {
  models: {},
  agent: {
    name: "buddy",
    model: "",
    system_prompt: "",
    max_iterations: 50,
    compact_at: 0.8,
    context_budget: 0,
    queue_mode: "one",
    compact_model: "",
    parallel_tools: true,
  },
  tools: {
    shell_enabled: true,
    files_enabled: true,
    fetch_enabled: true,
    search_enabled: true,
    shell_confirm: true,
    files_confirm: false,
    fetch_confirm: false,
    shell_denylist: [],
    files_allowed_paths: [],
    fetch_allowed_domains: [],
    fetch_blocked_domains: [],
    search_endpoint: "https://html.duckduckgo.com/html/",
    shell_timeout: 120_000,
    output_limit: "auto",
    sandbox: "off",
    sandbox_network: false,
    redact: "saved",
    env_pass: [],
  },
  tmux: { max_sessions: 1, max_panes: 5 },
  display: {
    color: true,
    show_tokens: false,
    show_tool_calls: true,
    show_reasoning: true,
    markdown: true,
    theme: "auto",
    notify: "bell",
  },
  sessions: { dir: "project", keep_days: 0 },
  network: { connect_timeout: 10_000, idle_timeout: 120_000, retries: 4, proxy: "", ca_file: "" },
  mcp: {},
  hooks: [],
};

const PROFILE: Config["models"][string] = {
  api_base_url: "https://api.openai.com/v1",
  api: "completions",
  auth: "api-key",
  api_key: "",
  api_key_env: "",
  api_key_file: "",
  api_key_keyring: "",
  model: "",
  context_limit: 0,
  max_output_tokens: 0,
  thinking: "medium",
  stream: true,
  headers: {},
};

const layer = (name: string, values: RawTable): Layer => ({ name, values });
const user = (values: RawTable) => layer('config "u.toml"', values);
const flags = (values: RawTable) => layer("flags", values);

describe("precedence", () => {
  test("mergeLayers() gives every key a default", () => {
    expect(mergeLayers([])).toEqual(ok({ config: DEFAULTS, warnings: [] }));
    expect(mergeLayers([user({}), flags({ agent: {} })])).toEqual(ok({ config: DEFAULTS, warnings: [] }));
  });

  test("mergeLayers() lets later layers win key by key", () => {
    const merged = mergeLayers([
      user({
        agent: { model: "a", max_iterations: 7 },
        tools: { shell_timeout: "30s", shell_confirm: false },
      }),
      layer('config "p.toml"', { agent: { max_iterations: 8, temperature: 0.5 } }),
      flags({ agent: { max_iterations: 9 }, tools: { shell_confirm: true }, sessions: { dir: "user" } }),
    ]);
    expect(merged).toEqual(
      ok({
        config: {
          ...DEFAULTS,
          agent: { ...DEFAULTS.agent, model: "a", max_iterations: 9, temperature: 0.5 },
          tools: { ...DEFAULTS.tools, shell_timeout: 30_000, shell_confirm: true },
          sessions: { dir: "user", keep_days: 0 },
        },
        warnings: [],
      }),
    );
  });

  test("mergeLayers() joins profiles of the same name and keeps the others", () => {
    const merged = mergeLayers([
      user({ models: { a: { model: "a-1", headers: { x: "1", y: "2" } }, b: {} } }),
      flags({ models: { a: { stream: false, headers: { y: "3" } }, c: { model: "c-1" } } }),
    ]);
    expect(merged).toEqual(
      ok({
        config: {
          ...DEFAULTS,
          models: {
            a: { ...PROFILE, model: "a-1", stream: false, headers: { x: "1", y: "3" } },
            b: PROFILE,
            c: { ...PROFILE, model: "c-1" },
          },
        },
        warnings: [],
      }),
    );
  });

  test("mergeLayers() replaces a value of one kind by a value of another", () => {
    const merged = mergeLayers([
      user({ tools: { output_limit: "auto", shell_timeout: "1m" } }),
      flags({ tools: { output_limit: 5000, shell_timeout: 90 } }),
    ]);
    expect(merged).toEqual(
      ok({
        config: { ...DEFAULTS, tools: { ...DEFAULTS.tools, output_limit: 5000, shell_timeout: 90_000 } },
        warnings: [],
      }),
    );
  });

  test("mergeLayers() takes nothing from a prototype", () => {
    const evil: RawTable = JSON.parse('{"__proto__":{"agent":{"model":"x"}},"constructor":{"a":1}}');
    expect(mergeLayers([user(evil)])).toMatchObject(ok({ config: DEFAULTS }));
    expect(Object.hasOwn(Object.prototype, "agent")).toBe(false);
  });
});

describe("unknown keys", () => {
  test("mergeLayers() warns with the nearest known key and ignores it", () => {
    const lines = new Map([
      ["agent.modle", 3],
      ["models.a.api_kye", 7],
    ]);
    const merged = mergeLayers([
      {
        name: 'config "u.toml"',
        values: {
          agent: { modle: "x" },
          models: { a: { api_kye: "k", headers: { anything: "goes" } } },
          tool: { x: 1 },
          zzzzzz: 1,
        },
        lineOf: (path) => lines.get(path.join(".")),
      },
    ]);
    expect(merged).toEqual(
      ok({
        config: { ...DEFAULTS, models: { a: { ...PROFILE, headers: { anything: "goes" } } } },
        warnings: [
          'config "u.toml", line 3: unknown key "agent.modle" is ignored; did you mean "model"?',
          'config "u.toml", line 7: unknown key "models.a.api_kye" is ignored; did you mean "api_key"?',
          'config "u.toml": unknown key "tool" is ignored; did you mean "tools"?',
          'config "u.toml": unknown key "zzzzzz" is ignored',
        ],
      }),
    );
  });

  test("mergeLayers() warns for each layer on its own", () => {
    const merged = mergeLayers([user({ agent: { nmae: 1 } }), flags({ agent: { nmae: 2 } })]);
    expect(merged).toEqual(
      ok({
        config: DEFAULTS,
        warnings: [
          'config "u.toml": unknown key "agent.nmae" is ignored; did you mean "name"?',
          'flags: unknown key "agent.nmae" is ignored; did you mean "name"?',
        ],
      }),
    );
  });
});

describe("mistakes", () => {
  test.each<readonly [fact: string, values: RawTable, message: string]>([
    [
      "a text for a number",
      { agent: { max_iterations: "many" } },
      'agent.max_iterations must be a number, found the text "many"',
    ],
    ["a number for a text", { agent: { model: 5 } }, "agent.model must be text, found 5"],
    [
      "a text for a switch",
      { tools: { shell_confirm: "no" } },
      'tools.shell_confirm must be true, false or "risky", found the text "no"',
    ],
    ["a value for a table", { models: 3 }, "models must be a table, found 3"],
    ["a table for a value", { agent: { model: {} } }, "agent.model must be text, found a table"],
    ["a value for a profile", { models: { a: 1 } }, "models.a must be a table, found 1"],
    [
      "an unknown choice",
      { sessions: { dir: "here" } },
      'sessions.dir must be one of "project", "user", found the text "here"',
    ],
    [
      "a fraction of a call",
      { agent: { max_iterations: 1.5 } },
      "agent.max_iterations must be a whole number",
    ],
    ["no call at all", { agent: { max_iterations: 0 } }, "agent.max_iterations must be at least 1"],
    ["a negative number", { network: { retries: -1 } }, "network.retries must not be negative"],
    [
      "a switch for a duration",
      { tools: { shell_timeout: true } },
      'tools.shell_timeout must be a duration such as "500ms", "30s", "1h30m" or a whole number of seconds, found true',
    ],
    [
      "a header that is no text",
      { models: { a: { headers: { x: 1 } } } },
      "models.a.headers.x must be text, found 1",
    ],
    [
      "a word for a protocol",
      { models: { a: { api: "graphql" } } },
      'models.a.api must be one of "completions", "responses", "anthropic", found the text "graphql"',
    ],
    [
      "a duration of no known unit",
      { network: { idle_timeout: "3 fortnights" } },
      'network.idle_timeout must be a duration such as "500ms", "30s", "1h30m" or a whole number of seconds',
    ],
    ["a share of nothing", { agent: { compact_at: 0.01 } }, "agent.compact_at must be at least 0.1"],
    ["more than all of it", { agent: { compact_at: 2 } }, "agent.compact_at must be at most 1"],
    [
      "a name with blanks",
      { agent: { name: "my buddy" } },
      "agent.name must be 1 to 48 of a-z, 0-9, - and _",
    ],
    [
      "a text for a list",
      { tools: { env_pass: "A" } },
      'tools.env_pass must be a list of texts, found the text "A"',
    ],
    ["a number in a list", { tools: { env_pass: [1] } }, "tools.env_pass.0 must be text, found 1"],
    ["a table for a list", { hooks: {} }, "hooks must be a list of tables, found a table"],
    [
      "a hook of an event that is none",
      { hooks: [{ event: "later", command: "x" }] },
      'hooks.0.event must be one of "before_tool_call", "after_tool_call", "before_model_call", "on_event", found the text "later"',
    ],
    ["a list for a table", { tools: [] }, "tools must be a table, found a list"],
    ["a list of tables for a table", { agent: [{ model: "x" }] }, "agent must be a table, found a list"],
    ["a list for all profiles", { models: [] }, "models must be a table, found a list"],
    ["a list for a profile", { models: { a: [] } }, "models.a must be a table, found a list"],
    [
      "a list for headers",
      { models: { a: { headers: ["x"] } } },
      "models.a.headers must be a table, found a list",
    ],
    [
      "a word for a limit",
      { tools: { output_limit: "lots" } },
      'tools.output_limit must be "auto" or a whole number of characters from 1000, found the text "lots"',
    ],
  ])("mergeLayers() refuses %s and names key, place and finding", (_fact, values, message) => {
    expect(mergeLayers([{ ...user(values), lineOf: () => 4 }])).toEqual(
      err(`config "u.toml", line 4: ${message}`),
    );
    expect(mergeLayers([flags(values)])).toEqual(err(`flags: ${message}`));
  });

  test("mergeLayers() shows only the beginning of a long text", () => {
    const found = `found the text "${"x".repeat(40)}"`;
    expect(mergeLayers([flags({ agent: { max_iterations: "x".repeat(5000) } })])).toEqual(
      err(`flags: agent.max_iterations must be a number, ${found}`),
    );
  });

  test("mergeLayers() goes on over a mistake that a later layer covers, firstMistakes() does not", () => {
    const layers = [user({ agent: { max_iterations: "x" } }), flags({ agent: { max_iterations: 3 } })];
    const config = { ...DEFAULTS, agent: { ...DEFAULTS.agent, max_iterations: 3 } };
    expect(mergeLayers(layers)).toEqual(ok({ config, warnings: [] }));
    expect(firstMistakes(layers)).toEqual([
      'config "u.toml": agent.max_iterations must be a number, found the text "x"',
    ]);
  });

  test("firstMistakes() names one for each layer that has any", () => {
    const layers = [user({ agent: 1, tools: 2 }), layer("fine", {}), flags({ network: { retries: -1 } })];
    expect(firstMistakes(layers)).toEqual([
      'config "u.toml": agent must be a table, found 1',
      "flags: network.retries must not be negative",
    ]);
  });
});

describe("two sources of one key", () => {
  test("mergeLayers() refuses them in one layer and names both", () => {
    const merged = mergeLayers([user({ models: { a: { api_key: "k", api_key_env: "KEY" } } })]);
    expect(merged).toEqual(
      err('config "u.toml": models.a names two sources of the key: api_key and api_key_env. Keep one'),
    );
  });

  test("mergeLayers() does not count a source that is empty, or one of another profile", () => {
    const merged = mergeLayers([
      user({ models: { a: { api_key: "", api_key_env: "KEY" }, b: { api_key_file: "/k" } } }),
    ]);
    expect(merged).toMatchObject({ ok: true });
  });
});
