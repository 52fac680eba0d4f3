import { describe, expect, test } from "bun:test";
import { statSync } from "node:fs";
import { join } from "node:path";
import { TEMPLATE } from "../../adapters/config/template.ts";
import { newPlace, type Place, type Ran, runBuddy, USER_FILE } from "./run-buddy.ts";

const modeOf = (place: Place, path: string): string =>
  (statSync(join(place.root, path)).mode & 0o777).toString(8);

describe.concurrent("buddy config path", () => {
  test("config path names the files that count and whether they are there", async () => {
    using place = newPlace({ [USER_FILE]: "" });
    const ran = await runBuddy(place, ["config", "path"]);
    expect([ran.stdout, ran.stderr, ran.code]).toEqual([
      `${place.home}/.config/buddy/buddy.toml\n${place.cwd}/buddy.toml (not there)\n`,
      "",
      0,
    ]);
  });

  test.each([
    [["--config", "other.toml"], {}],
    [[], { BUDDY_CONFIG: "other.toml" }],
  ])("config path %j names the only file that counts", async (args, env) => {
    using place = newPlace({ "cwd/other.toml": "" });
    expect((await runBuddy(place, ["config", "path", ...args], { env })).stdout).toBe("other.toml\n");
  });

  test("config path follows XDG_CONFIG_HOME and the names of earlier versions", async () => {
    using place = newPlace({ "home/.config/agent/agent.toml": "", "cwd/agent.toml": "" });
    const old = await runBuddy(place, ["config", "path"]);
    expect(old.stdout).toBe(`${place.home}/.config/agent/agent.toml\n${place.cwd}/agent.toml\n`);
    using moved = newPlace({ "home/xdg/buddy/buddy.toml": "" });
    const env = { XDG_CONFIG_HOME: join(moved.home, "xdg") };
    const ran = await runBuddy(moved, ["config", "path"], { env });
    expect(ran.stdout).toStartWith(`${moved.home}/xdg/buddy/buddy.toml\n`);
  });

  test("config path writes nothing", async () => {
    using place = newPlace();
    const ran = await runBuddy(place, ["config", "path"]);
    expect([ran.code, ran.files]).toEqual([0, {}]);
  });
});

describe.concurrent("buddy config init", () => {
  test("config init writes the template into a private file in a private directory, once", async () => {
    using place = newPlace();
    const made = await runBuddy(place, ["config", "init"]);
    expect([made.stdout, made.stderr, made.code, made.files]).toEqual([
      `${place.home}/.config/buddy/buddy.toml created\n`,
      "",
      0,
      { [USER_FILE]: TEMPLATE },
    ]);
    expect([modeOf(place, USER_FILE), modeOf(place, "home/.config/buddy")]).toEqual(["600", "700"]);
    const again = await runBuddy(place, ["config", "init"]);
    expect([again.stdout, again.code]).toEqual([
      `${place.home}/.config/buddy/buddy.toml is already there; it was not changed\n`,
      0,
    ]);
  });

  test("config init leaves the user's own words alone", async () => {
    using place = newPlace({ [USER_FILE]: "# mine\n" });
    expect((await runBuddy(place, ["config", "init"])).files).toEqual({ [USER_FILE]: "# mine\n" });
  });

  test("config init says that there is no home", async () => {
    using place = newPlace();
    const ran = await runBuddy(place, ["config", "init"], { env: { HOME: undefined } });
    expect([ran.stdout, ran.stderr, ran.code]).toEqual([
      "",
      "buddy: There is no home directory for a configuration\nhint: set HOME\n",
      2,
    ]);
  });

  test("config init says why the file cannot be made", async () => {
    using place = newPlace({ "home/.config": "in the way" });
    const ran = await runBuddy(place, ["config", "init"]);
    expect([ran.stdout, ran.code]).toEqual(["", 2]);
    expect(ran.stderr).toStartWith(`buddy: Cannot create "${place.home}/.config/buddy/buddy.toml": `);
  });
});

/** The lines of `config show` that are about keys which begin so. */
const shown = ({ stdout }: Ran, ...keys: readonly string[]): readonly string[] =>
  stdout.split("\n").filter((line) => keys.some((key) => line.startsWith(`${key} = `)));

describe.concurrent("buddy config show", () => {
  test("config show says every value in force and where it comes from, with the line", async () => {
    using place = newPlace({
      [USER_FILE]: '[agent]\nmax_iterations = 7\n\n[network]\nretries = 1\nidle_timeout = "30s"\n',
      "cwd/buddy.toml": "# ours\n[agent]\nmax_iterations = 8\ncompact_at = 0.5\n",
    });
    const ran = await runBuddy(place, ["config", "show", "--max-iterations", "9"]);
    const [user, project] = [`Config "${place.root}/${USER_FILE}"`, `Config "${place.cwd}/buddy.toml"`];
    expect([ran.code, ran.stderr]).toEqual([0, ""]);
    expect(
      shown(
        ran,
        "agent.max_iterations",
        "agent.compact_at",
        "network.retries",
        "network.idle_timeout",
        "network.proxy",
        "models.claude.api",
      ),
    ).toEqual([
      'models.claude.api = "anthropic"  # built-in',
      "agent.max_iterations = 9  # flags",
      `agent.compact_at = 0.5  # ${project}, line 4`,
      `network.idle_timeout = 30000  # ${user}, line 6`,
      `network.retries = 1  # ${user}, line 5`,
      'network.proxy = ""  # default',
    ]);
  });

  test("config show is what config does by itself", async () => {
    using place = newPlace();
    const [plain, show] = [await runBuddy(place, ["config"]), await runBuddy(place, ["config", "show"])];
    expect([plain.stdout, plain.code]).toEqual([show.stdout, 0]);
  });

  test("config show masks keys and headers", async () => {
    const secret = "do-not-show-this";
    using place = newPlace({
      [USER_FILE]: [
        "[models.a]",
        `api_key = "${secret}"`,
        `headers = { authorization = "Bearer ${secret}", "x-title" = "${secret}" }`,
        "[models.b.headers]",
        `cookie = "${secret}"`,
        "[mcp.s]",
        'command = "run"',
        `env = { TOKEN = "${secret}" }`,
      ].join("\n"),
    });
    const ran = await runBuddy(place, ["config", "show"]);
    expect([ran.code, ran.stdout.includes(secret), ran.stderr]).toEqual([0, false, ""]);
    const file = `Config "${place.root}/${USER_FILE}"`;
    expect(
      shown(ran, "models.a.api_key", "models.a.headers.authorization", "models.b.headers.cookie"),
    ).toEqual([
      `models.a.api_key = "***"  # ${file}, line 2`,
      `models.a.headers.authorization = "***"  # ${file}, line 3`,
      `models.b.headers.cookie = "***"  # ${file}, line 5`,
    ]);
    expect(shown(ran, "mcp.s.env.TOKEN")[0]).toStartWith('mcp.s.env.TOKEN = "***"  # ');
  });

  test("config show shows what holds in a project that is not trusted, and says what does not", async () => {
    using place = newPlace({
      "cwd/buddy.toml": "[agent]\nmax_iterations = 3\n[tools]\nshell_confirm = false\n",
    });
    const ran = await runBuddy(place, ["config", "show"]);
    expect(ran.stderr).toStartWith(
      `buddy: warning: "${place.cwd}/buddy.toml" is not trusted: ignored tools.shell_confirm. `,
    );
    expect(shown(ran, "tools.shell_confirm", "agent.max_iterations")).toEqual([
      `agent.max_iterations = 3  # Config "${place.cwd}/buddy.toml", line 2`,
      "tools.shell_confirm = true  # default",
    ]);
    const trusting = await runBuddy(place, ["config", "show", "--trust"]);
    expect(shown(trusting, "tools.shell_confirm")).toEqual([
      `tools.shell_confirm = false  # Config "${place.cwd}/buddy.toml", line 4`,
    ]);
  });

  test("config show --hermetic knows no file", async () => {
    using place = newPlace({ [USER_FILE]: "not toml", "cwd/buddy.toml": "not toml" });
    const ran = await runBuddy(place, ["config", "show", "--hermetic"]);
    expect([ran.code, ran.stdout.includes("Config "), ran.stderr]).toEqual([0, false, ""]);
  });

  test("config show lets no control character of a file through", async () => {
    using place = newPlace({
      [USER_FILE]: '[agent]\nsystem_prompt = "\\u001b]0;title\\u0007\\u009b31m\\u202e"\n',
    });
    expect((await runBuddy(place, ["config", "show"])).stdout).not.toMatch(
      /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e]/,
    );
  });
});

describe.concurrent("buddy config check", () => {
  test("config check names the files that are right and ends with 0", async () => {
    using place = newPlace({ [USER_FILE]: TEMPLATE, "cwd/buddy.toml": "[agent]\nmax_iterations = 3\n" });
    const ran = await runBuddy(place, ["config", "check"]);
    expect([ran.stdout, ran.stderr, ran.code]).toEqual([
      `Config "${place.root}/${USER_FILE}"\nConfig "${place.cwd}/buddy.toml"\nok\n`,
      "",
      0,
    ]);
  });

  test("config check is content without any file, and makes none", async () => {
    using place = newPlace();
    const ran = await runBuddy(place, ["config", "check"]);
    expect([ran.stdout, ran.code, ran.files]).toEqual(["No configuration file\nok\n", 0, {}]);
  });

  test.each([
    ["broken TOML", '[agent]\nmodel = "x\n', "line 2, column 11"],
    ["a wrong type", '[agent]\nmax_iterations = "x"\n', "line 2: agent.max_iterations must be a number"],
    ["an unknown key", "[agent]\nmodell = 'x'\n", 'line 2: unknown key "agent.modell"'],
    ["two sources of a key", "[models.a]\napi_key = 'k'\napi_key_env = 'K'\n", "line 1: models.a names two"],
    ["a list for a table", "tools = []\n", "line 1: tools must be a table, found a list"],
    ["tables for a table", "[[agent]]\nmodel = 'x'\n", "line 1: agent must be a table, found a list"],
  ])("config check ends with 2 on %s, and says where", async (_what, text, said) => {
    using place = newPlace({ [USER_FILE]: text });
    const ran = await runBuddy(place, ["config", "check"]);
    expect([ran.code, ran.stdout]).toEqual([2, ""]);
    expect(ran.stderr).toContain(`onfig "${place.root}/${USER_FILE}"`);
    expect(ran.stderr).toContain(said);
  });

  test("config check finds a mistake that another layer hides", async () => {
    using place = newPlace({
      [USER_FILE]: '[agent]\nmax_iterations = "x"\n',
      "cwd/buddy.toml": "[agent]\nmax_iterations = 3\n",
    });
    const ran = await runBuddy(place, ["config", "check"]);
    expect([ran.code, ran.stderr.includes("agent.max_iterations must be a number")]).toEqual([2, true]);
  });

  test("config check of a project that is not trusted says so", async () => {
    using place = newPlace({ "cwd/buddy.toml": "[tools]\nshell_confirm = false\n" });
    const ran = await runBuddy(place, ["config", "check"]);
    expect([ran.code, ran.stderr.includes("is not trusted: ignored tools.shell_confirm")]).toEqual([2, true]);
  });
});

test.each([[["nonsense"]], [["show", "more"]], [["toString"]]])(
  "buddy config %j is a usage error",
  async (words) => {
    using place = newPlace();
    const ran = await runBuddy(place, ["config", ...words]);
    expect([ran.stdout, ran.stderr, ran.code]).toEqual([
      "",
      `buddy: Unknown action "${words.join(" ")}" of config\nhint: buddy config path, show, check or init\n`,
      2,
    ]);
  },
);
