import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { calls, type Reply, raw, says, shell } from "../fakes/endpoint.ts";
import { sse } from "../fakes/script.ts";
import { type OpenRepl, openRepl, type ReplOptions } from "./open-repl.ts";
import { noTmux } from "./terminal.ts";

// The main states of the screen, as text. `UPDATE_FIXTURES=1` writes them anew: look at them before they are kept.

setDefaultTimeout(30_000);

const MARKDOWN = [
  "# Plan",
  "Here is **bold**, *slanted* and `code`, and a line that is long enough to be wrapped on every terminal of eighty columns.",
  "```ts\nconst answer: number = 42; // always\nexport function twice(x: number) {\n  return x * 2;\n}\n```",
  "| file | size | what it is |\n|---|---:|---|\n| `a.txt` | 12 | notes |\n| 日本語.txt | 3400 | text |",
  "1. first\n2. second\n   - nested\n\n> quoted words",
  "And now the last par",
].join("\n\n");

/** Says so much and then nothing more. */
const halts = (text: string): Reply =>
  raw(
    [
      sse({
        id: "c",
        object: "chat.completion.chunk",
        model: "mock",
        choices: [{ index: 0, delta: { role: "assistant", content: text } }],
      }),
    ],
    "stall",
  );

const EDIT = calls({
  name: "edit_file",
  arguments: { path: "poem.txt", edits: [{ search: "two", replace: "TWO\nand a half" }] },
});
const POEM = { "cwd/poem.txt": "one\ntwo\nthree\nfour\n" };
const ASK = calls(
  shell("cd /srv/app && make deploy TARGET=production\necho \u202edone", {
    risk: "high",
    mutation: true,
    privesc: true,
    why: "to put the new version where the users are",
  }),
);

type State = ReplOptions & {
  readonly script: readonly Reply[];
  readonly drive: (repl: OpenRepl) => Promise<unknown>;
  readonly colours?: boolean;
};

const shown = async (repl: OpenRepl, prompt: string, until: RegExp | string): Promise<void> => {
  await repl.enter(prompt);
  await repl.sees(until);
};

const STATES: Readonly<Record<string, State>> = {
  idle: { script: [], drive: async () => {}, colours: true },
  "streaming-markdown": {
    script: [halts(MARKDOWN)],
    rows: 40,
    drive: (repl) => shown(repl, "show me everything", "And now the last par"),
    colours: true,
  },
  "tool-call-with-diff": {
    script: [EDIT, calls(shell("printf 'a\\nb\\nc\\nd\\ne\\nf\\ng\\nh\\n'")), says("Done.")],
    files: POEM,
    args: ["--approve", "all"],
    rows: 30,
    drive: (repl) => shown(repl, "change the poem", /Done\.\n\n>$/m),
    colours: true,
  },
  approval: { script: [ASK], drive: (repl) => shown(repl, "deploy", "-- approve?"), colours: true },
  picker: {
    script: [],
    config: '[models.other]\napi_base_url = "http://127.0.0.1:9/v1"\nmodel = "mock-large"\n',
    drive: async (repl) => {
      await repl.press("C-l");
      await repl.sees("Enter chooses");
      await repl.type("mock");
      await repl.sees(/^Model mock$/m);
    },
  },
  queue: {
    script: [halts("Working on it")],
    drive: async (repl) => {
      await shown(repl, "begin", "Working on it");
      await shown(repl, "then this", "◷ then this");
      await repl.type("and that");
      await repl.press("M-Enter");
      await repl.sees("(when it would end)");
    },
  },
  narrow: {
    script: [halts(MARKDOWN)],
    columns: 40,
    rows: 24,
    drive: (repl) => shown(repl, "show me everything that there is to show", "And now the last par"),
  },
  "light-theme": {
    script: [EDIT, says(MARKDOWN)],
    files: POEM,
    config: '[display]\ntheme = "light"\n',
    args: ["--approve", "all"],
    rows: 60,
    drive: (repl) => shown(repl, "change the poem", /last par\n\n>$/m),
    colours: true,
  },
  "no-color": {
    script: [EDIT, says(MARKDOWN)],
    files: POEM,
    env: { NO_COLOR: "1" },
    args: ["--approve", "all"],
    rows: 60,
    drive: (repl) => shown(repl, "change the poem", /last par\n\n>$/m),
    colours: true,
  },
};

/** What differs from run to run, made the same. */
const settled = (text: string, { place }: OpenRepl): string =>
  text
    .replaceAll(place.root, "/tmp/place")
    .replace(/…[^ ·…]*\/cwd/g, "…/cwd")
    .replace(/buddy \d+\.\d+\.\d+/, "buddy 0.0.0")
    .replace(/me@[\w.-]+\$/g, "me@here$")
    .replace(/^((?:\u001b\[[\d;]*m)*)[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏] task (.*?) · \d+s/gm, "$1⠋ task $2 · 0s")
    .replace(/\(\d+ms\)/g, "(0ms)");

function expectFixture(name: string, text: string): void {
  const path = join(import.meta.dir, "../../fixtures/screens", name);
  if (process.env.UPDATE_FIXTURES) {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, `${text}\n`);
  }
  expect(`${text}\n`).toBe(readFileSync(path, "utf8"));
}

describe.skipIf(noTmux !== undefined).concurrent("the screen", () => {
  test.each(Object.entries(STATES))("%s", async (name, { script, drive, colours, ...options }) => {
    await using repl = await openRepl(script, options);
    await drive(repl);
    expectFixture(`${name}.txt`, settled(await repl.screen(), repl));
    if (colours) expectFixture(`${name}.ansi`, settled(await repl.coloured(), repl));
  });
});
