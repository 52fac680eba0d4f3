import { describe, expect, test } from "bun:test";
import { calls, refuses, says, shell } from "../fakes/endpoint.ts";
import { configFor, newEndpoint, newPlace, runBuddy } from "./run-buddy.ts";

describe.concurrent("buddy without a terminal", () => {
  test("reads prompts line by line and prints answers, in one conversation", async () => {
    await using endpoint = newEndpoint([says("**one**"), says("two\n")]);
    using place = newPlace(configFor(endpoint.url));
    const ran = await runBuddy(place, [], { stdin: { text: "first\n\nsecond\n" } });
    expect({ stdout: ran.stdout, stderr: ran.stderr, code: ran.code }).toEqual({
      stdout: "**one**\ntwo\n",
      stderr: "",
      code: 0,
    });
    expect(JSON.stringify(endpoint.requests.at(-1)?.body)).toMatch(/first.*one.*second/);
  });

  test("a prompt on the command line comes first, /quit ends", async () => {
    await using endpoint = newEndpoint([says("one"), says("two")]);
    using place = newPlace(configFor(endpoint.url));
    const ran = await runBuddy(place, ["what is it?"], { stdin: { text: "more\n/quit\nnever asked\n" } });
    expect([ran.stdout, ran.code, endpoint.requests.length]).toEqual(["one\ntwo\n", 0, 2]);
  });

  test("nothing in, nothing out", async () => {
    using place = newPlace(configFor("http://127.0.0.1:9/v1"));
    const ran = await runBuddy(place, [], { stdin: "null" });
    expect([ran.stdout, ran.stderr, ran.code]).toEqual(["", "", 0]);
  });

  test("what needs approval is denied, and nothing in an answer steers a terminal", async () => {
    await using endpoint = newEndpoint([calls(shell("touch made")), says("no\u001b[2J\u0007")]);
    using place = newPlace(configFor(endpoint.url));
    const ran = await runBuddy(place, [], { stdin: { text: "go\n" } });
    expect(ran.stdout).toBe("no\\x07\n");
    expect(Object.keys(ran.files)).not.toContain("cwd/made");
    expect(JSON.stringify(endpoint.requests.at(-1)?.body)).toContain("no terminal to ask on");
  });

  test("a failure is told, and is the exit code when it is the last thing", async () => {
    await using endpoint = newEndpoint([refuses(400, "no such model")]);
    using place = newPlace(configFor(endpoint.url));
    const ran = await runBuddy(place, [], { stdin: { text: "go\n" } });
    expect([ran.stdout, ran.code]).toEqual(["", 5]);
    expect(ran.stderr).toContain("no such model");
  });

  test("buddy resume without an id says what to give", async () => {
    using place = newPlace(configFor("http://127.0.0.1:9/v1"));
    const ran = await runBuddy(place, ["resume"], { stdin: "null" });
    expect([ran.stdout, ran.code]).toEqual(["", 2]);
    expect(ran.stderr).toContain("buddy resume ID, or buddy resume --last");
  });

  test("buddy resume --last goes on line by line", async () => {
    await using endpoint = newEndpoint([says("one"), says("two")]);
    using place = newPlace(configFor(endpoint.url));
    await runBuddy(place, [], { stdin: { text: "first\n" } });
    const ran = await runBuddy(place, ["resume", "--last"], { stdin: { text: "second\n" } });
    expect([ran.stdout, ran.code]).toEqual(["two\n", 0]);
    expect(JSON.stringify(endpoint.requests.at(-1)?.body)).toMatch(/first.*one.*second/);
  });

  test("a session that cannot be opened ends it", async () => {
    using place = newPlace(configFor("http://127.0.0.1:9/v1"));
    const ran = await runBuddy(place, ["resume", "nosuch"], { stdin: { text: "never asked\n" } });
    expect([ran.stdout, ran.code]).toEqual(["", 2]);
    expect(ran.stderr).toContain("nosuch");
  });
});
