import { describe, expect, test } from "bun:test";
import { COMMANDS, GLOBAL_FLAGS } from "../../cmd/commands.ts";
import { newPlace, type Place, runBuddy, runShell } from "./run-buddy.ts";

/** What bash offers for the last of these words. */
async function offered(place: Place, ...words: readonly string[]): Promise<readonly string[]> {
  const line = [
    "bash --norc -c '",
    'eval "$("$BUDDY" completion bash)";',
    `COMP_WORDS=(buddy ${words.map((word) => `"${word}"`).join(" ")}); COMP_CWORD=${words.length};`,
    `_buddy; printf "%s\\n" "\${COMPREPLY[@]}"'`,
  ].join(" ");
  return (await runShell(place, line)).stdout.trimEnd().split("\n");
}

describe.concurrent("buddy completion", () => {
  test("bash completes commands, flags, their values and actions", async () => {
    using place = newPlace({ "cwd/data.json": "{}" });
    expect(await offered(place, "do")).toEqual(["doctor"]);
    expect(await offered(place, "exec", "--output-f")).toEqual(["--output-format"]);
    expect(await offered(place, "exec", "--output-format", "")).toEqual(["text", "json", "stream-json"]);
    expect(await offered(place, "exec", "--file", "da")).toEqual(["data.json"]);
    expect(await offered(place, "-m", "x", "exec", "--on")).toEqual(["--on-deny"]);
    expect(await offered(place, "sessions", "e")).toEqual(["export"]);
    expect(await offered(place, "completion", "")).toEqual(["bash", "zsh", "fish", "--help", "-h"]);
    expect(await offered(place, "help", "ex")).toEqual(["exec"]);
  });

  test.each(["bash", "zsh", "fish"])(
    "%s knows every command and flag, and nothing is written",
    async (shell) => {
      using place = newPlace();
      const ran = await runBuddy(place, ["completion", shell]);
      expect([ran.code, ran.stderr, ran.files]).toEqual([0, "", {}]);
      const flags = [...GLOBAL_FLAGS, ...COMMANDS.flatMap((command) => command.flags)];
      for (const { name } of COMMANDS) expect(ran.stdout).toContain(name);
      for (const { name } of flags)
        expect(ran.stdout).toContain(shell === "fish" ? `-l ${name}` : `--${name}`);
    },
  );

  test.each([
    ["bash", "bash -n"],
    ["zsh", "zsh -n"],
    ["fish", "fish --no-execute"],
  ])("%s can read its script", async (shell, check) => {
    if (Bun.which(shell) === null) return console.log(`skipped: there is no ${shell} here`);
    using place = newPlace();
    const ran = await runShell(place, `"$BUDDY" completion ${shell} > script && ${check} script`);
    expect([ran.code, ran.stderr]).toEqual([0, ""]);
  });

  test.each([[[]], [["tcsh"]], [["bash", "zsh"]]])("%j is a usage error", async (args) => {
    using place = newPlace();
    const ran = await runBuddy(place, ["completion", ...args]);
    expect([ran.code, ran.stdout, ran.stderr.split("\n")[1]]).toEqual([
      2,
      "",
      "hint: buddy completion bash, zsh or fish",
    ]);
  });
});
