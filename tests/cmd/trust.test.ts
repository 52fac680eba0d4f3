import { describe, expect, test } from "bun:test";
import { mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { calls, says, shell } from "../fakes/endpoint.ts";
import { configFor, newEndpoint, newPlace, type Place, runBuddy, USER_FILE } from "./run-buddy.ts";

const TRUST_FILE = "home/.config/buddy/trust.json";
const LOOSE = "[tools]\nshell_confirm = false\n";

/** A project whose file wants commands to run without a question. */
const newProject = (toml = LOOSE, url = "http://127.0.0.1:1/v1") =>
  newPlace({ ...configFor(url), "cwd/buddy.toml": toml });

const writeProject = (place: Place, toml: string) => writeFileSync(join(place.cwd, "buddy.toml"), toml);

/** Whether the project's wish is honoured now, and what is said about it. */
async function honoured(place: Place): Promise<{ readonly confirms: string; readonly warning: string }> {
  const ran = await runBuddy(place, ["config", "show"]);
  return {
    confirms: /^tools\.shell_confirm = (\S+)/m.exec(ran.stdout)?.[1] ?? "",
    warning: /ignored (.*?)\. To honour/.exec(ran.stderr)?.[1] ?? "",
  };
}

const TRUSTED = { confirms: "false", warning: "" };
const IGNORED = { confirms: "true", warning: "tools.shell_confirm" };

describe.concurrent("buddy trust", () => {
  test("trust honours the file from then on, says what it trusts, and keeps that in a private file", async () => {
    using place = newProject("[agent]\nmax_iterations = 3\n[tools]\nshell_confirm = false\n[models.x]\n");
    expect(await honoured(place)).toEqual({ confirms: "true", warning: "tools.shell_confirm, [models]" });
    const ran = await runBuddy(place, ["trust"]);
    expect([ran.stdout, ran.stderr, ran.code]).toEqual([
      `Trusted "${place.cwd}/buddy.toml" as it is now: tools.shell_confirm, [models]. When these change, it is asked again\n`,
      "",
      0,
    ]);
    expect(await honoured(place)).toEqual(TRUSTED);
    expect((statSync(join(place.root, TRUST_FILE)).mode & 0o777).toString(8)).toBe("600");
    expect(readFileSync(join(place.cwd, "buddy.toml"), "utf8")).toStartWith("[agent]");
  });

  test("trust ends when the restricted values change, not when the rest does, and the user is warned again", async () => {
    using place = newProject();
    await runBuddy(place, ["trust"]);
    writeProject(place, `# a comment\n[agent]\nmax_iterations = 9\n\n${LOOSE}`);
    expect(await honoured(place)).toEqual(TRUSTED);
    writeProject(place, `${LOOSE}env_pass = ["AWS_SECRET_ACCESS_KEY"]\n`);
    expect(await honoured(place)).toEqual({
      confirms: "true",
      warning: "tools.shell_confirm, tools.env_pass",
    });
    writeProject(place, LOOSE);
    expect(await honoured(place)).toEqual(TRUSTED);
  });

  test("trust is for one directory: not for its copy, not for what is below it", async () => {
    using place = newProject();
    await runBuddy(place, ["trust"]);
    for (const dir of ["copy", "cwd/below"]) {
      mkdirSync(join(place.root, dir));
      writeFileSync(join(place.root, dir, "buddy.toml"), LOOSE);
      expect(await honoured({ ...place, cwd: join(place.root, dir) })).toEqual(IGNORED);
    }
  });

  test("trust DIR trusts another directory, by any name that leads there", async () => {
    using place = newProject();
    symlinkSync(place.cwd, join(place.root, "link"));
    mkdirSync(join(place.root, "elsewhere"));
    const elsewhere = { ...place, cwd: join(place.root, "elsewhere") };
    expect((await runBuddy(elsewhere, ["trust", "../link"])).code).toBe(0);
    expect(await honoured(place)).toEqual(TRUSTED);
  });

  test("trust --revoke takes it back, and says when there was none", async () => {
    using place = newProject();
    await runBuddy(place, ["trust"]);
    const [first, second] = [
      await runBuddy(place, ["trust", "--revoke"]),
      await runBuddy(place, ["trust", "--revoke"]),
    ];
    expect([first.stdout, first.code, second.stdout, second.code]).toEqual([
      `"${place.cwd}" is no longer trusted\n`,
      0,
      `"${place.cwd}" was not trusted\n`,
      0,
    ]);
    expect(await honoured(place)).toEqual(IGNORED);
  });

  test("trust --list names every trusted directory and since when", async () => {
    using place = newProject();
    expect((await runBuddy(place, ["trust", "--list"])).stdout).toBe("No directory is trusted\n");
    await runBuddy(place, ["trust"]);
    expect((await runBuddy(place, ["trust", "--list"])).stdout).toMatch(
      new RegExp(`^${place.cwd} {2}\\(since \\d{4}-\\d\\d-\\d\\d\\)\n$`),
    );
    await runBuddy(place, ["trust", "--revoke"]);
    expect((await runBuddy(place, ["trust", "--list"])).stdout).toBe("No directory is trusted\n");
  });

  test("trust finds nothing to trust in a file that could do no harm", async () => {
    using place = newProject("[agent]\nmax_iterations = 3\n[tools]\nshell_confirm = true\n");
    const ran = await runBuddy(place, ["trust"]);
    expect([ran.stdout, ran.code, TRUST_FILE in ran.files]).toEqual([
      `"${place.cwd}/buddy.toml" needs no trust: it holds nothing that could do harm\n`,
      0,
      false,
    ]);
  });

  test.each([
    ["no file", undefined, 'There is no "CWD/buddy.toml" to trust'],
    ["a broken file", "[tools\n", 'Cannot read config "CWD/buddy.toml": line 1, column 7: '],
  ])("trust of %s is a usage error", async (_what, toml, said) => {
    using place = newPlace(toml === undefined ? {} : { "cwd/buddy.toml": toml });
    const ran = await runBuddy(place, ["trust"]);
    expect([ran.stdout, ran.code]).toEqual(["", 2]);
    expect(ran.stderr.replace(place.cwd, "CWD")).toStartWith(`buddy: ${said}`);
  });

  test("trust takes one directory", async () => {
    using place = newProject();
    const ran = await runBuddy(place, ["trust", "a", "b"]);
    expect([ran.stderr, ran.code]).toEqual(["buddy: Give one directory\n", 2]);
  });

  test("trust without a home cannot be kept, and says so", async () => {
    using place = newProject();
    const ran = await runBuddy(place, ["trust"], { env: { HOME: undefined } });
    expect([ran.stderr, ran.code]).toEqual(["buddy: Cannot save trust: there is no home directory\n", 2]);
  });

  test.each(["{", "[1]", '{"/a":1}'])(
    "trust does not write over a trust file that says %s, and nothing is run on its word",
    async (text) => {
      using place = newPlace({ "cwd/buddy.toml": LOOSE, [TRUST_FILE]: text });
      const runs = [
        ["trust"],
        ["trust", "--list"],
        ["trust", "--revoke"],
        ["config", "show"],
        ["exec", "hi"],
      ];
      for (const args of runs) {
        const ran = await runBuddy(place, args, { env: { BUDDY_API_KEY: "k-123456" } });
        expect([ran.code, ran.stdout, ran.files[TRUST_FILE]]).toEqual([2, "", text]);
        expect(ran.stderr).toStartWith(`buddy: Cannot read "${place.root}/${TRUST_FILE}": `);
      }
    },
  );
});

describe.concurrent("buddy exec in a trusted directory", () => {
  const script = [calls(shell("touch ran-it")), says("done")];

  test("exec asks before it was trusted, runs after, and asks again when the file says something else", async () => {
    const run = async (place: Place, url: string) => {
      const ran = await runBuddy(place, ["exec", "--base-url", url, "-m", "mock", "hi"]);
      return [ran.code, ran.stderr.includes("is not trusted"), "cwd/ran-it" in ran.files];
    };
    await using endpoint = newEndpoint((_request, index) => script[index % 2] ?? says("never"));
    using place = newProject(LOOSE, endpoint.url);
    expect(await run(place, endpoint.url)).toEqual([4, true, false]);
    await runBuddy(place, ["trust"]);
    expect(await run(place, endpoint.url)).toEqual([0, false, true]);
    writeProject(place, `${LOOSE}[models.mock]\napi_base_url = "http://127.0.0.1:1/v1"\n`);
    expect((await run(place, endpoint.url)).slice(0, 2)).toEqual([4, true]);
  });

  test("exec warns on stderr and nowhere else, also when it is quiet", async () => {
    await using endpoint = newEndpoint([says("the answer")]);
    using place = newProject(LOOSE, endpoint.url);
    const ran = await runBuddy(place, ["exec", "--quiet", "hi"]);
    expect([ran.stdout, ran.code]).toEqual(["the answer\n", 0]);
    expect(ran.stderr).toBe(
      `buddy: warning: "${place.cwd}/buddy.toml" is not trusted: ignored tools.shell_confirm. ` +
        "To honour them: buddy trust, or --trust for one run\n",
    );
  });

  test("exec in a directory without a file says nothing about trust", async () => {
    await using endpoint = newEndpoint([says("the answer")]);
    using place = newPlace({ [USER_FILE]: `[models.m]\napi_base_url = "${endpoint.url}"\n` });
    expect((await runBuddy(place, ["exec", "hi"])).stderr).not.toContain("trust");
  });
});
