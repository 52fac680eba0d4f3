import { describe, expect, test } from "bun:test";
import { closeSync, ftruncateSync, openSync } from "node:fs";
import { join } from "node:path";
import { calls, type ScriptedCall, says, shell } from "../fakes/endpoint.ts";
import { configFor, newEndpoint, newPlace, type Place, runBuddy } from "./run-buddy.ts";
import { resultsSent } from "./sent-results.ts";
import { savedRoles } from "./session-lines.ts";

const MIB = 1024 * 1024;

async function run(call: ScriptedCall, prepare: (place: Place) => void = () => {}, toml = "") {
  await using endpoint = newEndpoint((_request, index) => (index === 0 ? calls(call) : says("done")));
  using place = newPlace(configFor(endpoint.url, toml));
  prepare(place);
  const ran = await runBuddy(place, ["exec", "--approve", "all", "go"]);
  const told = resultsSent(endpoint.requests)[0] ?? "{}";
  return { ran, told, result: JSON.parse(told).result, sizes: keptSizes(ran.files) };
}

/** Sizes of outputs that were kept whole, by stream. */
const keptSizes = (files: Readonly<Record<string, string>>) =>
  Object.fromEntries(
    Object.entries(files).flatMap(([path, text]) => {
      const name = /\.out\/.*\.(stdout|stderr)$/.exec(path)?.[1];
      return name === undefined ? [] : [[name, Number(/^\((\d+) bytes\)$/.exec(text)?.[1] ?? text.length)]];
    }),
  );

const read = (path: string): ScriptedCall => ({ name: "read_file", arguments: { path } });

const SHORT_WAIT = '[tools]\nshell_timeout = "1s"\n';

const idle = await run(shell("true"));

/** Ended well, in bounded memory, with a session that can be read. */
function expectCalm({ ran, told }: Awaited<ReturnType<typeof run>>): void {
  expect([ran.stdout, ran.code]).toEqual(["done\n", 0]);
  expect(savedRoles(ran)).toEqual(["user", "assistant", "approval", "tool", "assistant"]);
  expect(told.length).toBeLessThan(120_000);
  expect((ran.maxRssBytes - idle.ran.maxRssBytes) / MIB).toBeLessThan(100);
}

describe("buddy exec and floods", () => {
  test("yes, until the time is up", async () => {
    const one = await run(shell("yes"), undefined, SHORT_WAIT);
    expectCalm(one);
    expect(one.result).toMatchObject({ exit_code: null, stdout: expect.stringMatching(/^y\ny\n/) });
    expect(one.result.notices).toEqual([
      "Timed out after 1s and was ended",
      expect.stringMatching(/^All of stdout \(\d+ bytes\) is in ".*\.stdout"/),
    ]);
  }, 30_000);

  test("200 MB of chance", async () => {
    const one = await run(shell("head -c 200000000 /dev/urandom"));
    expectCalm(one);
    expect(one.result.stdout).toStartWith("[binary output: 200000000 bytes, first bytes ");
  }, 30_000);

  test("100 MB on one line", async () => {
    const one = await run(shell("head -c 100000000 /dev/zero | tr '\\0' x"));
    expectCalm(one);
    expect(one.result.stdout).toMatch(/^x+\n\[… \d+ characters left out …\]\nx+$/);
    expect(one.sizes).toEqual({ stdout: 100_000_000 });
  }, 30_000);

  test("a file of 2 GB that has nothing in it", async () => {
    const one = await run(read("sparse"), ({ cwd }) => {
      const fd = openSync(join(cwd, "sparse"), "w");
      ftruncateSync(fd, 2 * 1024 * MIB);
      closeSync(fd);
    });
    expect(one.result.error).toBe(
      "Binary file of 2147483648 bytes, first bytes 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00: it has no text to show",
    );
    expect(one.ran.stdout).toBe("done\n");
  }, 30_000);

  test("a file of 100 MB on one line", async () => {
    const one = await run(read("long"), ({ cwd }) => {
      Bun.spawnSync(["sh", "-c", "head -c 100000000 /dev/zero | tr '\\0' x > long"], { cwd });
    });
    expect((one.ran.maxRssBytes - idle.ran.maxRssBytes) / MIB).toBeLessThan(100);
    expect(one.result).toMatchObject({
      lines: 1,
      size_bytes: 100_000_000,
      content: expect.stringMatching(/^x+$/),
    });
  }, 30_000);

  test("bytes that are not UTF-8, and NUL", async () => {
    const invalid = await run(shell("printf 'a\\377\\376b\\303'"));
    expectCalm(invalid);
    expect(invalid.result.stdout).toBe("a\ufffd\ufffdb\ufffd");
    const nul = await run(shell("printf 'a\\0b'"));
    expectCalm(nul);
    expect(nul.result.stdout).toBe("[binary output: 3 bytes, first bytes 61 00 62]");
    expect(nul.sizes).toEqual({ stdout: 3 });
  }, 30_000);

  test("half a million lines on both streams", async () => {
    const one = await run(shell("seq 500000; seq 500000 >&2; exit 3"));
    expectCalm(one);
    expect(one.result).toMatchObject({
      exit_code: 3,
      stderr: expect.stringMatching(/^1\n2\n[\s\S]*\n500000\n$/),
    });
    expect(one.sizes).toEqual({ stdout: 3_388_895, stderr: 3_388_895 });
  }, 30_000);
});
