import { describe, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { readConfigFile } from "../../adapters/config/files.ts";
import { type ConfigSources, loadConfig } from "../../adapters/config/load.ts";
import { userPaths } from "../../adapters/config/paths.ts";

describe("readConfigFile()", () => {
  test.each([
    ["a string without an end", '[agent]\nmodel = "x\nmax_iterations = 3\n', 2, 11, 'model = "x'],
    ["a key without an equals sign", '[agent]\nmodel "x"\n', 2, 7, 'model "x"'],
    ["a key twice", '[agent]\nmodel = "a"\nmodel = "b"\n', 3, 1, 'model = "b"'],
    ["a table twice", '[agent]\nmodel = "a"\n\n[agent]\n', 4, 1, "[agent]"],
    ["a header without an end", '[agent\nmodel = "a"\n', 1, 7, "[agent"],
    ["a bare word", "[tools]\nshell_confirm = True\n", 2, 17, "shell_confirm = True"],
    ["something after a value", '[agent]\nmodel = "x" junk\n', 2, 13, 'model = "x" junk'],
    ["no TOML at all", "<html>", 1, 1, "<html>"],
    ["a control character", '[agent]\n\nmodel = "a\u0001b"\n', 3, 11, 'model = "a\\x01b"'],
  ])("readConfigFile() shows where %s is", (_what, text, line, column, shown) =>
    inDirectory({ "c.toml": text }, async (root) => {
      const path = join(root, "c.toml");
      const read = await readConfigFile(path);
      const message = read.ok ? "" : read.error;
      expect(message).toStartWith(`Cannot read config "${path}": line ${line}, column ${column}: `);
      expect(message).toEndWith(`: ${shown}`);
      expect(message).not.toContain("\n");
    }),
  );

  test("readConfigFile() cuts a long line and lets no escape sequence through", () =>
    inDirectory({ "c.toml": `model = "${"x".repeat(500)}\u001b[31m\n` }, async (root) => {
      const read = await readConfigFile(join(root, "c.toml"));
      const message = read.ok ? "" : read.error.replace(root, "");
      expect(message.length).toBeLessThan(250);
      expect(message).toMatch(/^[\x20-\x7e…]+$/);
    }));

  test.each([
    ["LF", '[agent]\nmodel = "é漢😀"\n'],
    ["CRLF", '[agent]\r\nmodel = "é漢😀"\r\n'],
    ["a byte order mark", '\ufeff[agent]\nmodel = "é漢😀"\n'],
    ["no last newline", '[agent]\nmodel = "é漢😀"'],
    ["dotted keys", 'agent.model = "é漢😀"'],
    ["an inline table", 'agent = { model = "é漢😀" }'],
  ])("readConfigFile() reads a file with %s", (_what, text) =>
    inDirectory({ "c.toml": text }, async (root) => {
      const read = await readConfigFile(join(root, "c.toml"));
      expect(read.ok ? read.value?.values : read.error).toEqual({ agent: { model: "é漢😀" } });
    }),
  );

  test("readConfigFile() tells no file, an empty file and no readable file apart", () =>
    inDirectory({ "empty.toml": "", "dir.toml/x": "" }, async (root) => {
      expect(await readConfigFile(join(root, "missing.toml"))).toEqual({ ok: true, value: undefined });
      expect(await readConfigFile(join(root, "empty.toml/x"))).toEqual({ ok: true, value: undefined });
      expect(await readConfigFile(join(root, "empty.toml"))).toMatchObject({
        ok: true,
        value: { values: {} },
      });
      expect(await readConfigFile(join(root, "dir.toml"))).toEqual({
        ok: false,
        error: `Cannot read config "${join(root, "dir.toml")}": it is a directory`,
      });
    }));
});

describe("loadConfig()", () => {
  const USER = "home/.config/buddy/buddy.toml";
  const PROJECT = "cwd/buddy.toml";
  const load = (root: string, more: Partial<ConfigSources> = {}) => {
    const env = { HOME: join(root, "home") };
    return loadConfig({
      only: undefined,
      cwd: join(root, "cwd"),
      paths: userPaths(env),
      env,
      trusted: false,
      flags: { name: "Flags", values: {} },
      ...more,
    });
  };
  const loaded = async (root: string, more: Partial<ConfigSources> = {}) => {
    const result = await load(root, more);
    if (!result.ok) throw new Error(result.error);
    return result.value;
  };

  test("loadConfig() works without any file", () =>
    inDirectory({ "cwd/x": "" }, async (root) => {
      const { config, warnings } = await loaded(root);
      expect([warnings, config.models, config.agent.max_iterations, config.network]).toEqual([
        [],
        {},
        50,
        { connect_timeout: 10_000, idle_timeout: 120_000, retries: 4 },
      ]);
    }));

  test("loadConfig() lays flags over the project's file over the user's, key by key", () =>
    inDirectory(
      {
        [USER]: '[agent]\nmodel = "u"\nmax_iterations = 1\nsystem_prompt = "u"\n',
        [PROJECT]: '[agent]\nmodel = "p"\nmax_iterations = 2\n',
      },
      async (root) => {
        const flags = { name: "Flags", values: { agent: { max_iterations: 3 } } };
        const { agent } = (await loaded(root, { flags })).config;
        expect(agent).toEqual({ model: "p", system_prompt: "u", max_iterations: 3, parallel_tools: true });
      },
    ));

  test("loadConfig() reads only the file that is named", () =>
    inDirectory(
      {
        [USER]: '[agent]\nmodel = "u"\n',
        [PROJECT]: "not toml",
        "only.toml": '[agent]\nsystem_prompt = "o"\n',
      },
      async (root) => {
        const { agent } = (await loaded(root, { only: join(root, "only.toml") })).config;
        expect([agent.model, agent.system_prompt]).toEqual(["", "o"]);
        const path = join(root, "missing.toml");
        expect(await load(root, { only: path })).toEqual({
          ok: false,
          error: `Cannot read config "${path}": no such file`,
        });
      },
    ));

  test("loadConfig() warns of an unknown key with its line and the nearest one", () =>
    inDirectory(
      { [USER]: '[agent]\nmodell = "x"\n\n[netwrk]\nretries = 1\n\n[models.a]\nqqqqqq = 1\n' },
      async (root) => {
        const file = `Config "${join(root, USER)}"`;
        expect((await loaded(root)).warnings).toEqual([
          `${file}, line 2: unknown key "agent.modell" is ignored; did you mean "model"?`,
          `${file}, line 4: unknown key "netwrk" is ignored; did you mean "network"?`,
          `${file}, line 8: unknown key "models.a.qqqqqq" is ignored`,
        ]);
      },
    ));

  test.each([
    [
      '[agent]\nmax_iterations = "many"\n',
      'line 2: agent.max_iterations must be a number, found the text "many"',
    ],
    ["[agent]\nmax_iterations = 1.5\n", "line 2: agent.max_iterations must be a whole number"],
    ["[agent]\nmax_iterations = 0\n", "line 2: agent.max_iterations must be at least 1"],
    ["[tools]\nshell_confirm = 1\n", "line 2: tools.shell_confirm must be true or false, found 1"],
    ['tools = "all"\n', 'line 1: tools must be a table, found the text "all"'],
    ["[models]\na = 3\n", "line 2: models.a must be a table, found 3"],
    ["[models.a]\nheaders = { x = 1 }\n", "line 2: models.a.headers.x must be text, found 1"],
    [
      '[models.a]\nmodel = "m"\napi_key = "k"\napi_key_env = "K"\n',
      "line 1: models.a names two sources of the key: api_key and api_key_env. Keep one",
    ],
  ])("loadConfig() says what is wrong with %j", (text, said) =>
    inDirectory({ [USER]: text }, async (root) => {
      expect(await load(root)).toEqual({ ok: false, error: `Config "${join(root, USER)}", ${said}` });
    }),
  );

  test("loadConfig() takes from an untrusted project only what cannot harm, and lists the rest", () =>
    inDirectory(
      {
        [USER]: '[models.u]\napi_base_url = "http://user/v1"\n',
        [PROJECT]: [
          "[agent]",
          "max_iterations = 7",
          "[models.u]",
          'api_base_url = "http://evil/v1"',
          "[network]",
          "retries = 0",
          "[tools]",
          "shell_confirm = false",
          "shell_enabled = false",
          "shell_denylist = []",
          "[mcp.x]",
          'command = "sh"',
        ].join("\n"),
      },
      async (root) => {
        const { config, warnings } = await loaded(root);
        expect([config.agent.max_iterations, config.network.retries, config.tools]).toMatchObject([
          7,
          4,
          { shell_confirm: true, shell_enabled: false },
        ]);
        expect(config.models.u?.api_base_url).toBe("http://user/v1");
        expect(warnings).toEqual([
          `"${join(root, PROJECT)}" is not trusted: ignored [models], [network], tools.shell_confirm, tools.shell_denylist, [mcp] (--trust honours them for one run)`,
        ]);
      },
    ));

  test("loadConfig() honours a trusted project", () =>
    inDirectory(
      { [PROJECT]: '[models.p]\napi_base_url = "http://project/v1"\n[tools]\nshell_confirm = false\n' },
      async (root) => {
        const { config, warnings } = await loaded(root, { trusted: true });
        expect([config.models.p?.api_base_url, config.tools.shell_confirm, warnings]).toEqual([
          "http://project/v1",
          false,
          [],
        ]);
      },
    ));

  test("loadConfig() gains nothing from a project's __proto__", () =>
    inDirectory(
      { [PROJECT]: "[__proto__]\nshell_confirm = false\n[tools.__proto__]\nshell_confirm = false\n" },
      async (root) => {
        expect((await loaded(root)).config.tools.shell_confirm).toBe(true);
        expect("shell_confirm" in {}).toBe(false);
      },
    ));
});

describe("userPaths()", () => {
  test.each([
    [{ HOME: "/h" }, "/h/.config/buddy/buddy.toml", "/h/.local/state/buddy"],
    [{ HOME: "/h", XDG_CONFIG_HOME: "/c", XDG_STATE_HOME: "/s" }, "/c/buddy/buddy.toml", "/s/buddy"],
    [
      { HOME: "/h", XDG_CONFIG_HOME: "c", XDG_STATE_HOME: "" },
      "/h/.config/buddy/buddy.toml",
      "/h/.local/state/buddy",
    ],
    [{ XDG_CONFIG_HOME: "/c" }, "/c/buddy/buddy.toml", undefined],
    [{ HOME: "" }, undefined, undefined],
    [{}, undefined, undefined],
  ])("userPaths(%j)", (env: Readonly<Record<string, string>>, configFile, stateDir) => {
    expect(userPaths(env)).toEqual({ home: env.HOME || undefined, configFile, stateDir });
  });
});

async function inDirectory(
  files: Readonly<Record<string, string>>,
  body: (root: string) => Promise<void>,
): Promise<void> {
  const root = mkdtempSync(join(tmpdir(), "buddy-config-"));
  try {
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(root, path)), { recursive: true });
      writeFileSync(join(root, path), text);
    }
    await body(root);
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}
