import { describe, expect, test } from "bun:test";
import { statSync } from "node:fs";
import { join } from "node:path";
import { calls, says, shell } from "../fakes/endpoint.ts";
import { configFor, errorLines, newEndpoint, newPlace, type Place, runBuddy } from "./run-buddy.ts";

const KEY = "sk-canary-0123456789";
const PROMPT = "look around";

/** Records one conversation with a tool turn; the endpoint is gone afterwards. */
async function recorded(place: Place): Promise<string> {
  await using endpoint = newEndpoint([calls(shell("echo once >> ran")), says("it ran once", 4)]);
  const args = [
    "exec",
    "--approve",
    "all",
    "--base-url",
    endpoint.url,
    "-m",
    "m",
    "--record",
    "talk.jsonl",
    PROMPT,
  ];
  const ran = await runBuddy(place, args, { env: { BUDDY_API_KEY: KEY } });
  expect([ran.stdout, ran.code]).toEqual(["it ran once\n", 0]);
  return ran.files["cwd/talk.jsonl"] ?? "";
}

/** Nobody listens at the configured address: an answer can only come from the recording. */
const replay = (place: Place, ...args: readonly string[]) =>
  runBuddy(place, ["exec", "--approve", "all", "--replay", "talk.jsonl", ...args]);

const newSilentPlace = () => newPlace(configFor("http://127.0.0.1:1/v1", 'model = "m"\n'));

describe.concurrent("buddy exec --record", () => {
  test("--record writes each exchange to a private file without the key", async () => {
    using place = newSilentPlace();
    const lines = (await recorded(place))
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(lines).toMatchObject([
      { type: "recording", v: 1 },
      { type: "request", mark: { model: "m", last: { role: "user", text: PROMPT } } },
      { type: "event", event: { type: "replied", reply: { finish: "tool_calls" } } },
      { type: "request", mark: { model: "m", last: { role: "tool", is_error: false } } },
      ...lines.slice(4, -1).map(() => ({ type: "event", event: { type: "text_delta" } })),
      { type: "event", event: { type: "replied", reply: { message: { content: "it ran once" } } } },
    ]);
    expect((statSync(join(place.cwd, "talk.jsonl")).mode & 0o777).toString(8)).toBe("600");
    expect(JSON.stringify(lines)).not.toContain(KEY);
  });

  test("--record to a place that cannot be written is refused before anything is sent", async () => {
    await using endpoint = newEndpoint([]);
    using place = newPlace(configFor(endpoint.url));
    const ran = await runBuddy(place, ["exec", "--record", "no/such/dir/talk.jsonl", PROMPT]);
    expect([ran.code, ran.stdout, ran.stderr, endpoint.requests]).toEqual([
      2,
      "",
      'buddy: Cannot write the recording "no/such/dir/talk.jsonl": no such file or directory\n',
      [],
    ]);
  });
});

describe.concurrent("buddy exec --replay", () => {
  test("--replay answers without a network and runs the tools for real", async () => {
    using place = newSilentPlace();
    await recorded(place);
    const ran = await replay(place, PROMPT);
    expect([ran.stdout, ran.code, ran.files["cwd/ran"]]).toEqual(["it ran once\n", 0, "once\nonce\n"]);
    expect(await replay(place, PROMPT)).toMatchObject({ stdout: "it ran once\n", code: 0 });
  });

  test("--replay fails loudly with a diff when another prompt is given", async () => {
    using place = newSilentPlace();
    await recorded(place);
    const ran = await replay(place, "something else");
    expect([ran.code, ran.stdout, ran.files["cwd/ran"]]).toEqual([5, "", "once\n"]);
    expect(errorLines(ran)).toEqual([
      'buddy: Request 1 is not the recorded one of "talk.jsonl": ' +
        `- last: {"role":"user","text":"${PROMPT}"} + last: {"role":"user","text":"something else"}`,
      "hint: record again, or skip the check with --replay-loose",
    ]);
  });

  test("--replay fails loudly with a diff when other tools or another model are given", async () => {
    using place = newSilentPlace();
    await recorded(place);
    const ran = await replay(place, "--no-tools", "-m", "m-2", PROMPT);
    expect(ran.code).toBe(5);
    expect(errorLines(ran)[0]).toBe(
      'buddy: Request 1 is not the recorded one of "talk.jsonl": - model: "m" + model: "m-2" ' +
        '- tools: ["run_shell","read_file","write_file","edit_file","fetch_url","web_search","time"] + tools: []',
    );
  });

  test("--replay-loose skips the check", async () => {
    using place = newSilentPlace();
    await recorded(place);
    const ran = await replay(place, "--replay-loose", "-m", "m-2", "something else");
    expect([ran.stdout, ran.code, ran.files["cwd/ran"]]).toEqual(["it ran once\n", 0, "once\nonce\n"]);
  });

  test("--replay says when the recording is over too early", async () => {
    using place = newSilentPlace();
    const text = await recorded(place);
    await Bun.write(join(place.cwd, "talk.jsonl"), text.split("\n").slice(0, 3).join("\n"));
    const ran = await replay(place, PROMPT);
    expect(ran.code).toBe(5);
    expect(errorLines(ran)).toEqual([
      'buddy: The recording "talk.jsonl" has 1 exchanges, but a request 2 was made',
    ]);
  });

  test.each([
    ["not there", undefined, "no such file or directory"],
    ["empty", "", "it holds no exchange"],
    ["not JSON", "{}\nnonsense\n", "line 1: "],
  ])("--replay of a recording that is %s is a usage error", async (_what, text, said) => {
    using place = newPlace({
      ...configFor("http://127.0.0.1:1/v1"),
      ...(text === undefined ? {} : { "cwd/talk.jsonl": text }),
    });
    const ran = await replay(place, PROMPT);
    expect([ran.code, ran.stdout]).toEqual([2, ""]);
    expect(ran.stderr).toStartWith(`buddy: Cannot read the recording "talk.jsonl": ${said}`);
  });
});
