import { describe, expect, test } from "bun:test";
import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { configFor, newPlace, runBuddy } from "./run-buddy.ts";

const NOWHERE = "http://127.0.0.1:9/v1";

async function policyTest(args: readonly string[], toml = "") {
  using place = newPlace(configFor(NOWHERE, toml));
  const { stdout, stderr, code } = await runBuddy(place, ["policy", "test", ...args]);
  return { stdout, stderr, code };
}

describe("buddy policy test", () => {
  test("prints the verdict, the rule and the parse of a command", async () => {
    expect(await policyTest(["--", "sudo sh -c 'cd / && rm -rf .' | cat"])).toEqual({
      stdout: [
        "verdict: deny",
        "rule: remove-system",
        "reason: It would remove the root directory",
        "commands:",
        `  ["sudo","sh","-c","cd / && rm -rf ."]`,
        `  ["sh","-c","cd / && rm -rf ."]`,
        `  ["cd","/"]`,
        `  ["rm","-rf","."]`,
        `  ["cat"]`,
        "",
      ].join("\n"),
      stderr: "",
      code: 0,
    });
  });

  const verdicts = [
    [
      ["--", "ls -la"],
      { verdict: "allow", read_only: true, rule: "", reason: "", commands: [["ls", "-la"]] },
    ],
    [
      ["--", "touch", "x"],
      { verdict: "allow", read_only: false, rule: "", reason: "", commands: [["touch", "x"]] },
    ],
    [
      ["--", "git push --force"],
      {
        verdict: "ask",
        read_only: false,
        rule: "throws-away",
        reason: "It would throw away work that cannot be brought back",
        commands: [["git", "push", "--force"]],
      },
    ],
    [
      ["--", "Deploy   now"],
      {
        verdict: "deny",
        read_only: false,
        rule: "shell_denylist",
        reason: 'It matches "deploy now" of tools.shell_denylist',
        commands: [["Deploy", "now"]],
      },
    ],
    [["--path", "notes.txt"], { verdict: "allow", read_only: false, rule: "", reason: "", commands: [] }],
    [
      ["--url", "http://127.0.0.1/"],
      {
        verdict: "deny",
        read_only: false,
        rule: "private_address",
        reason: 'Cannot fetch "http://127.0.0.1/": 127.0.0.1 is a loopback address',
        commands: [],
      },
    ],
  ] as const;
  for (const [args, expected] of verdicts) {
    test(`--json ${args.join(" ")}`, async () => {
      const ran = await policyTest(["--json", ...args], '[tools]\nshell_denylist = ["deploy now"]\n');
      expect({ ...ran, stdout: JSON.parse(ran.stdout) }).toEqual({ stdout: expected, stderr: "", code: 0 });
    });
  }

  test("judges a path that is not to be written", async () => {
    const { stdout, code } = await policyTest(["--json", "--path", "/etc/passwd"]);
    expect({ code, ...JSON.parse(stdout) }).toMatchObject({ code: 0, verdict: "deny", rule: "system" });
  });

  test("judges where a path leads, not only how it is written", async () => {
    using place = newPlace(configFor(NOWHERE));
    symlinkSync("/etc", join(place.cwd, "docs"));
    const { stdout } = await runBuddy(place, ["policy", "test", "--json", "--path", "docs/notes.txt"]);
    expect(JSON.parse(stdout)).toMatchObject({ verdict: "deny", rule: "system" });
  });

  for (const args of [[], ["--path", "a", "--url", "b"], ["--path", "a", "--", "ls"]]) {
    test(`is a usage error with ${args.join(" ") || "nothing"}`, async () => {
      const { stdout, stderr, code } = await policyTest(args);
      expect({ stdout, code }).toEqual({ stdout: "", code: 2 });
      expect(stderr).toStartWith("buddy: Give policy test one command, one path or one URL\nhint: ");
    });
  }
});
