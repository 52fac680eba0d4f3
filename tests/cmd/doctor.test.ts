import { describe, expect, test } from "bun:test";
import { chmodSync } from "node:fs";
import { join } from "node:path";
import { raw, status } from "../fakes/endpoint.ts";
import { configFor, newEndpoint, newPlace, runBuddy, type Script, USER_FILE } from "./run-buddy.ts";

const doctor = async (script: Script, toml = "", args: readonly string[] = []) => {
  await using endpoint = newEndpoint(script);
  using place = newPlace(configFor(endpoint.url, toml));
  const ran = await runBuddy(place, ["doctor", "--json", ...args], { env: { LANG: "C" } });
  return { ...ran, report: JSON.parse(ran.stdout), requests: endpoint.requests };
};

const checkNamed = (report: { checks: { name: string }[] }, name: string) =>
  report.checks.find((check) => check.name === name);

describe.concurrent("buddy doctor", () => {
  test("doctor ends with 0 when the default setup can work", async () => {
    const { code, report, files } = await doctor([]);
    expect([code, report.ok, report.exit_code]).toEqual([0, true, 0]);
    const names = "buddy terminal directory tmux ssh containers config credentials endpoint";
    expect(report.checks.map(({ name }: { name: string }) => name)).toEqual(names.split(" "));
    expect(checkNamed(report, "endpoint")).toMatchObject({ status: "ok" });
    expect(Object.keys(files)).toEqual([USER_FILE]);
  });

  test("doctor warns of a model that the endpoint does not have", async () => {
    const { code, report } = await doctor([], 'model = "other"\n');
    expect([code, checkNamed(report, "endpoint")]).toMatchObject([0, { status: "warning" }]);
  });

  test.each([
    ["a refused key", [status(401, "no")], "", 3, "endpoint"],
    ["a broken endpoint", [status(500, "no")], "", 5, "endpoint"],
    ["a wrong configuration", [], "context_limit = 'x'\n", 2, "config"],
    ["a broken file", [], "context_limit = \n", 2, "config"],
  ] as const)("doctor fails on %s", async (_what, script, toml, code, name) => {
    const ran = await doctor(script, toml);
    expect([ran.code, ran.report.ok, ran.report.exit_code]).toEqual([code, false, code]);
    expect(checkNamed(ran.report, name)).toMatchObject({ status: "failed" });
  });

  test("doctor fails on a missing key, and sends nothing", async () => {
    using place = newPlace({
      [USER_FILE]: '[models.far]\napi_base_url = "https://models.example.invalid"\n',
    });
    const ran = await runBuddy(place, ["doctor"]);
    expect([ran.code, ran.stdout.includes("endpoint     not looked at")]).toEqual([3, true]);
  });

  test("doctor sends a key only to its own endpoint", async () => {
    await using other = newEndpoint([]);
    await using endpoint = newEndpoint([]);
    using place = newPlace({
      [USER_FILE]: `[models.a]\napi_base_url = "${endpoint.url}"\n[models.b]\napi_base_url = "${other.url}"\n`,
    });
    const ran = await runBuddy(place, ["doctor"], { env: { BUDDY_API_KEY: "sk-doctor-test-0123456789" } });
    expect(ran.code).toBe(0);
    expect([endpoint.requests.length, other.requests.length]).toEqual([1, 0]);
    expect(endpoint.requests[0]?.headers.authorization).toBe("Bearer sk-doctor-test-0123456789");
    expect(ran.stdout + ran.stderr).not.toContain("sk-doctor-test");
  });

  test("doctor needs no programs, no home and no endpoint that speaks", async () => {
    await using endpoint = newEndpoint([raw([], "stall")]);
    using place = newPlace();
    const env = { PATH: "", HOME: undefined, BUDDY_BASE_URL: endpoint.url, BUDDY_MODEL: "x" };
    const ran = await runBuddy(place, ["doctor", "--json", "--hermetic"], { env });
    expect(checkNamed(JSON.parse(ran.stdout), "tmux")).toMatchObject({ status: "warning" });
    expect(ran.code).toBe(5);
  }, 20_000);

  test("doctor does not wait for a program that hangs", async () => {
    await using endpoint = newEndpoint([]);
    using place = newPlace({ ...configFor(endpoint.url), "home/bin/tmux": "#!/bin/sh\nexec sleep 300\n" });
    chmodSync(join(place.home, "bin/tmux"), 0o755);
    const ran = await runBuddy(place, ["doctor", "--json"], {
      env: { PATH: `${place.home}/bin:${process.env.PATH}` },
    });
    expect(checkNamed(JSON.parse(ran.stdout), "tmux")).toMatchObject({ detail: "did not answer within 3 s" });
  }, 20_000);
});
