import { describe, expect, test } from "bun:test";
import { effectiveValues } from "../../core/config/effective.ts";
import { type Layer, mergeLayers, type RawTable } from "../../core/config/layers.ts";

const layer = (name: string, values: RawTable, lines?: Readonly<Record<string, number>>): Layer => ({
  name,
  values,
  ...(lines ? { lineOf: (path) => lines[path.join(".")] } : {}),
});

/** What is in force below one place, by path. */
function effective(layers: readonly Layer[], below: string): Readonly<Record<string, readonly string[]>> {
  const merged = mergeLayers(layers);
  if (!merged.ok) throw new Error(merged.error);
  return Object.fromEntries(
    effectiveValues(merged.value.config, layers)
      .filter(({ path }) => path.startsWith(below))
      .map(({ path, value, source }) => [path, [value, source]]),
  );
}

describe("effectiveValues()", () => {
  test("effectiveValues() names the last layer that said a value, its line where there are lines, else the default", () => {
    const layers = [
      layer("built-in", { network: { retries: 4, proxy: "" } }),
      layer("user", { network: { retries: 2, idle_timeout: "1m" } }, { "network.idle_timeout": 7 }),
      layer("flags", { network: { retries: 9 } }),
    ];
    expect(effective(layers, "network.")).toEqual({
      "network.connect_timeout": ["10000", "default"],
      "network.idle_timeout": ["60000", "user, line 7"],
      "network.retries": ["9", "flags"],
      "network.proxy": ['""', "built-in"],
      "network.ca_file": ['""', "default"],
    });
  });

  test("effectiveValues() shows every key of an empty configuration as a default", () => {
    const values = Object.entries(effective([], ""));
    expect(values.length).toBeGreaterThan(35);
    expect(values.filter(([, [, source]]) => source !== "default")).toEqual([]);
  });

  test("effectiveValues() leaves out what is not set and quotes odd names", () => {
    const shown = effective([layer("user", { models: { "my model/1": { model: 'a "b"\n' } } })], "models");
    expect(shown['models."my model/1".model']).toEqual(['"a \\"b\\"\\n"', "user"]);
    expect(Object.keys(shown)).not.toContain('models."my model/1".price');
    expect(Object.keys(effective([], "agent"))).not.toContain("agent.temperature");
  });

  test("effectiveValues() masks keys, headers and the environment of servers, and says where they come from", () => {
    const secret = "do-not-show-this";
    const layers = [
      layer(
        "user",
        {
          models: { a: { api_key: secret, headers: { authorization: secret, "x.y": secret } } },
          mcp: { s: { command: "run", env: { TOKEN: secret }, headers: { cookie: secret } } },
        },
        { "models.a.api_key": 3 },
      ),
    ];
    const shown = { ...effective(layers, "models"), ...effective(layers, "mcp") };
    expect(JSON.stringify(shown)).not.toContain(secret);
    expect(shown).toMatchObject({
      "models.a.api_key": ['"***"', "user, line 3"],
      "models.a.headers.authorization": ['"***"', "user"],
      'models.a.headers."x.y"': ['"***"', "user"],
      "mcp.s.env.TOKEN": ['"***"', "user"],
      "mcp.s.headers.cookie": ['"***"', "user"],
      "mcp.s.command": ['"run"', "user"],
    });
  });

  test("effectiveValues() shows a key that is not set as empty, and the names of its other sources", () => {
    const layers = [layer("user", { models: { a: { api_key_env: "MY_KEY" } } })];
    expect(effective(layers, "models.a.api_key")).toEqual({
      "models.a.api_key": ['""', "default"],
      "models.a.api_key_env": ['"MY_KEY"', "user"],
      "models.a.api_key_file": ['""', "default"],
      "models.a.api_key_keyring": ['""', "default"],
    });
  });

  test("effectiveValues() finds nothing in a prototype", () => {
    const layers = [layer("user", { models: { toString: {} } })];
    expect(effective(layers, "models.toString.api_key_env")).toEqual({
      "models.toString.api_key_env": ['""', "default"],
    });
  });
});
