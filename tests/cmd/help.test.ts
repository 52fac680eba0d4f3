import { describe, expect, test } from "bun:test";
import packageFile from "../../package.json" with { type: "json" };
import { newPlace, runBuddy } from "./run-buddy.ts";

describe.concurrent("buddy", () => {
  test.each([["--version"], ["-V"], ["version"]])(
    "buddy %s prints one line and writes nothing",
    async (word) => {
      using place = newPlace();
      const { stdout, stderr, code, files } = await runBuddy(place, [word]);
      expect(stdout).toMatch(/^buddy \d+\.\d+\.\d+ \([0-9a-z]+ [0-9a-z-]+\)\n$/);
      expect(stdout).toStartWith(`buddy ${packageFile.version} `);
      expect({ stderr, code, files }).toEqual({ stderr: "", code: 0, files: {} });
    },
  );

  test.each([[["--help"]], [["-h"]], [["help"]]])("buddy %j prints help and writes nothing", async (args) => {
    using place = newPlace();
    const { stdout, stderr, code, files } = await runBuddy(place, args);
    for (const word of [
      ...["Usage:", "exec", "login", "logout", "models", "config", "trust", "demo", "version", "--approve"],
      ...["Exit codes:", "Examples:"],
    ]) {
      expect(stdout).toContain(word);
    }
    expect({ stderr, code, files }).toEqual({ stderr: "", code: 0, files: {} });
  });

  test.each([[["help", "exec"]], [["exec", "--help"]], [["exec", "-h"]], [["--help", "exec"]]])(
    "buddy %j explains exec",
    async (args) => {
      using place = newPlace();
      const { stdout, stderr, code, files } = await runBuddy(place, args);
      expect(stdout).toStartWith("buddy exec: ");
      for (const flag of [
        "--timeout DURATION",
        "--record FILE",
        "--stdin auto|require|ignore",
        "-m, --model",
      ]) {
        expect(stdout).toContain(flag);
      }
      expect({ stderr, code, files }).toEqual({ stderr: "", code: 0, files: {} });
    },
  );

  test.each([
    [["-p", "hi"]],
    [["-m", "x", "-p", "hi"]],
    [["-p", "-m", "x", "hi"]],
    [["--hermetic", "-p", "hi"]],
  ])("buddy %j is exec", async (args) => {
    using place = newPlace();
    const { stderr, code } = await runBuddy(place, [...args, "--timeout", "soon"]);
    expect([code, stderr]).toEqual([
      2,
      'buddy: --timeout must be a duration such as 30s or 10m, not "soon"\n',
    ]);
  });

  test("buddy --help has no control codes and ends its last line", async () => {
    using place = newPlace();
    for (const args of [["--help"], ["help", "exec"]]) {
      const { stdout } = await runBuddy(place, args);
      expect(stdout).toMatch(/^[^\u0000-\u0009\u000b-\u001f\u007f-\u009f]+\n$/);
    }
  });

  test.each([
    [["exce", "hi"], 'Unknown command "exce"; did you mean "exec"?'],
    [["hlep"], 'Unknown command "hlep"; did you mean "help"?'],
    [["help", "exce"], 'Unknown command "exce"; did you mean "exec"?'],
    [["frobnicate"], 'Unknown command "frobnicate"'],
    [["--verison"], 'Unknown flag "--verison"; did you mean "--version"?'],
    [["--hlep"], 'Unknown flag "--hlep"; did you mean "--help"?'],
    [["--json", "say hello"], '"--json" is a flag of exec'],
    [["models", "all"], 'models takes no words, but "all" is given'],
    [["version", "now"], 'version takes no words, but "now" is given'],
    [["doctor", "who"], 'doctor takes no words, but "who" is given'],
    [["config", "chek"], 'Unknown action "chek" of config; did you mean "check"?'],
    [["exec", "--modle", "x", "hi"], 'Unknown flag "--modle"; did you mean "--model"?'],
    [["exec", "hi", "--aprove=all"], 'Unknown flag "--aprove"; did you mean "--approve"?'],
    [["exec", "--qqqqqqqqqqq", "hi"], 'Unknown flag "--qqqqqqqqqqq"'],
    [["demo", "--model", "x"], 'Unknown flag "--model"'],
    [["exec", "hi", "--timeout"], "--timeout needs a value: --timeout DURATION"],
    [["exec", "--quiet=yes", "hi"], "--quiet takes no value"],
    [["exec", "-m", "a", "--model", "b", "hi"], "--model is given twice"],
  ])("buddy %j is a usage error", async (args, said) => {
    using place = newPlace();
    const { stdout, stderr, code, files } = await runBuddy(place, args);
    const [first, second = ""] = stderr.split("\n");
    expect([first, second.startsWith("hint: ")]).toEqual([`buddy: ${said}`, true]);
    expect({ stdout, code, files }).toEqual({ stdout: "", code: 2, files: {} });
  });
});
