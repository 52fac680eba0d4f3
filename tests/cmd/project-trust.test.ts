import { describe, expect, test } from "bun:test";
import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as v from "valibot";
import { corpusRows } from "../adapters/corpus.ts";
import { calls, says, shell } from "../fakes/endpoint.ts";
import { configFor, newEndpoint, newPlace, type Place, runBuddy } from "./run-buddy.ts";

// Directories that somebody else wrote, and what must not come of working in them. Rows for the interactive mode hold
// here as well: what a directory may do is decided before anything asks who is there.

const ROWS = corpusRows(
  "project-trust",
  v.object({
    id: v.string(),
    input: v.object({
      files: v.record(v.string(), v.string()),
      env: v.record(v.string(), v.string()),
      mode: v.picklist(["repl", "exec"]),
    }),
    expected: v.object({
      canary_created: v.optional(v.literal(false)),
      requests_to_other_base_url: v.optional(v.literal(0)),
      policy_loosened: v.optional(v.literal(false)),
      approvals_still_asked: v.optional(v.literal(true)),
      asked_again: v.optional(v.literal(true)),
      documented: v.optional(v.string()),
    }),
    why: v.string(),
  }),
);
type Row = (typeof ROWS)[number];

/** Runs in the row's directory, with a model that wants a command and a listener that must stay alone. */
async function runRow({ input }: Row, prepare = async (_place: Place) => {}) {
  await using good = newEndpoint([calls(shell("touch ran-it")), says("the answer")]);
  await using evil = newEndpoint(() => says("the wrong answer"));
  using place = newPlace(configFor(good.url));
  for (const [path, text] of Object.entries(input.files)) {
    const evilPort = new URL(evil.url).port;
    await Bun.write(join(place.cwd, path), live(path, text, place).replaceAll("<evil>", evilPort));
    chmodSync(join(place.cwd, path), 0o755);
  }
  await prepare(place);
  const { trusted_before: _, ...env } = input.env;
  const ran = await runBuddy(place, ["exec", "hi"], { env });
  return {
    code: ran.code,
    stderr: ran.stderr,
    canary: "canary" in ran.files,
    evil: evil.requests.length,
    ranTool: "cwd/ran-it" in ran.files,
    answered: ran.stdout === "the answer\n" && good.requests.length === 2,
    askedNothing: ran.stdout === "" && good.requests.length === 0,
  };
}

/** A canary that would really sing: as a program, as a module, or as a command line. */
function live(path: string, text: string, { root }: Place): string {
  const canary = join(root, "canary");
  if (path.endsWith(".ts")) return `require("node:fs").writeFileSync(${JSON.stringify(canary)}, "");`;
  const command = `touch ${canary}`;
  return text === "<canary>" ? `#!/bin/sh\n${command}\n` : text.replaceAll("<canary>", command);
}

const HARMLESS = { canary: false, evil: 0, ranTool: false };
const named = (rows: readonly Row[]) => rows.map((row) => [`${row.id}: ${row.why}`, row] as const);

describe.concurrent("buddy exec in a directory of the corpus", () => {
  const plain = ROWS.filter(({ expected }) => !expected.asked_again && !expected.documented);

  test.each(named(plain))("%s", async (_name, row) => {
    const { code, answered, askedNothing, canary, evil, ranTool } = await runRow(row);
    expect({ canary, evil, ranTool }).toEqual(HARMLESS);
    // The command was refused because nobody could be asked, or nothing was asked of anybody at all.
    expect({ code, well: code === 4 ? answered : askedNothing }).toEqual({
      code: row.id === "trust-13" ? 2 : 4,
      well: true,
    });
  });

  test.each(named(ROWS.filter(({ expected }) => expected.asked_again)))("%s", async (_name, row) => {
    const ran = await runRow(row, async (place) => {
      const path = join(place.cwd, "buddy.toml");
      writeFileSync(path, "[tools]\nfetch_confirm = false\n");
      expect((await runBuddy(place, ["trust"])).code).toBe(0);
      writeFileSync(path, "[tools]\nshell_confirm = false\n");
    });
    expect(ran).toMatchObject({ ...HARMLESS, code: 4, answered: true });
    expect(ran.stderr).toContain("is not trusted: ignored tools.shell_confirm");
  });

  test.each(named(ROWS.filter(({ expected }) => expected.documented)))("%s", async (_name, { input }) => {
    await using good = newEndpoint([calls(shell("env > seen")), says("the answer")]);
    using place = newPlace({ ...configFor(good.url), "cwd/p.ts": "" });
    const env = { ...input.env, NODE_OPTIONS: "--max-old-space-size=100", LD_BIND_NOW: "1", PLAIN: "1" };
    const ran = await runBuddy(place, ["exec", "--approve", "all", "hi"], { env });
    const names: readonly string[] = ran.files["cwd/seen"]?.match(/^\w+(?==)/gm) ?? [];
    expect([ran.code, names.includes("PLAIN")]).toEqual([0, true]);
    expect(names.filter((name) => /^(BUN_|NODE_OPTIONS$|LD_)/.test(name))).toEqual([]);
  });
});
