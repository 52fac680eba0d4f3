import { describe, expect, test } from "bun:test";
import { calls, says, shell } from "../fakes/endpoint.ts";
import { newEndpoint, newPlace, runBuddy, USER_FILE } from "./run-buddy.ts";

// A timer of the platform takes 24.8 days at most, and fires at once when it is asked for more.

/** A run with a command, under a configuration in which everything may take a month. */
async function runPatiently(args: readonly string[], toml = "") {
  const slow = { ...says("the answer", 5), paceMs: 5 };
  await using endpoint = newEndpoint([calls(shell("sleep 0.1; echo done > made")), slow]);
  using place = newPlace({
    [USER_FILE]: `[network]\nretries = 0\n${toml}\n[models.mock]\napi_base_url = "${endpoint.url}"\n`,
  });
  const ran = await runBuddy(place, ["exec", "--approve", "all", ...args, "hi"]);
  return [ran.stdout, ran.code, ran.files["cwd/made"]];
}

const WELL = ["the answer\n", 0, "done\n"];

describe.concurrent("buddy exec and a month", () => {
  test.each(["30d", "720h", "43200m", "2592000", "999999999999"])(
    "--timeout %s is no limit yet",
    async (time) => {
      expect(await runPatiently(["--timeout", time])).toEqual(WELL);
    },
  );

  test.each([
    ["shell_timeout", '[tools]\nshell_timeout = "30d"\n'],
    ["idle_timeout", 'idle_timeout = "30d"\n'],
    ["connect_timeout", 'connect_timeout = "30d"\n'],
  ])("%s of 30d is no limit yet", async (_name, toml) => {
    expect(await runPatiently([], toml)).toEqual(WELL);
  });

  test("--approve 30d approves now", async () => {
    await using endpoint = newEndpoint([calls(shell("echo done > made")), says("the answer")]);
    using place = newPlace({ [USER_FILE]: `[models.mock]\napi_base_url = "${endpoint.url}"\n` });
    const ran = await runBuddy(place, ["exec", "--approve", "30d", "hi"]);
    expect([ran.stdout, ran.code, ran.files["cwd/made"]]).toEqual(WELL);
  });
});
