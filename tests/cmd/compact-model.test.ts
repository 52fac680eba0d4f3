import { expect, test } from "bun:test";
import { says } from "../fakes/endpoint.ts";
import { newEndpoint, newPlace, runBuddy, USER_FILE } from "./run-buddy.ts";

test("exec has summaries written by the profile of agent.compact_model", async () => {
  await using endpoint = newEndpoint([says("a long answer"), says("Goal: a story"), says("short")]);
  using place = newPlace({
    [USER_FILE]: `[agent]
model = "main"
compact_model = "writer"
[models.main]
api_base_url = "${endpoint.url}"
context_limit = 8000
[models.writer]
api_base_url = "${endpoint.url}"
api = "responses"
model = "small-writer"
`,
  });
  const first = await runBuddy(place, ["exec", `A story: ${"once upon a time ".repeat(1000)}`]);
  const second = await runBuddy(place, ["exec", "-c", `Go on: ${"and then ".repeat(450)}`]);
  expect([first.code, second.code, second.stdout]).toEqual([0, 0, "short\n"]);
  expect(endpoint.requests.map(({ path }) => path)).toEqual([
    "/v1/chat/completions",
    "/v1/responses",
    "/v1/chat/completions",
  ]);
  expect(endpoint.requests[1]?.body).toMatchObject({ model: "small-writer" });
});
