import { describe, expect, test } from "bun:test";
import { judgeShell, type ShellJudgement } from "../../../core/policy/shell/judge.ts";
import { ownCommands } from "./own-commands.ts";

const judged = (command: string) => judgeShell(command, { home: "/home/u", denylist: [] });

/** Those for which it does not hold. */
const exceptions = (commands: readonly string[], holds: (judgement: ShellJudgement) => boolean) =>
  commands.filter((command) => !holds(judged(command)));

describe("judgeShell()", () => {
  test("denies what must never run", () => {
    expect(exceptions(ownCommands.denied, ({ verdict }) => verdict === "deny")).toEqual([]);
  });

  test("does not wave through what is hard to undo or to read", () => {
    expect(exceptions(ownCommands.careful, ({ verdict }) => verdict !== "allow")).toEqual([]);
  });

  test("has nothing against everyday work", () => {
    expect(exceptions(ownCommands.allowed, ({ verdict }) => verdict === "allow")).toEqual([]);
  });

  test("knows what only reads", () => {
    expect(exceptions(ownCommands.read_only, ({ readOnly }) => readOnly)).toEqual([]);
  });

  test("does not take for reading what writes, runs, sends or reveals", () => {
    expect(exceptions(ownCommands.not_read_only, ({ readOnly }) => !readOnly)).toEqual([]);
    expect(exceptions(ownCommands.denied, ({ readOnly }) => !readOnly)).toEqual([]);
    expect(exceptions(ownCommands.careful, ({ readOnly }) => !readOnly)).toEqual([]);
  });

  test("returns everything it made out", () => {
    expect(judged("X=1 sudo -n sh -c 'ls \"$1\" | wc' _ a; $Y")).toEqual({
      verdict: "ask",
      readOnly: false,
      readable: true,
      rule: "cannot-tell",
      reason: "Which program would run is not known before it runs",
      commands: [
        ["sudo", "-n", "sh", "-c", 'ls "$1" | wc', "_", "a"],
        ["sh", "-c", 'ls "$1" | wc', "_", "a"],
        ["ls", "a"],
        ["wc"],
        ["$…"],
      ],
    });
  });

  test("says what cannot be read", () => {
    expect(judged('ls "')).toEqual({
      verdict: "ask",
      readOnly: false,
      readable: false,
      rule: "cannot-tell",
      reason: "It cannot be read as a shell would: a double quote is not closed",
      commands: [["ls", ""]],
    });
    expect(judged("rm -rf /; echo '")).toMatchObject({
      verdict: "deny",
      readable: false,
      rule: "remove-system",
    });
  });

  test("ends with anything that is long, deep or multiplies itself", () => {
    const hard = [
      "(".repeat(100_000),
      "$(".repeat(50_000),
      "{a,b}".repeat(5_000),
      `eval ${"eval ".repeat(5_000)}ls`,
      `${"sudo ".repeat(5_000)}ls`,
      `a=xx; ${"a=$a$a; ".repeat(200)} echo $a`,
      `${"f(){ f;f; }; ".repeat(500)}f a`,
      `f(){ f "$@" x; f "$@" y; }; f a`,
      `${"for i in 1 2 3 4 5 6 7 8; do ".repeat(12)}ls;${" done;".repeat(12)}`,
      `echo ${"a".repeat(900_000)}`,
      `sh -c '${"x;".repeat(50_000)}'`,
      '"'.repeat(99_999),
      "`".repeat(99_999),
      "cat <<A <<B\n".repeat(5_000),
      "x".repeat(2_000_000),
      `python3 -c '${"fork while ".repeat(10_000)}'`,
      `[ '${"[".repeat(100_000)}' ]`,
      `perl -e '${'\\"'.repeat(40_000)}'`,
      `make '${":".repeat(100_000)}'`,
    ];
    for (const command of hard) expect(["allow", "ask", "deny"]).toContain(judged(command).verdict);
  }, 30_000);
});

describe("judgeShell() with a denylist of the user's", () => {
  const listed = (pattern: string, command: string) =>
    judgeShell(command, { home: "/home/u", denylist: [pattern] }).rule === "shell_denylist";

  test.each([
    ["git push", "GIT  PUSH origin"],
    ["git push", "cd x && git push"],
    ["git push", "sh -c 'git \"push\"'"],
    ["rm", "/bin/rm x"],
    ["terraform * destroy", "terraform -chdir=x destroy"],
    ["Deploy.?h", "./deploy.sh"],
    ["curl *", "curl x"],
  ])("%s is in %s", (pattern, command) => {
    expect(listed(pattern, command)).toBe(true);
  });

  test.each([
    ["git push", "git pull"],
    ["rm", "format x"],
    ["", "ls"],
    ["terraform * destroy", "terraform plan"],
  ])("%s is not in %s", (pattern, command) => {
    expect(listed(pattern, command)).toBe(false);
  });
});
