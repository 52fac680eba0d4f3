import { describe, expect, test } from "bun:test";
import * as v from "valibot";
import { envelopeSchema } from "../../core/event-schema.ts";
import { calls, raw, says, shell, status } from "../fakes/endpoint.ts";
import {
  configFor,
  newEndpoint,
  newPlace,
  type Ran,
  runBuddy,
  type Script,
  startBuddy,
  steady,
} from "./run-buddy.ts";

const FORMATS = ["text", "json", "stream-json"] as const;

/** How runs end that end by themselves: a class, what the model does, the flags, the code. */
const ENDS: readonly (readonly [string | null, Script, readonly string[], number])[] = [
  [null, [calls(shell("echo hi")), says("done")], ["--approve", "all"], 0],
  ["usage", [], ["--timeout", "soon"], 2],
  ["usage", [], ["--nonsense"], 2],
  ["usage", [], ["-C", "nowhere"], 2],
  ["usage", [], ["--config", "nowhere.toml"], 2],
  ["usage", [], ["--resume", "zzzz"], 2],
  ["usage", [], ["--tools", "run_shel"], 2],
  ["usage", [], ["--output-schema", "nowhere.json"], 2],
  ["auth", [status(401, "no")], [], 3],
  ["approval", [calls(shell("rm x")), says("could not")], [], 4],
  ["approval", [calls(shell("rm x")), says("could not")], ["--approve", "none"], 4],
  ["approval", [calls(shell("rm x"))], ["--on-deny", "fail"], 4],
  ["model", [status(500, "no")], [], 5],
  ["limit", [calls(shell("echo hi")), says("so far")], ["--approve", "all", "--max-iterations", "1"], 6],
  ["limit", [calls(shell("echo hi")), says("so far")], ["--approve", "all", "--max-tokens-total", "9"], 6],
  ["limit", [raw([], "stall")], ["--timeout", "200ms"], 6],
  ["context", [status(413, "too large")], [], 7],
  ["target", [], ["--container", "buddy-is-not-there"], 8],
  ["target", [], ["--ssh", "nobody@127.0.0.1:1"], 8],
  ["schema", () => says("no JSON"), ["--output-schema", "schema.json"], 9],
];

const runIn = async (format: (typeof FORMATS)[number], script: Script, args: readonly string[]) => {
  await using endpoint = newEndpoint(script);
  using place = newPlace({ ...configFor(endpoint.url), "cwd/schema.json": '{"type":"object"}' });
  return await runBuddy(place, ["exec", "--output-format", format, ...args, "hi"]);
};

const linesOf = ({ stdout }: Pick<Ran, "stdout">) =>
  stdout
    .trimEnd()
    .split("\n")
    .map((line) => v.parse(envelopeSchema, JSON.parse(line)));

const KEYS =
  "session_id status exit_code result error usage cost_usd turns tool_calls denials duration_ms model profile";

describe.concurrent("buddy exec --output-format", () => {
  test.each(ENDS)("ends with class %s the same in every format (%#)", async (kind, script, args, code) => {
    const [text, json, stream] = await Promise.all(FORMATS.map((format) => runIn(format, script, args)));
    if (!text || !json || !stream) throw new Error("three formats");
    expect([text.code, json.code, stream.code]).toEqual([code, code, code]);
    const report = JSON.parse(json.stdout);
    expect(Object.keys(report)).toEqual(KEYS.split(" "));
    expect([report.exit_code, report.error?.class ?? null]).toEqual([code, kind]);
    expect(report.status).toBe(code === 0 ? "completed" : "failed");
    const told = text.stderr
      .split("\n")
      .filter((line) => line.startsWith("buddy: "))
      .at(-1);
    if (kind !== null) expect(steady(told ?? "")).toBe(steady(`buddy: ${report.error.message}`));

    const lines = linesOf(stream);
    expect(lines.map(({ seq }) => seq)).toEqual(lines.map((_, at) => at + 1));
    const { event: first } = lines[0] ?? {};
    expect([first?.family, first?.type]).toEqual(["lifecycle", "started"]);
    const last = lines.at(-1)?.event;
    if (last?.family !== "lifecycle" || last.type !== "stopped") throw new Error("it did not stop");
    const { duration_ms: _a, session_id: _b, ...expected } = report;
    expect(JSON.parse(steady(JSON.stringify(last.report)))).toMatchObject(
      JSON.parse(steady(JSON.stringify(expected))),
    );
  });

  test("json counts what a run used", async () => {
    const { stdout } = await runIn(
      "json",
      [calls(shell("echo hi"), shell("rm x")), says("done")],
      ["--approve", "none"],
    );
    const report = JSON.parse(stdout);
    expect(report).toMatchObject({
      exit_code: 4,
      result: "done",
      usage: { input_tokens: 200, output_tokens: 40, total_tokens: 240 },
      cost_usd: null,
      turns: 2,
      profile: "mock",
      model: "mock",
      error: { class: "approval", hint: expect.any(String), retryable: false, http_status: null },
    });
    expect(report.denials).toContainEqual({ tool: "run_shell", subject: "rm x", reason: expect.any(String) });
    expect(report.session_id).toMatch(/^[a-z0-9-]+$/);
  });

  test("json carries what the endpoint said of its error", async () => {
    const refused = status(429, '{"error":{"message":"slow down"}}', {
      "retry-after": "600",
      "x-request-id": "r1",
    });
    const { stdout, code } = await runIn("json", [refused], []);
    expect([code, JSON.parse(stdout).error]).toMatchObject([
      5,
      { class: "model", http_status: 429, retry_after_ms: 600_000, request_id: "r1", retryable: true },
    ]);
  });

  test.each([
    ["SIGINT", 130],
    ["SIGTERM", 143],
  ] as const)("%s is a report too", async (signal, code) => {
    for (const format of ["json", "stream-json"] as const) {
      const { promise, resolve } = Promise.withResolvers<void>();
      await using endpoint = newEndpoint(() => {
        resolve();
        return raw([], "stall");
      });
      using place = newPlace(configFor(endpoint.url));
      const buddy = startBuddy(place, ["exec", "--output-format", format, "hi"]);
      await promise;
      buddy.signal(signal);
      const ran = await buddy.done;
      expect(ran.code).toBe(code);
      const report = JSON.parse(ran.stdout.trimEnd().split("\n").at(-1) ?? "");
      expect(format === "json" ? report : report.event.report).toMatchObject({
        status: "cancelled",
        exit_code: code,
        error: { class: "interrupted" },
      });
    }
  });

  test("--json is stream-json, and contradictions are refused", async () => {
    await using endpoint = newEndpoint([says("ok")]);
    using place = newPlace(configFor(endpoint.url));
    expect(linesOf(await runBuddy(place, ["exec", "--json", "hi"])).at(-1)?.event.type).toBe("stopped");
    for (const args of [
      ["--json", "--output-format", "text"],
      ["--output-format", "yaml"],
    ]) {
      expect((await runBuddy(place, ["exec", ...args, "hi"])).code).toBe(2);
    }
  });
});
