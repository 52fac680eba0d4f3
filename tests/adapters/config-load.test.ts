import { describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { type ConfigSources, loadConfig, trustFile } from "../../adapters/config/load.ts";
import { userPaths } from "../../adapters/config/paths.ts";
import { TEMPLATE } from "../../adapters/config/template.ts";
import { trustStore } from "../../adapters/config/trust-store.ts";
import { mergeLayers, type RawTable } from "../../core/config/layers.ts";
import { splitByTrust } from "../../core/config/trust.ts";
import { inDirectory, unwrap } from "./in-directory.ts";

describe("loadConfig()", () => {
  const USER = "home/.config/buddy/buddy.toml";
  const PROJECT = "cwd/buddy.toml";
  const load = (root: string, more: Partial<ConfigSources> = {}) => {
    return loadConfig({
      only: undefined,
      hermetic: false,
      cwd: join(root, "cwd"),
      paths: userPaths({ HOME: join(root, "home") }),
      trustOnce: false,
      flags: { name: "Flags", values: {} },
      ...more,
    });
  };
  const loaded = async (root: string, more: Partial<ConfigSources> = {}) => {
    const result = await load(root, more);
    if (!result.ok) throw new Error(result.error);
    return result.value;
  };

  test("loadConfig() without any file is the template, and names the file that is missing", () =>
    inDirectory({ "cwd/x": "" }, async (root) => {
      const { config, warnings, layers, ownProfiles, missingUserFile } = await loaded(root);
      const template: RawTable = { ...Bun.TOML.parse(TEMPLATE) };
      expect({ warnings, ownProfiles, missingUserFile }).toEqual({
        warnings: [],
        ownProfiles: [],
        missingUserFile: join(root, USER),
      });
      expect(layers.map(({ name, values }) => [name, values])).toEqual([
        ["built-in", template],
        ["Flags", {}],
      ]);
      expect(config).toEqual(unwrap(mergeLayers([{ name: "t", values: template }])).config);
    }));

  test("loadConfig() takes a user file that is still the template for what it is", () =>
    inDirectory({ [USER]: TEMPLATE }, async (root) => {
      const [made, none] = [await loaded(root), await loaded(root, { hermetic: true })];
      expect([made.config, made.ownProfiles, made.missingUserFile]).toEqual([none.config, [], undefined]);
      expect(made.layers.map(({ name }) => name)).toEqual([
        "built-in",
        `Config "${join(root, USER)}"`,
        "Flags",
      ]);
    }));

  test("loadConfig() lays flags over what was compiled in as over what it has just read", () =>
    inDirectory({ [USER]: `# mine\n${TEMPLATE}`, "cwd/x": "" }, async (root) => {
      const flags = { name: "Flags", own: true as const, values: { agent: { max_iterations: 3 } } };
      const { config, layers } = await loaded(root, { flags });
      expect(config).toEqual(unwrap(mergeLayers(layers)).config);
      expect(config.agent.max_iterations).toBe(3);
    }));

  test("loadConfig() knows the user's own profiles, in their order", () =>
    inDirectory(
      { [USER]: "[models.z]\n[models.a]\n[models.claude]\n", [PROJECT]: "[models.p]\n" },
      async (root) => {
        const untrusted = await loaded(root);
        expect([untrusted.ownProfiles, untrusted.missingUserFile]).toEqual([["z", "a", "claude"], undefined]);
        expect((await loaded(root, { trustOnce: true })).ownProfiles).toEqual(["z", "a", "claude", "p"]);
      },
    ));

  test("loadConfig() keeps what the template says of a profile that the user's file only changes", () =>
    inDirectory({ [USER]: '[models.claude]\nthinking = "high"\n' }, async (root) => {
      expect((await loaded(root)).config.models.claude).toMatchObject({
        api: "anthropic",
        api_base_url: "https://api.anthropic.com",
        thinking: "high",
      });
    }));

  test("loadConfig() reads no file when it is hermetic", () =>
    inDirectory({ [USER]: "not toml", [PROJECT]: "not toml" }, async (root) => {
      const { layers, missingUserFile } = await loaded(root, { hermetic: true });
      expect([layers.map(({ name }) => name), missingUserFile]).toEqual([["built-in", "Flags"], undefined]);
    }));

  test("loadConfig() has no user file without a home", () =>
    inDirectory({ [PROJECT]: "[agent]\nmax_iterations = 3\n" }, async (root) => {
      const { config, missingUserFile } = await loaded(root, { paths: userPaths({}) });
      expect([config.agent.max_iterations, missingUserFile]).toEqual([3, undefined]);
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
        expect(agent).toMatchObject({ model: "p", system_prompt: "u", max_iterations: 3 });
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
    ["[tools]\nshell_confirm = 1\n", 'line 2: tools.shell_confirm must be true, false or "risky", found 1'],
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
          `"${join(root, PROJECT)}" is not trusted: ignored [models], [network], tools.shell_confirm, tools.shell_denylist, [mcp]. To honour them: buddy trust, or --trust for one run`,
        ]);
      },
    ));

  test("loadConfig() honours a trusted project", () =>
    inDirectory(
      { [PROJECT]: '[models.p]\napi_base_url = "http://project/v1"\n[tools]\nshell_confirm = false\n' },
      async (root) => {
        const { config, warnings } = await loaded(root, { trustOnce: true });
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

  test("loadConfig() honours what the user trusted, and nothing else in its place", () =>
    inDirectory({ [PROJECT]: "[tools]\nshell_confirm = false\n" }, async (root) => {
      const store = trustStore(trustFile(userPaths({ HOME: join(root, "home") })));
      const confirms = async () => (await loaded(root)).config.tools.shell_confirm;
      expect(await confirms()).toBe(true);
      const split = splitByTrust({ tools: { shell_confirm: false } });
      unwrap(store.trust(join(root, "cwd"), split, 0));
      expect(await confirms()).toBe(false);
      writeFileSync(
        join(root, PROJECT),
        "[agent]\nmax_iterations = 9\n[tools]\nshell_confirm = false # as before\n",
      );
      expect(await confirms()).toBe(false);
      writeFileSync(join(root, PROJECT), '[tools]\nshell_confirm = false\nenv_pass = ["AWS_SECRET"]\n');
      expect(await confirms()).toBe(true);
    }));

  test("loadConfig() does not go on with a trust file that cannot be read", () =>
    inDirectory(
      { [PROJECT]: "[tools]\nshell_confirm = false\n", "home/.config/buddy/trust.json": "{" },
      async (root) => {
        const result = await load(root);
        expect(result.ok ? "" : result.error).toStartWith(
          `Cannot read "${join(root, "home/.config/buddy/trust.json")}": `,
        );
      },
    ));

  test.each([
    ["tools = []", "tools"],
    ["[[agent]]\nmodel = 'x'", "agent"],
    ["models = []", "models"],
    ["[[models.u]]\nmodel = 'x'", "models.u"],
  ])("loadConfig() lets no untrusted list take the place of a table: %j", (text) =>
    inDirectory(
      { [USER]: "[tools]\nshell_enabled = false\n[models.u]\nmodel = 'mine'\n", [PROJECT]: text },
      async (root) => {
        const result = await load(root);
        if (!result.ok) {
          expect(result.error).toStartWith(`Config "${join(root, PROJECT)}", line 1: `);
          expect(result.error).toEndWith(" must be a table, found a list");
          return;
        }
        expect([result.value.config.tools.shell_enabled, result.value.config.models.u?.model]).toEqual([
          false,
          "mine",
        ]);
        expect(result.value.warnings.length).toBe(1);
      },
    ),
  );
});
