import { describe, expect, test } from "bun:test";
import { type Reply, startEndpoint, status } from "../fakes/endpoint.ts";
import { configFor, errorLines, newEndpoint, newPlace, runBuddy, USER_FILE } from "./run-buddy.ts";

const KEY = "sk-canary-0123456789";

/** The profiles of `buddy models`, by name with the star of the active one, each with its lines. */
function profilesIn(stdout: string): Readonly<Record<string, readonly string[]>> {
  const profiles = stdout.split(/^(?=[* ] \S)/m).map((text) => text.trimEnd().split("\n"));
  return Object.fromEntries(
    profiles.map(([name = "", ...lines]) => [name, lines.map((line) => line.trim().replace(/\s+/g, " "))]),
  );
}

describe.concurrent("buddy models", () => {
  test("models shows the built-in profiles with endpoint, protocol, context and where the key comes from", async () => {
    using place = newPlace();
    const ran = await runBuddy(place, ["models"], { env: { ANTHROPIC_API_KEY: KEY } });
    const profiles = profilesIn(ran.stdout);
    expect([ran.code, ran.stderr, ran.files]).toEqual([0, "", {}]);
    expect(Object.keys(profiles)).toEqual([
      "* gpt-codex",
      "  gpt-spark",
      "  claude",
      "  openrouter-deepseek",
      "  openrouter-glm",
      "  ollama",
    ]);
    expect(profiles["* gpt-codex"]?.slice(1)).toEqual([
      "endpoint https://api.openai.com/v1 (responses, thinking medium)",
      'key missing: set OPENAI_API_KEY, or api_key_file in [models.gpt-codex], or auth = "login" there and: buddy login gpt-codex',
    ]);
    expect(profiles["  claude"]).toEqual([
      expect.stringMatching(
        /^model claude-\S+ \(context \d+ tokens, \$\d+ in and \$\d+ out per million tokens\)$/,
      ),
      "endpoint https://api.anthropic.com (anthropic, thinking medium)",
      "key ANTHROPIC_API_KEY",
    ]);
    expect(profiles["  ollama"]?.at(-1)).toBe("key none needed");
    expect(ran.stdout).not.toContain(KEY);
  });

  test("models stars the active profile: the user's first, the named one, the one of -m", async () => {
    using place = newPlace({ [USER_FILE]: "[models.mine]\n[models.other]\n" });
    const starred = async (...args: readonly string[]) =>
      (await runBuddy(place, ["models", ...args])).stdout.match(/^\* (.*)$/m)?.[1];
    expect(await starred()).toBe("mine");
    expect(await starred("-m", "claude")).toBe("claude");
    expect(await starred("--provider", "openrouter")).toBe("openrouter-deepseek");
  });

  test("models shows the active profile as flags make it, and one that only flags make", async () => {
    using place = newPlace();
    const args = ["models", "--base-url", "http://127.0.0.1:9/v1", "-m", "m-7", "--thinking", "high"];
    const ran = await runBuddy(place, args);
    expect(ran.stdout.split("\n")[0]).toBe("* default");
    expect(profilesIn(ran.stdout)["* default"]).toEqual([
      "model m-7 (context 8192 tokens)",
      "endpoint http://127.0.0.1:9/v1 (completions, thinking high)",
      "key none needed",
    ]);
  });

  test("models takes context and price of the profile before the catalogue's", async () => {
    using place = newPlace({
      [USER_FILE]:
        '[models.m]\nmodel = "claude-opus"\ncontext_limit = 1234\nprice = { input = 1.5, output = 2.5 }\napi_key = "k-123456"\n',
    });
    const [line] = profilesIn((await runBuddy(place, ["models"])).stdout)["* m"] ?? [];
    expect(line).toBe("model claude-opus (context 1234 tokens, $1.5 in and $2.5 out per million tokens)");
  });

  test.each([
    ["api_key_env", 'api_key_env = "MINE"', "key MINE"],
    ["api_key", `api_key = "${KEY}"`, "key api_key in the configuration"],
    ["api_key_file", 'api_key_file = "~/key"', 'key file "HOME/key"'],
    ["a login", 'auth = "login"\napi = "responses"', "key login"],
  ])("models says that the key is from %s and does not show it", async (_what, toml, said) => {
    using place = newPlace({ [USER_FILE]: `[models.m]\n${toml}\n`, "home/key": `${KEY}\n` });
    const ran = await runBuddy(place, ["models"], { env: { MINE: KEY } });
    expect(profilesIn(ran.stdout)["* m"]?.at(-1)?.replace(place.home, "HOME")).toBe(said);
    expect(ran.stdout + ran.stderr).not.toContain(KEY);
  });

  test("models shows what there is when the active profile does not exist", async () => {
    using place = newPlace({ [USER_FILE]: '[agent]\nmodel = "none"\n' });
    const ran = await runBuddy(place, ["models"]);
    expect([ran.code, ran.stdout.includes("  gpt-codex\n"), ran.stdout.includes("* ")]).toEqual([
      0,
      true,
      false,
    ]);
  });

  test("models says that a configuration is broken", async () => {
    using place = newPlace({ [USER_FILE]: "[models\n" });
    const ran = await runBuddy(place, ["models"]);
    expect([ran.code, ran.stdout]).toEqual([2, ""]);
  });
});

describe.concurrent("buddy models --remote", () => {
  const against = async (reply: Reply, more = `api_key = "${KEY}"\n`, args: readonly string[] = []) => {
    await using endpoint = newEndpoint([reply]);
    using place = newPlace(configFor(endpoint.url, more));
    const ran = await runBuddy(place, ["models", "--remote", ...args]);
    return { ...ran, url: endpoint.url, requests: endpoint.requests };
  };

  test("models --remote lists what the endpoint has, sorted, with the profile's key and headers", async () => {
    const list = { object: "list", data: [{ id: "m-2" }, { id: "m-1" }, { id: "" }, 3] };
    const toml = `api_key = "${KEY}"\nheaders = { "x-title" = "t" }\n`;
    const ran = await against(status(200, JSON.stringify(list)), toml);
    expect([ran.stdout, ran.stderr, ran.code]).toEqual(["m-1\nm-2\n", "", 0]);
    expect(
      ran.requests.map(({ path, headers }) => [path, headers.authorization, headers["x-title"]]),
    ).toEqual([["/v1/models", `Bearer ${KEY}`, "t"]]);
  });

  test("models --remote asks an endpoint that speaks Anthropic's protocol as it wants to be asked", async () => {
    const list = { data: [{ type: "model", id: "claude-x" }], has_more: false };
    const toml = `api = "anthropic"\napi_key = "${KEY}"\n`;
    const ran = await against(status(200, JSON.stringify(list)), toml);
    expect([ran.stdout, ran.code]).toEqual(["claude-x\n", 0]);
    const asked = ran.requests.map(({ path, headers }) => [
      path,
      headers["x-api-key"],
      headers["anthropic-version"],
      headers.authorization,
    ]);
    expect(asked).toEqual([["/v1/v1/models", KEY, "2023-06-01", undefined]]);
  });

  test("models --remote reads the names that local servers give", async () => {
    const ran = await against(status(200, '{"models":[{"name":"qwen3:8b"}]}'));
    expect([ran.stdout, ran.code]).toEqual(["qwen3:8b\n", 0]);
  });

  test.each([401, 403])("models --remote ends with 3 on a %d and does not show the key", async (code) => {
    const ran = await against(status(code, `{"error":{"message":"bad key"}}`));
    expect([ran.stdout, ran.code, ran.requests.length]).toEqual(["", 3, 1]);
    expect(errorLines(ran)[0]).toBe(`buddy: ${ran.url} answered ${code}: bad key`);
  });

  test.each([
    ["a 404", status(404, "not found"), "answered 404: not found"],
    ["a 500", status(500, "oops"), "answered 500: oops"],
    ["a redirect", status(302, "", { location: "http://127.0.0.1:1/" }), "answered 302"],
    ["a page", status(200, "<html>"), "answered with something that is no list of models"],
  ])("models --remote ends with 5 on %s", async (_what, reply, said) => {
    const ran = await against(reply);
    expect([ran.stdout, ran.code, ran.requests.length]).toEqual(["", 5, 1]);
    expect(errorLines(ran)[0]).toContain(said);
  });

  test("models --remote says that nobody listens", async () => {
    const gone = startEndpoint([]);
    await gone.stop();
    using place = newPlace(configFor(gone.url));
    const ran = await runBuddy(place, ["models", "--remote"]);
    expect([ran.code, errorLines(ran)[0]]).toEqual([
      5,
      `buddy: Cannot reach ${gone.url}: connection refused`,
    ]);
  });

  test("models --remote lets no control character of a name through", async () => {
    const ran = await against(status(200, '{"data":[{"id":"a\\u001b[31m\\nb"}]}'));
    expect(ran.stdout).toBe("a b\n");
  });

  test("models --remote sends nothing without a key", async () => {
    using place = newPlace();
    const ran = await runBuddy(place, ["models", "--remote"]);
    expect([ran.stdout, ran.code]).toEqual(["", 3]);
    expect(errorLines(ran)[0]).toBe('buddy: There is no key for profile "gpt-codex" (api.openai.com)');
  });
});
