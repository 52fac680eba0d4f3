import { describe, expect, test } from "bun:test";
import { statSync } from "node:fs";
import { join } from "node:path";
import { calls, type Reply, says, saysAndCalls, shell, status } from "../fakes/endpoint.ts";
import {
  configFor,
  errorLines,
  execAgainst,
  newEndpoint,
  newPlace,
  runBuddy,
  runShell,
  USER_FILE,
} from "./run-buddy.ts";

const PIXEL =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

const bodyOf = (request: { readonly body: unknown } | undefined): string => JSON.stringify(request?.body);

const toolsIn = (request: { readonly body: unknown } | undefined): readonly string[] =>
  [...bodyOf(request).matchAll(/"function":\{"name":"([a-z_-]+)","description"/g)].map(
    (found) => found[1] ?? "",
  );

describe.concurrent("buddy exec --output-schema", () => {
  const schema =
    '{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"],"additionalProperties":false}';
  const run = (script: readonly Reply[], args: readonly string[] = [], toml = "") =>
    execAgainst(script, ["--output-schema", "s.json", ...args, "how many?"], {
      files: { "cwd/s.json": schema },
      toml,
    });

  test("exec sends it, and prints exactly the document", async () => {
    const ran = await run([says('```json\n{"n": 3}\n```\n')]);
    expect([ran.code, ran.stdout]).toEqual([0, '{"n": 3}\n']);
    expect(ran.requests[0]?.body).toMatchObject({
      response_format: {
        type: "json_schema",
        json_schema: { name: "answer", strict: true, schema: JSON.parse(schema) },
      },
    });
  });

  test.each([
    ["responses", "text"],
    ["anthropic", "output_config"],
  ])("exec sends it by %s", async (api, field) => {
    await using endpoint = newEndpoint([says('{"n":3}')]);
    const url = api === "anthropic" ? endpoint.root : endpoint.url;
    using place = newPlace({ ...configFor(url, `api = "${api}"\n`), "cwd/s.json": schema });
    const ran = await runBuddy(place, ["exec", "--output-schema", "s.json", "hi"]);
    expect([ran.code, ran.stdout]).toEqual([0, '{"n":3}\n']);
    expect(endpoint.requests[0]?.body).toHaveProperty(field);
  });

  test("exec has a wrong answer repaired, with what was wrong", async () => {
    const ran = await run([says("three"), says('{"n":"3"}'), says('{"n":3}')]);
    expect([ran.code, ran.stdout, ran.requests.length]).toEqual([0, '{"n":3}\n', 3]);
    expect(bodyOf(ran.requests[2])).toContain("/n: must be integer, not string");
  });

  test("exec prints nothing when it stays wrong, and ends with 9", async () => {
    const ran = await run([says("a"), says("b"), says("c"), says('{"n":3}')]);
    expect([ran.code, ran.stdout, ran.requests.length]).toEqual([9, "", 3]);
    expect(errorLines(ran)[0]).toStartWith("buddy: The answer does not satisfy the schema: ");
  });

  test("exec describes it in the prompt to a server that refuses the option, and remembers that", async () => {
    const refused = status(400, '{"error":{"message":"response_format is not supported"}}');
    const ran = await run([refused, says("no"), says('{"n":3}')]);
    expect([ran.code, ran.stdout]).toEqual([0, '{"n":3}\n']);
    const [first, second, third] = ran.requests.map(bodyOf);
    expect(first).toContain("response_format");
    for (const body of [second, third]) {
      expect(body).not.toContain('"response_format"');
      expect(body).toContain("JSON Schema");
    }
  });

  test.each([
    ["nowhere.json", 'Cannot use the schema "nowhere.json": no such file or directory'],
    ["broken.json", 'Cannot use the schema "broken.json": not JSON'],
    [
      "typo.json",
      'Cannot use the schema "typo.json": /: the keyword "requird" is not supported; did you mean "required"?',
    ],
  ])("exec refuses %s before anything is sent", async (name, said) => {
    const files = { "cwd/broken.json": "{", "cwd/typo.json": '{"requird":[]}' };
    const ran = await execAgainst([], ["--output-schema", name, "hi"], { files });
    expect([ran.code, ran.stdout, ran.requests.length]).toEqual([2, "", 0]);
    expect(ran.stderr).toStartWith(`buddy: ${said}`);
  });
});

describe.concurrent("buddy exec with limits", () => {
  const script = [calls(shell("echo hi")), calls(shell("echo ho")), says("what I have")];

  test("exec prints the last answer and ends with 6 when the tokens are used up", async () => {
    const ran = await execAgainst(script, ["--approve", "all", "--max-tokens-total", "150", "hi"]);
    expect([ran.code, ran.stdout, ran.requests.length]).toEqual([6, "what I have\n", 3]);
    expect(errorLines(ran)[0]).toBe("buddy: Stopped after 240 tokens: the limit is 150");
    expect(toolsIn(ran.requests[1]).length).toBeGreaterThan(0);
    expect(toolsIn(ran.requests[2])).toEqual([]);
  });

  test("exec keeps a limit on the cost where the price is known, and refuses it where not", async () => {
    const args = ["--approve", "all", "--max-cost", "0.0002", "hi"];
    const priced = await execAgainst(script, args, { toml: "price = { input = 1.0, output = 1.0 }\n" });
    expect([priced.code, priced.stdout]).toEqual([6, "what I have\n"]);
    const free = await execAgainst(script, args);
    expect([free.code, free.requests.length]).toEqual([2, 0]);
    expect(errorLines(free)[0]).toBe('buddy: The price of "mock" is not known: --max-cost cannot be kept');
  });

  test.each([
    ["--max-tokens-total", "0"],
    ["--max-tokens-total", "many"],
    ["--max-cost", "0.0"],
    ["--max-cost", "-1"],
    ["--max-cost", "1e3"],
    ["--on-deny", "maybe"],
  ])("exec refuses %s %s", async (flag, value) => {
    const ran = await execAgainst([], [`${flag}=${value}`, "hi"]);
    expect([ran.code, ran.requests.length]).toEqual([2, 0]);
    expect(ran.stderr).toStartWith(`buddy: ${flag} must be `);
  });
});

describe.concurrent("buddy exec with attachments", () => {
  test("exec attaches files behind the prompt and before stdin", async () => {
    const ran = await execAgainst([says("ok")], ["--file", "a.txt", "--file=b.txt", "read"], {
      files: { "cwd/a.txt": "one\n", "cwd/b.txt": "zwei ü" },
      stdin: { text: "three" },
    });
    expect(ran.code).toBe(0);
    const wanted =
      'read\n\n<file path="a.txt">\none\n\n</file>\n\n<file path="b.txt">\nzwei ü\n</file>\n\n<stdin>\nthree\n</stdin>';
    expect(bodyOf(ran.requests[0])).toContain(JSON.stringify(wanted).slice(1, -1));
  });

  test("exec attaches what a command says through a pipe, and --timeout holds for one that says nothing", async () => {
    await using endpoint = newEndpoint([says("ok")]);
    using place = newPlace(configFor(endpoint.url));
    const piped = `bash -c '"$BUDDY" exec --no-session --file <(printf "from a pipe") hi'`;
    expect((await runShell(place, piped)).stdout).toBe("ok\n");
    expect(bodyOf(endpoint.requests[0])).toContain("from a pipe");
    const silent = 'mkfifo p; exec 3<>p; "$BUDDY" exec --no-session --timeout 300ms --file p hi';
    expect((await runShell(place, silent)).code).toBe(6);
  });

  test.each([
    ["--file", "nowhere", "no such file or directory"],
    ["--file", ".", "it is a directory"],
    ["--file", "binary", "it is not a text"],
    ["--file", "/dev/zero", "it is not a file"],
  ])("exec refuses %s %s", async (flag, name, why) => {
    const ran = await execAgainst([], [flag, name, "hi"], { files: { "cwd/binary": "a\0b" } });
    expect([ran.code, ran.requests.length]).toEqual([2, 0]);
    expect(errorLines(ran)[0]).toBe(`buddy: Cannot attach the file "${name}": ${why}`);
  });

  const withImage = async (toml: string) => {
    await using endpoint = newEndpoint([says("a pixel")]);
    using place = newPlace(configFor(endpoint.url, toml));
    await Bun.write(join(place.cwd, "p.png"), Buffer.from(PIXEL, "base64"));
    const ran = await runBuddy(place, ["exec", "--image", "p.png", "what is it"]);
    return { ...ran, requests: endpoint.requests };
  };

  test("exec shows an image to a model that sees", async () => {
    const ran = await withImage('model = "gpt-4o"\n');
    expect([ran.code, ran.stdout]).toEqual([0, "a pixel\n"]);
    expect(bodyOf(ran.requests[0])).toContain("data:image/png;base64,iVBOR");
  });

  test("exec refuses an image for a model that does not", async () => {
    const ran = await withImage("");
    expect([ran.code, ran.requests.length]).toEqual([2, 0]);
    expect(errorLines(ran)[0]).toBe('buddy: The model "mock" is not known to see images');
  });
});

describe.concurrent("buddy exec and what it offers the model", () => {
  test("exec --tools offers only these, or all but those", async () => {
    const only = await execAgainst([says("ok")], ["--tools", "time,run_shell", "hi"]);
    expect(toolsIn(only.requests[0]).toSorted()).toEqual(["run_shell", "time"]);
    const without = await execAgainst([says("ok")], ["--tools", "-run_shell", "hi"]);
    expect(toolsIn(without.requests[0])).not.toContain("run_shell");
    expect(toolsIn(without.requests[0])).toContain("time");
  });

  test.each([["--no-tools"], ["--no-builtin-tools"]])("exec %s offers none", async (flag) => {
    expect(toolsIn((await execAgainst([says("ok")], [flag, "hi"])).requests[0])).toEqual([]);
  });

  test("exec names the tool that was meant", async () => {
    const ran = await execAgainst([], ["--tools", "run_shel", "hi"]);
    expect([ran.code, errorLines(ran)[0]]).toEqual([
      2,
      'buddy: There is no tool "run_shel"; did you mean "run_shell"?',
    ]);
  });

  test("exec takes the system prompt from words or a file", async () => {
    const args = [
      "--system-prompt",
      "@own.md",
      "--append-system-prompt",
      "And be brief.",
      "-nc",
      "--no-extensions",
      "hi",
    ];
    const ran = await execAgainst([says("ok")], args, { files: { "cwd/own.md": "You are a parrot." } });
    const body = bodyOf(ran.requests[0]);
    expect(body).toContain('"content":"You are a parrot.\\n\\nOperator instructions:\\nAnd be brief.');
    const missing = await execAgainst([], ["--system-prompt", "@none.md", "hi"]);
    expect([missing.code, missing.requests.length]).toEqual([2, 0]);
  });
});

describe.concurrent("buddy exec --hermetic", () => {
  test("exec reads no file but that of --config, and leaves none", async () => {
    await using endpoint = newEndpoint([says("ok")]);
    using place = newPlace({
      [USER_FILE]: "this is not TOML",
      "cwd/buddy.toml": "neither is this",
      "cwd/own.toml": `[models.own]\napi_base_url = "${endpoint.url}"\n`,
    });
    const ran = await runBuddy(place, ["exec", "--hermetic", "--config", "own.toml", "hi"]);
    expect([ran.code, ran.stdout, Object.keys(ran.files).length]).toEqual([0, "ok\n", 3]);
  });
});

describe.concurrent("buddy exec and what it leaves", () => {
  test("exec -o writes what it prints", async () => {
    const ran = await execAgainst(
      [calls(shell("echo hi")), says("done\n\n")],
      ["--approve", "all", "-o", "out.txt", "hi"],
    );
    expect([ran.code, ran.stdout, ran.files["cwd/out.txt"]]).toEqual([0, "done\n", "done\n"]);
  });

  test("exec -C moves the work, not the files that flags name", async () => {
    const files = { "cwd/s.json": "{}", "cwd/a.txt": "text", "cwd/p.md": "prompt", "cwd/work/x": "" };
    const args = ["-C", "work", "--output-schema", "s.json", "--file", "a.txt", "--system-prompt", "@p.md"];
    const more = ["-o", "out", "--log-file", "log", "--record", "rec", "hi"];
    const ran = await execAgainst([says("{}")], [...args, ...more], { files });
    expect([ran.code, ran.stdout]).toEqual([0, "{}\n"]);
    const named = ["cwd/out", "cwd/log", "cwd/rec"].filter((path) => path in ran.files);
    expect(named.length).toBe(3);
    expect(Object.keys(ran.files).some((path) => path.startsWith("cwd/work/.buddyx/sessions/"))).toBe(true);
  });

  test("exec -o is refused where nothing can be written", async () => {
    for (const path of ["nowhere/out.txt", "."]) {
      const ran = await execAgainst([], ["-o", path, "hi"]);
      expect([ran.code, ran.requests.length]).toEqual([2, 0]);
    }
  });

  test("exec --log-file adds private, masked JSON Lines", async () => {
    await using endpoint = newEndpoint([
      says("the key is sk-test-0123456789abcdef0123456789abcdef"),
      says("again"),
    ]);
    using place = newPlace(configFor(endpoint.url));
    const run = () => runBuddy(place, ["exec", "--log-file", "log.jsonl", "hi"]);
    await run();
    const { files } = await run();
    const log = files["cwd/log.jsonl"] ?? "";
    const lines = log
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(lines.filter(({ event }) => event === "lifecycle/stopped").length).toBe(2);
    expect(lines[0]).toMatchObject({
      level: "info",
      seq: 1,
      event: "lifecycle/started",
      time: expect.any(String),
    });
    expect(log).not.toContain("sk-test-0123456789abcdef");
    expect(statSync(join(place.cwd, "log.jsonl")).mode & 0o777).toBe(0o600);
  });

  test("exec --log-file that cannot be written is a usage error, by the variable too", async () => {
    expect((await execAgainst([], ["--log-file", "no/where", "hi"])).code).toBe(2);
    expect((await execAgainst([], ["hi"], { env: { BUDDY_LOG_FILE: "no/where" } })).code).toBe(2);
  });

  test("exec shows what the configuration says", async () => {
    const script = [calls(shell("echo hi")), says("ok")];
    const toml = "[display]\nshow_tool_calls = false\nshow_tokens = true\n";
    const ran = await execAgainst(script, ["--approve", "all", "hi"], { toml });
    expect(ran.stderr).not.toContain("run_shell");
    expect(ran.stderr.match(/^· 100 tokens in, 20 out$/gm)?.length).toBe(2);
  });

  test("exec -v tells every event on stderr, and only there", async () => {
    const ran = await execAgainst([says("ok")], ["-v", "hi"]);
    expect(ran.stdout).toBe("ok\n");
    expect(ran.stderr).toMatch(/^debug: 1 info lifecycle\/started/m);
    expect(ran.stderr).toMatch(/^debug: \d+ info task\/completed/m);
  });

  test("exec --session goes on in a file or by id", async () => {
    await using endpoint = newEndpoint([says("one"), says("two"), says("three")]);
    using place = newPlace(configFor(endpoint.url));
    const first = await runBuddy(place, ["exec", "first"]);
    const path = Object.keys(first.files).find((name) => name.endsWith(".jsonl")) ?? "";
    await runBuddy(place, ["exec", "--session", join(place.root, path), "second"]);
    const id = /([^/]+)\.jsonl$/.exec(path)?.[1] ?? "";
    const third = await runBuddy(place, ["exec", "--session", id, "third"]);
    expect(third.stdout).toBe("three\n");
    expect(bodyOf(endpoint.requests[2])).toMatch(/first.*one.*second.*two.*third/);
    expect((await runBuddy(place, ["exec", "--session", id, "-c", "x"])).code).toBe(2);
  });

  test("exec in a command substitution holds the final answer only", async () => {
    await using endpoint = newEndpoint([
      saysAndCalls("let me look", shell("echo noise; echo more >&2")),
      says("the answer"),
    ]);
    using place = newPlace({ [USER_FILE]: `[models.mock]\napi_base_url = "${endpoint.url}"\n` });
    const ran = await runShell(place, 'x=$("$BUDDY" exec --approve all hi 2>/dev/null); printf "[%s]" "$x"');
    expect(ran.stdout).toBe("[the answer]");
  });
});
