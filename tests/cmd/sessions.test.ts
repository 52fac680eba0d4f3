import { describe, expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { chain, fileOf, HEADER, reply, toolResult, user } from "../core/session-lines.ts";
import { errorLines, newPlace, type Place, runBuddy, steady } from "./run-buddy.ts";

const SECRET = "sk-proj-abcdefghijklmnopqrstuvwxyz0123456789";
const answered = (content: string) => reply(content, [], { model: "m-1", profile: "p" });
const session = (id: string, said: string, ts: number): string =>
  fileOf(
    chain([
      user(said),
      reply("", ["c1"], { model: "m-1", profile: "p" }),
      toolResult("c1", "12:00"),
      answered("noon"),
    ]).map((entry, index) => ({ ...entry, ts: ts + index })),
    { ...HEADER, id },
  );

const FILES = {
  "cwd/.buddyx/sessions/mhx1aaa-000001.jsonl": session(
    "mhx1aaa-000001",
    "what time is it",
    1_800_000_000_000,
  ),
  "cwd/.buddyx/sessions/mhx2bbb-000002.jsonl": session(
    "mhx2bbb-000002",
    `use ${SECRET} \u001b[31m`,
    1_800_000_900_000,
  ),
  "cwd/.buddyx/sessions/mhx3ccc-000003.jsonl": "\0\0\0",
} as const;

const inPlace =
  (args: readonly string[], body: (ran: Awaited<ReturnType<typeof runBuddy>>, place: Place) => void) =>
  async () => {
    using place = newPlace(FILES);
    body(await runBuddy(place, ["sessions", ...args], { env: { TZ: "UTC" } }), place);
  };

describe("buddy sessions", () => {
  test(
    "lists what was saved here, last used first, damaged ones marked",
    inPlace([], ({ stdout, stderr, code }) => {
      const lines = stdout.split("\n");
      expect([code, stderr, lines.length]).toEqual([0, "", 5]);
      expect(lines[0]).toMatch(/^ID +LAST USED +TURNS +MODEL +TITLE$/);
      expect(stdout).toMatch(/^mhx3ccc-000003 .*\(cannot be used: it does not begin like a session\)$/m);
      expect(stdout).toMatch(/^mhx1aaa-000001 +2027-01-15 08:00 +2 +m-1 +what time is it$/m);
      expect(stdout.indexOf("mhx2bbb")).toBeLessThan(stdout.indexOf("mhx1aaa"));
      expect(stdout).not.toContain("\u001b");
    }),
  );

  test(
    "--json says the same to programs",
    inPlace(["--json"], ({ stdout, code }, place) => {
      const rows: readonly object[] = JSON.parse(stdout);
      expect([code, rows.length]).toEqual([0, 3]);
      expect(rows).toContainEqual({
        id: "mhx1aaa-000001",
        path: join(place.cwd, ".buddyx/sessions/mhx1aaa-000001.jsonl"),
        format: "session",
        last_used: "2027-01-15T08:00:00.003Z",
        title: "what time is it",
        turns: 2,
        turns_exact: true,
        model: "m-1",
      });
    }),
  );

  test("says so when there are none", async () => {
    using place = newPlace();
    const { stdout, stderr, code } = await runBuddy(place, ["sessions"]);
    expect([stdout, stderr, code]).toEqual(["", "There are no sessions of this directory yet\n", 0]);
    expect((await runBuddy(place, ["sessions", "--json"])).stdout).toBe("[]\n");
  });

  test(
    "show prints a conversation, masked and harmless",
    inPlace(["show", "mhx2"], ({ stdout, code }) => {
      expect(code).toBe(0);
      expect(stdout).not.toContain(SECRET);
      expect(stdout).not.toContain("\u001b");
      expect(stdout).toContain("❯ use ***\n\n▶ echo\n  12:00\n\nnoon\n");
    }),
  );

  test.each([
    ["md", /^# what time is it\n/],
    ["html", /^<!doctype html>\n/],
    ["jsonl", /^\{"type":"session"/],
  ])("export writes %s on standard output", async (format, begins) => {
    using place = newPlace(FILES);
    const { stdout, stderr, code } = await runBuddy(place, [
      "sessions",
      "export",
      "mhx1",
      "--format",
      format,
    ]);
    expect([stderr, code]).toEqual(["", 0]);
    expect(stdout).toMatch(begins);
    const masked = await runBuddy(place, ["sessions", "export", "mhx2", "--format", format]);
    expect(masked.stdout).not.toContain(SECRET);
  });

  test(
    "export -o writes a private file",
    inPlace(
      ["export", "mhx1", "--format", "html", "-o", "out/page.html"],
      ({ stdout, stderr, code, files }) => {
        expect([stdout, stderr, code]).toEqual(["", 'Wrote "out/page.html"\n', 0]);
        expect(files["cwd/out/page.html"]).toContain("<title>what time is it</title>");
      },
    ),
  );

  test(
    "rm removes one and nothing else",
    inPlace(["rm", "mhx1"], ({ code, stderr, files }, place) => {
      expect([code, steady(stderr, place)]).toEqual([
        0,
        'Removed "ROOT/cwd/.buddyx/sessions/mhx1aaa-000001.jsonl"\n',
      ]);
      expect(Object.keys(files).sort()).toEqual(
        Object.keys(FILES)
          .filter((path) => !path.includes("mhx1"))
          .sort(),
      );
    }),
  );

  test.each<readonly [args: readonly string[], lines: readonly string[], code: number]>([
    [["show", "zzz"], ['buddy: There is no session "zzz"', "hint: buddy sessions lists the ids"], 2],
    [
      ["rm", "../x"],
      ['buddy: "ROOT/x" is not named like a session', "hint: buddy sessions lists the ids"],
      2,
    ],
    [
      ["show", "mhx"],
      [
        'buddy: "mhx" begins several sessions: mhx1aaa-000001, mhx2bbb-000002, mhx3ccc-000003',
        "hint: give more of the id",
      ],
      2,
    ],
    [
      ["shwo", "mhx1"],
      ['buddy: Unknown "shwo" after sessions; did you mean "show"?', "hint: buddy help sessions"],
      2,
    ],
    [["show"], ["buddy: show takes one session", "hint: buddy help sessions"], 2],
    [["rm", "mhx1", "mhx2"], ["buddy: rm takes one session", "hint: buddy help sessions"], 2],
    [
      ["export", "mhx1", "--format", "pdf"],
      ['buddy: --format must be md, html, jsonl, not "pdf"', "hint: buddy help sessions"],
      2,
    ],
    [
      ["show", "mhx3"],
      [
        'buddy: Cannot use session "mhx3ccc-000003" ("ROOT/cwd/.buddyx/sessions/mhx3ccc-000003.jsonl"): it does not begin like a session',
      ],
      1,
    ],
  ])("%j is refused in words", async (args, lines, code) => {
    using place = newPlace(FILES);
    const ran = await runBuddy(place, ["sessions", ...args]);
    expect([errorLines(ran).map((line) => steady(line, place)), ran.code, ran.stdout]).toEqual([
      [...lines],
      code,
      "",
    ]);
  });

  test("a damaged line is passed over with a warning", async () => {
    using place = newPlace(FILES);
    const path = join(place.cwd, ".buddyx/sessions/mhx1aaa-000001.jsonl");
    writeFileSync(path, FILES["cwd/.buddyx/sessions/mhx1aaa-000001.jsonl"].replace(/\n/, "\ngarbage\n"));
    const { stdout, stderr, code } = await runBuddy(place, ["sessions", "show", "mhx1"]);
    expect([stderr, code]).toEqual(["buddy: warning: Line 2 is damaged and is left out\n", 0]);
    expect(stdout).toContain("what time is it");
  });

  test("works without a home", async () => {
    using place = newPlace(FILES);
    expect((await runBuddy(place, ["sessions"], { env: { HOME: undefined } })).code).toBe(0);
  });

  test("finds the sessions of this directory that the state directory holds", async () => {
    using place = newPlace();
    const dir = join(place.home, ".local/state/buddy/sessions", Bun.hash(place.cwd).toString(36));
    mkdirSync(dir, { recursive: true });
    writeFileSync(join(dir, "s1.jsonl"), session("s1", "kept elsewhere", 1));
    expect((await runBuddy(place, ["sessions"])).stdout).toContain("kept elsewhere");
  });
});
