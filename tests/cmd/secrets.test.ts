import { describe, expect, test } from "bun:test";
import { calls, raw, says, shell, status } from "../fakes/endpoint.ts";
import { newEndpoint, newPlace, type Ran, runBuddy, type Script, USER_FILE } from "./run-buddy.ts";

const KEY = "sk-canary-0123456789abcdef";

/** Where the key can be found after a run, but for the places where the user put it. */
const leaks = ({ stdout, stderr, files }: Ran, ...own: readonly string[]): readonly string[] =>
  Object.entries({ stdout, stderr, ...files })
    .filter(([place, text]) => text.includes(KEY) && !own.includes(place))
    .map(([place]) => place);

const SOURCES = [
  ["BUDDY_API_KEY", "", { BUDDY_API_KEY: KEY }, {}],
  ["api_key_env", 'api_key_env = "MY_SECRET"\n', { MY_SECRET: KEY }, {}],
  ["api_key_file", 'api_key_file = "~/key"\n', {}, { "home/key": `${KEY}\n` }],
  ["api_key", `api_key = "${KEY}"\n`, {}, {}],
] as const;

const OWN = [USER_FILE, "home/key"];

describe.concurrent("buddy exec and the key", () => {
  const runWith = async (script: Script, source: (typeof SOURCES)[number], args: readonly string[] = []) => {
    const [, toml, env, files] = source;
    await using endpoint = newEndpoint(script);
    using place = newPlace({
      [USER_FILE]: `[network]\nretries = 1\n[models.mock]\napi_base_url = "${endpoint.url}"\n${toml}`,
      ...files,
    });
    const ran = await runBuddy(
      place,
      ["exec", "-v", "--approve", "all", "--record", "talk.jsonl", ...args, "hi"],
      { env },
    );
    return { ran, sent: endpoint.requests.map(({ headers }) => headers.authorization) };
  };

  const named = SOURCES.map((source) => [source[0], source] as const);
  test.each(named)("the key of %s is sent, and written nowhere", async (_name, source) => {
    const script = [calls(shell("env; echo $BUDDY_API_KEY$MY_SECRET")), says("done")];
    const { ran, sent } = await runWith(script, source);
    expect([ran.stdout, ran.code, sent]).toEqual(["done\n", 0, [`Bearer ${KEY}`, `Bearer ${KEY}`]]);
    expect(leaks(ran, ...OWN)).toEqual([]);
  });

  test.each([
    ["a refusal", () => status(401, `{"error":{"message":"Incorrect API key provided: ${KEY}"}}`)],
    ["a failure that is retried", () => status(500, `key ${KEY} broke it`)],
    ["an error in a stream", () => raw([`data: {"error":{"message":"${KEY} is over its limit"}}\n\n`])],
    ["garbage", () => raw([`data: ${KEY}\n\n`])],
  ])("the key that %s echoes is written nowhere", async (_what, script) => {
    const { ran } = await runWith(script, SOURCES[0]);
    expect([ran.code === 3 || ran.code === 5, ran.stderr.includes("***")]).toEqual([true, true]);
    expect(leaks(ran, ...OWN)).toEqual([]);
  });

  test("a key that the model says does not enter the recording", async () => {
    const { ran } = await runWith([says(`it is ${KEY}`, 1)], SOURCES[0]);
    expect([ran.code, leaks(ran, ...OWN).includes("cwd/talk.jsonl")]).toEqual([0, false]);
    expect(ran.files["cwd/talk.jsonl"]).toContain("it is ***");
  });

  test("the key goes to no command", async () => {
    const script = [calls(shell("env > seen; cat seen")), says("done")];
    const { ran } = await runWith(script, SOURCES[1]);
    expect(ran.files["cwd/seen"]).toContain("HOME=");
    expect(leaks(ran, ...OWN)).toEqual([]);
  });
});
