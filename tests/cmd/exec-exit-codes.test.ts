import { describe, expect, test } from "bun:test";
import { TEMPLATE } from "../../adapters/config/template.ts";
import { calls, raw, says, shell, startEndpoint, status } from "../fakes/endpoint.ts";
import {
  configFor,
  errorLines,
  execAgainst,
  newEndpoint,
  newPlace,
  type Ran,
  runBuddy,
  stillRunning,
  USER_FILE,
} from "./run-buddy.ts";

/** Nothing on stdout, nothing saved, and these lines. */
function expectRefusal(ran: Ran, code: number, ...lines: readonly string[]): void {
  const saved = Object.keys(ran.files).filter((path) => path.includes(".buddyx"));
  expect({ code: ran.code, lines: ran.stderr.trimEnd().split("\n"), stdout: ran.stdout, saved }).toEqual({
    code,
    lines: [...lines],
    stdout: "",
    saved: [],
  });
}

describe.concurrent("buddy exec ends with 2 before anything is sent", () => {
  const refused = async (toml: string, args: readonly string[] = ["hi"]) => {
    using place = newPlace({ [USER_FILE]: toml });
    return { ran: await runBuddy(place, ["exec", ...args]), path: `${place.root}/${USER_FILE}` };
  };

  test("exec names file, line and column of broken TOML and shows the line", async () => {
    const { ran, path } = await refused('[agent]\nmodel = "x\n');
    expect([ran.code, ran.stdout]).toEqual([2, ""]);
    expect(ran.stderr).toStartWith(`buddy: Cannot read config "${path}": line 2, column 11: `);
    expect(ran.stderr).toEndWith(': model = "x\n');
  });

  test("exec names the key, what was found and what is expected", async () => {
    const { ran, path } = await refused('[agent]\nmax_iterations = "many"\n');
    const found = 'agent.max_iterations must be a number, found the text "many"';
    expectRefusal(ran, 2, `buddy: Config "${path}", line 2: ${found}`);
  });

  test("exec names two sources of one key", async () => {
    const { ran, path } = await refused('[models.a]\napi_key_env = "A"\napi_key_file = "b"\n');
    const why = "names two sources of the key: api_key_env and api_key_file. Keep one";
    expectRefusal(ran, 2, `buddy: Config "${path}", line 1: models.a ${why}`);
  });

  test.each([
    ['[models.a]\nheaders = { "a b" = "x" }\n', 2, "models.a.headers.a b is no name of a header"],
    ['[models.a]\nheaders = { a = "x\\ny" }\n', 2, "models.a.headers.a holds what a header cannot hold"],
    ['[network]\nproxy = "nonsense"\n', 2, "network.proxy must be http:// or https:// and a host, or empty"],
  ])("exec finds what HTTP cannot carry in %j", async (toml, line, said) => {
    const { ran, path } = await refused(toml);
    expectRefusal(ran, 2, `buddy: Config "${path}", line ${line}: ${said}`);
  });

  test("exec lists the profiles when the chosen one does not exist", async () => {
    const { ran } = await refused('[agent]\nmodel = "c"\n[models.a]\n[models.b]\n');
    const builtIn = "gpt-codex, gpt-spark, claude, openrouter-deepseek, openrouter-glm, ollama";
    expectRefusal(ran, 2, `buddy: There is no profile "c". The profiles are: ${builtIn}, a, b`);
  });

  test("exec --config names a file that is not there", async () => {
    using place = newPlace();
    const ran = await runBuddy(place, ["exec", "--config", "none.toml", "hi"]);
    expectRefusal(ran, 2, 'buddy: Cannot read config "none.toml": no such file');
  });

  test.each([
    [["--timeout", "soon", "hi"], '--timeout must be a duration such as 30s or 10m, not "soon"'],
    [["--approve", "maybe", "hi"], '--approve must be ask, all, none or a duration such as 10m, not "maybe"'],
    [["--stdin", "sometimes", "hi"], '--stdin must be auto, require or ignore, not "sometimes"'],
    [
      ["--base-url", "ftp://x", "hi"],
      'The endpoint address "ftp://x" must be http:// or https:// and a host',
    ],
    [
      ["--base-url", "http://", "hi"],
      'The endpoint address "http://" must be http:// or https:// and a host',
    ],
    [["--thinking", "hard", "hi"], '--thinking must be one of off, minimal, low, medium, high, not "hard"'],
    [["--max-iterations", "x", "hi"], '--max-iterations must be a whole number from 1, not "x"'],
    [["--max-iterations=0", "hi"], '--max-iterations must be a whole number from 1, not "0"'],
    [
      ["--provider", "acme", "hi"],
      'There is no provider "acme". The providers are: openai, anthropic, google, openrouter',
    ],
  ])("exec %j", async (args, said) => {
    await using endpoint = newEndpoint([]);
    using place = newPlace(configFor(endpoint.url));
    expectRefusal(await runBuddy(place, ["exec", ...args]), 2, `buddy: ${said}`);
    expect(endpoint.requests).toEqual([]);
  });

  test.each([[[]], [[""]], [["  ", "\n"]]])("exec refuses the empty prompt %j", async (args) => {
    const ran = await execAgainst([], args);
    const hint = 'hint: buddy exec "what to do", or: echo "what to do" | buddy exec -';
    expectRefusal(ran, 2, "buddy: The prompt is empty", hint);
    expect(ran.requests).toEqual([]);
  });

  test.each([[[]], [[""]]])("exec refuses the empty prompt %j before it misses a key", async (args) => {
    using place = newPlace({
      [USER_FILE]: '[models.far]\napi_base_url = "https://models.example.invalid/v1"\n',
    });
    const ran = await runBuddy(place, ["exec", ...args]);
    expect([ran.code, ran.stderr.split("\n")[0]]).toEqual([2, "buddy: The prompt is empty"]);
  });
});

describe.concurrent("buddy exec goes on", () => {
  test("exec warns of an unknown key with the nearest one", async () => {
    const ran = await execAgainst([says("ok")], ["hi"], { toml: "modell = 'x'\n" });
    expect([ran.stdout, ran.code]).toEqual(["ok\n", 0]);
    expect(ran.stderr).toMatch(
      /^buddy: warning: Config "[^"]+", line 6: unknown key "models\.mock\.modell" is ignored; did you mean "model"\?\n/,
    );
  });
});

describe.concurrent("buddy exec ends with 3", () => {
  test("exec says which key is missing when nothing is configured, and leaves the template to edit", async () => {
    using place = newPlace();
    const ran = await runBuddy(place, ["exec", "hi"]);
    const hint =
      'hint: set OPENAI_API_KEY, or api_key_file in [models.gpt-codex], or auth = "login" there and: buddy login gpt-codex';
    expectRefusal(ran, 3, 'buddy: There is no key for profile "gpt-codex" (api.openai.com)', hint);
    expect(ran.files).toEqual({ [USER_FILE]: TEMPLATE });
  });

  test("exec sends nothing to a strange host without a key", async () => {
    using place = newPlace({
      [USER_FILE]: '[models.far]\napi_base_url = "https://models.example.invalid/v1"\n',
    });
    const ran = await runBuddy(place, ["exec", "hi"]);
    const hint = "hint: set BUDDY_API_KEY, or api_key_file in [models.far]";
    expectRefusal(ran, 3, 'buddy: There is no key for profile "far" (models.example.invalid)', hint);
  });

  test.each([401, 403])("exec does not repeat a %d", async (code) => {
    const ran = await execAgainst(() => status(code, '{"error":{"message":"bad key"}}'), ["hi"], {
      toml: "[agent]\n",
    });
    expect([ran.code, ran.stdout, ran.requests.length]).toEqual([3, "", 1]);
    expect(errorLines(ran)).toEqual([
      `buddy: ${ran.url} answered ${code}: bad key`,
      expect.stringContaining('hint: check the key of profile "mock"'),
    ]);
  });
});

describe.concurrent("buddy exec ends with 5", () => {
  test("exec says that nobody listens", async () => {
    const gone = startEndpoint([]);
    await gone.stop();
    using place = newPlace(configFor(gone.url));
    const ran = await runBuddy(place, ["exec", "hi"]);
    expect([ran.code, ran.stdout]).toEqual([5, ""]);
    expect(errorLines(ran)).toEqual([
      `buddy: Cannot reach ${gone.url}: connection refused`,
      "hint: is the endpoint running, and is api_base_url right?",
    ]);
  });

  test("exec does not repeat a 404", async () => {
    const ran = await execAgainst(() => status(404, '{"error":{"message":"no such model"}}'), ["hi"]);
    expect([ran.code, ran.stdout, ran.requests.length]).toEqual([5, "", 1]);
    expect(errorLines(ran)[0]).toBe(`buddy: ${ran.url} answered 404: no such model`);
  });

  test("exec gives up a storm of 500 after the retries, and tells each", async () => {
    await using endpoint = newEndpoint(() => status(500, "oops"));
    using place = newPlace({
      [USER_FILE]: `[network]\nretries = 1\n[models.mock]\napi_base_url = "${endpoint.url}"\n`,
    });
    const ran = await runBuddy(place, ["exec", "hi"]);
    expect([ran.code, ran.stdout, endpoint.requests.length]).toEqual([5, "", 2]);
    const [retry, end] = errorLines(ran);
    expect(retry).toMatch(/^buddy: warning: http:\S+ answered 500: oops; retry 1 of 1 in \d+ms$/);
    expect(end).toBe(`buddy: ${endpoint.url} answered 500: oops (tried 2 times)`);
  });

  test.each([
    ["a garbage stream", raw(["data: {not json\n\n"])],
    ["a page", { type: "raw", contentType: "text/html", chunks: ["<html>log in</html>"] } as const],
    ["an empty answer, twice", raw(["data: [DONE]\n\n"])],
    [
      "half a call",
      raw([
        'data: {"choices":[{"delta":{"tool_calls":[{"index":0,"id":"c","function":{"name":"time"}}]}}]}\n\n',
      ]),
    ],
    ["a redirect", status(302, "", { location: "http://127.0.0.1:1/" })],
  ])("exec fails on %s", async (_what, reply) => {
    const ran = await execAgainst(() => reply, ["hi"]);
    expect([ran.code, ran.stdout, errorLines(ran).length > 0]).toEqual([5, "", true]);
    expect(ran.requests.length).toBeLessThanOrEqual(2);
  });

  test("exec fails when the endpoint is silent for too long", async () => {
    await using endpoint = newEndpoint([raw([], "stall")]);
    using place = newPlace({
      [USER_FILE]: `[network]\nretries = 0\nidle_timeout = "200ms"\n[models.mock]\napi_base_url = "${endpoint.url}"\n`,
    });
    const ran = await runBuddy(place, ["exec", "hi"]);
    expect([ran.code, errorLines(ran)[0]]).toEqual([5, `buddy: ${endpoint.url} was silent for 200ms`]);
  });
});

describe.concurrent("buddy exec ends with 6 or 7", () => {
  test("exec stops after --max-iterations", async () => {
    const endless = (_: unknown, index: number) => calls(shell(`echo ${index}`));
    const ran = await execAgainst(endless, ["--approve", "all", "--max-iterations", "3", "hi"]);
    // The fourth asks for the best answer there is.
    expect([ran.code, ran.requests.length, ran.stdout]).toEqual([6, 4, ""]);
    expect(errorLines(ran)).toEqual([
      "buddy: Stopped after 3 model calls: the limit of max_iterations",
      "hint: raise it with --max-iterations N",
    ]);
  });

  test("exec stops when the time is up while the model is silent", async () => {
    const startedMs = performance.now();
    const ran = await execAgainst([raw([], "stall")], ["--timeout", "300ms", "hi"]);
    expect([ran.code, ran.stdout]).toEqual([6, ""]);
    expect(errorLines(ran)).toEqual(["buddy: Stopped after 300ms: the time limit of this task"]);
    expect(performance.now() - startedMs).toBeLessThan(2000);
  });

  test("exec stops when the time is up while a tool runs", async () => {
    const script = [calls(shell("echo $$ > pid; exec sleep 300")), says("too late")];
    const ran = await execAgainst(script, ["--approve", "all", "--timeout", "500ms", "hi"]);
    expect([ran.code, ran.stdout, ran.requests.length]).toEqual([6, "", 1]);
    expect(stillRunning([Number(ran.files["cwd/pid"])])).toEqual([]);
    expect(errorLines(ran)).toEqual(["buddy: Stopped after 500ms: the time limit of this task"]);
  });

  test("exec prints what there is of an answer that the model's limit cut off", async () => {
    const cut = raw(['data: {"choices":[{"delta":{"content":"half"},"finish_reason":"length"}]}\n\n']);
    const ran = await execAgainst([cut], ["hi"]);
    expect([ran.code, ran.stdout]).toEqual([6, "half\n"]);
  });

  test("exec ends with 7 when the endpoint says the conversation is too large", async () => {
    const ran = await execAgainst([status(413, "too large")], ["hi"]);
    expect([ran.code, ran.stdout, ran.requests.length]).toEqual([7, "", 1]);
  });
});
