import { expect, test } from "bun:test";
import { says } from "../fakes/endpoint.ts";
import { configFor, newEndpoint, newPlace, runBuddy } from "./run-buddy.ts";

test("buddy --session goes on in that session, and --log-file keeps what happens", async () => {
  await using endpoint = newEndpoint([says("one"), says("two")]);
  using place = newPlace(configFor(endpoint.url));
  const first = await runBuddy(place, ["exec", "--output-format", "json", "alpha"]);
  const { session_id } = JSON.parse(first.stdout);
  const ran = await runBuddy(place, ["--session", session_id, "--log-file", "log"], {
    stdin: { text: "beta\n" },
  });
  expect([ran.code, ran.stdout.includes("two")]).toEqual([0, true]);
  expect(JSON.stringify(endpoint.requests[1]?.body)).toMatch(/alpha.*one.*beta/);
  expect(ran.files["cwd/log"]).toContain('"event":"session/resumed"');
});
