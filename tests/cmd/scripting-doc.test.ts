import { describe, expect, test } from "bun:test";
import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { calls, type Reply, says, shell } from "../fakes/endpoint.ts";
import { BUDDY, newEndpoint, newPlace, type Place, type Ran, runShell, type Script } from "./run-buddy.ts";

const DOCUMENT = await Bun.file(join(import.meta.dir, "../../docs/scripting.md")).text();

type Example = { readonly title: string; readonly language: string; readonly code: string };

/** Every block of code, by the heading that it stands under. */
const EXAMPLES: readonly Example[] = DOCUMENT.split(/^## /m)
  .slice(1)
  .flatMap((section) => {
    const title = section.split("\n")[0] ?? "";
    return [...section.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)].map(([, language = "", code = ""]) => ({
      title,
      language,
      code,
    }));
  });

type Setting = {
  readonly script: Script;
  readonly files?: Readonly<Record<string, string>>;
  /** Before the example. */
  readonly first?: string;
  /** Words for the example, which is then a program. */
  readonly words?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly check: (ran: Ran, requests: readonly string[]) => void;
};

const GIT =
  "export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@example.invalid GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@example.invalid; git init -q .; git add one.txt; git commit -q -m one; echo two >> one.txt; git add one.txt;";

const REVIEW = '{"verdict": "pass", "findings": []}';

const ok = (ran: Ran): void => expect([ran.code, ran.stderr]).toEqual([0, ""]);

const SETTINGS: Readonly<Record<string, Setting>> = {
  "A commit message": {
    files: { "cwd/one.txt": "one\n" },
    first: GIT,
    script: [says("one: add two")],
    check: (ran, [body = ""]) => {
      ok(ran);
      expect(body).toContain("+two");
      expect(ran.files["cwd/.git/COMMIT_EDITMSG"]).toBe("one: add two\n");
    },
  },
  "Log triage in cron": {
    files: { "cwd/app.log": "all is well\nERROR no disk\n" },
    env: { LOG: "app.log" },
    words: "",
    script: [says("The disk is gone.")],
    check: (ran, [body = ""]) => {
      ok(ran);
      expect(ran.stdout).toBe("The disk is gone.\n");
      expect(body).toContain("ERROR no disk");
    },
  },
  "CI review with a schema": {
    files: { "cwd/one.txt": "one\n" },
    first: `${GIT} git commit -q -m two;`,
    script: [says("fine"), says(REVIEW)],
    check: (ran) => {
      expect([ran.code, ran.stdout, ran.files["cwd/review.json"]]).toEqual([0, "", `${REVIEW}\n`]);
    },
  },
  "Fan-out with xargs": {
    files: { "cwd/a.txt": "kiwi", "cwd/b.txt": "mango", "cwd/c d.txt": "papaya" },
    script: (request): Reply =>
      says(/kiwi|mango|papaya/.exec(JSON.stringify(request.body))?.[0] ?? "nothing"),
    check: (ran) => {
      ok(ran);
      const summaries = ["a.txt", "b.txt", "c d.txt"].map((name) => ran.files[`cwd/${name}.summary`]);
      expect(summaries).toEqual(["kiwi\n", "mango\n", "papaya\n"]);
      expect(ran.files).not.toHaveProperty("cwd/.buddyx/.gitignore");
    },
  },
  "Decide by exit code": {
    script: [says("yes")],
    check: (ran) => expect([ran.code, ran.stdout]).toEqual([0, "answer: yes\n"]),
  },
  "What a run used": {
    script: [says("hello")],
    check: (ran) => expect([ran.code, ran.stdout]).toEqual([0, "tokens: 120\n"]),
  },
  "Follow a run as it happens": {
    script: [calls(shell("ls | wc -l")), says("none")],
    check: (ran) => expect([ran.code, ran.stdout]).toEqual([0, "calls a tool\ndone\n"]),
  },
  "Two steps of one conversation": {
    script: [says("4"), says("8")],
    check: (ran, [, second = ""]) => {
      ok(ran);
      expect([ran.files["cwd/first.txt"], ran.files["cwd/second.txt"]]).toEqual(["4\n", "8\n"]);
      expect(second).toContain("Think of a number");
    },
  },
  "A container's entrypoint": {
    words: '--no-tools --quiet "what to do"',
    script: [says("done")],
    check: (ran, [body = ""]) => {
      expect([ran.code, ran.stdout]).toEqual([0, "done\n"]);
      expect(body).toContain("what to do");
    },
  },
  "In a Makefile": {
    files: { "cwd/changes.txt": "faster\n" },
    script: [says("It is faster.")],
    check: (ran, [body = ""]) => {
      expect([ran.code, ran.files["cwd/NOTES.md"]]).toEqual([0, "It is faster.\n"]);
      expect(body).toContain("faster");
    },
  },
  "The same run every time": {
    script: [says("hello")],
    check: (ran, requests) => {
      ok(ran);
      expect([requests.length, ran.files["cwd/replayed.txt"]]).toEqual([1, "hello\n"]);
    },
  },
};

/** Runs an example as a reader would: pasted, as a program, or by make. */
async function play({ language, code }: Example, setting: Setting, place: Place, url: string): Promise<Ran> {
  mkdirSync(join(place.home, "bin"));
  symlinkSync(BUDDY, join(place.home, "bin/buddy"));
  const env = {
    PATH: `${place.home}/bin:${process.env.PATH}`,
    BUDDY_BASE_URL: url,
    BUDDY_MODEL: "mock",
    ...setting.env,
  };
  const name = language === "make" ? "Makefile" : "example.sh";
  await Bun.write(join(place.cwd, name), code);
  const line = language === "make" ? "make -s" : `sh ./example.sh ${setting.words ?? ""}`;
  return runShell(place, `${setting.first ?? ""} ${line}`, { env });
}

describe.concurrent("docs/scripting.md", () => {
  test("every example has a test, and every test an example", () => {
    expect(EXAMPLES.map(({ title }) => title)).toEqual(Object.keys(SETTINGS));
  });

  test.each(EXAMPLES.map((example) => [example.title, example] as const))("%s", async (title, example) => {
    const setting = SETTINGS[title];
    if (!setting) throw new Error(`There is no test for "${title}"`);
    await using endpoint = newEndpoint(setting.script);
    using place = newPlace(setting.files);
    const ran = await play(example, setting, place, endpoint.url);
    setting.check(
      ran,
      endpoint.requests.map(({ body }) => JSON.stringify(body)),
    );
  });
});
