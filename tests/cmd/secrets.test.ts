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

  test("a key that the model says, thinks or has read is shown and written nowhere", async () => {
    const script = [
      calls({ name: "read_file", arguments: { path: "~/key" } }, shell(`echo ${KEY}`)),
      says(`it is ${KEY}`, 4),
    ];
    const { ran } = await runWith(script, SOURCES[2]);
    expect([ran.code, ran.stdout, leaks(ran, ...OWN)]).toEqual([0, "it is ***\n", []]);
    expect(ran.files["cwd/talk.jsonl"]).toContain("it is ***");
  });

  test("a key that comes in another spelling is written nowhere in it", async () => {
    const spellings = [Buffer.from(KEY).toString("base64"), encodeURIComponent(`${KEY}/+`)];
    const { ran } = await runWith([says(spellings.join(" "), 1)], SOURCES[0]);
    for (const spelling of [spellings[0] ?? "", KEY]) {
      expect(
        Object.values({ ...ran.files, stdout: ran.stdout }).filter((text) => text.includes(spelling)),
      ).toEqual([]);
    }
  });

  test("what only looks like a secret is shown, for the user asked for it, and not saved", async () => {
    const token = `ghp_${"aB3".repeat(12)}`;
    const script = [calls(shell(`echo ${token}`)), says(`it is ${token}`, 1)];
    const { ran } = await runWith(script, SOURCES[0]);
    expect([ran.code, ran.stdout]).toEqual([0, `it is ${token}\n`]);
    const saved = Object.entries(ran.files).filter(([, text]) => text.includes(token));
    expect(saved.map(([path]) => path)).toEqual([]);
  });

  test("the key goes to no command", async () => {
    const script = [calls(shell("env > seen; cat seen")), says("done")];
    const { ran } = await runWith(script, SOURCES[1]);
    expect(ran.files["cwd/seen"]).toContain("HOME=");
    expect(leaks(ran, ...OWN)).toEqual([]);
  });
});
