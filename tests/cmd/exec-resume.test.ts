import { describe, expect, test } from "bun:test";
import { says } from "../fakes/endpoint.ts";
import { configFor, newEndpoint, newPlace, runBuddy, steady, USER_FILE } from "./run-buddy.ts";

const PATHS = { first: "/v1/chat/completions", second: "/v1/responses" } as const;

const config = (url: string) => ({
  [USER_FILE]: `[agent]
model = "first"
[models.first]
api_base_url = "${url}"
[models.second]
api_base_url = "${url}"
api = "responses"
`,
});

describe.concurrent("buddy exec --continue and the model", () => {
  test.each([
    ["goes on with the profile of the session", [], {}, PATHS.second],
    ["goes on with the profile that a flag names", ["-m", "first"], {}, PATHS.first],
    ["goes on with the profile that the environment names", [], { BUDDY_MODEL: "first" }, PATHS.first],
  ])("exec -c %s", async (_fact, flags, env, path) => {
    await using endpoint = newEndpoint([says("one"), says("two")]);
    using place = newPlace(config(endpoint.url));
    await runBuddy(place, ["exec", "-m", "second", "hi"]);
    const ran = await runBuddy(place, ["exec", "-c", ...flags, "again"], { env });
    expect([ran.code, ran.stdout, endpoint.requests.map((request) => request.path)]).toEqual([
      0,
      "two\n",
      [PATHS.second, path],
    ]);
  });
});

test("exec -c without a session says so once, and asks nobody", async () => {
  await using endpoint = newEndpoint([]);
  using place = newPlace(configFor(endpoint.url));
  const ran = await runBuddy(place, ["exec", "-c", "hi"]);
  expect([ran.code, ran.stdout, steady(ran.stderr, place), endpoint.requests]).toEqual([
    2,
    "",
    'buddy: There is no session of "ROOT/cwd" yet\n',
    [],
  ]);
});
