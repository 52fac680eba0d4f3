import { describe, expect, test } from "bun:test";
import * as v from "valibot";
import { corpusRows } from "../adapters/corpus.ts";
import { calls, type Reply, says, shell } from "../fakes/endpoint.ts";
import { execAgainst, newPlace, runBuddy } from "./run-buddy.ts";
import { toolTexts } from "./tool-texts.ts";

// No row may ever run. Nothing is approved (`--approve none`), and every call asks for `wait: false`, which a plain
// shell refuses before it starts anything.
const UNAPPROVED = "Denied: The approval policy is none: nothing is approved";
const FENCE = { wait: false };

const row = v.object({ id: v.string(), input: v.string(), expected: v.string() });
const denylist = corpusRows(
  "shell-commands",
  v.object({ ...row.entries, strength: v.string(), accept: v.array(v.string()) }),
);
const harmless = corpusRows("not-read-only", v.object({ ...row.entries, model_metadata: v.looseObject({}) }));

const CALLS_PER_TURN = 60;

function inTurns(commands: readonly object[]): readonly Reply[] {
  const turns = Array.from({ length: Math.ceil(commands.length / CALLS_PER_TURN) }, (_, at) =>
    calls(
      ...commands
        .slice(at * CALLS_PER_TURN, (at + 1) * CALLS_PER_TURN)
        .map((args) => ({ name: "run_shell", arguments: { ...args, ...FENCE } })),
    ),
  );
  return [...turns, says("done")];
}

describe("the executable on the corpus of commands", () => {
  test("denies by rule what must be, and leaves the rest to the policy", async () => {
    const rows = denylist.filter(({ strength }) => strength === "must");
    const script = inTurns(rows.map(({ input }) => shell(input).arguments).filter(isObject));
    const ran = await execAgainst(script, ["--approve", "none", "go"]);
    expect(ran.code).toBe(4);
    const said = toolTexts(ran.requests);
    const got = rows.map(({ id }, at) => [id, kindOf(said[at] ?? "")]);
    expect(got).toEqual(rows.map(({ id, expected }) => [id, expected === "block" ? "rule" : "policy"]));
  }, 30_000);

  test("judges the others as accepted, without running anything", async () => {
    using place = newPlace();
    const rows = denylist.filter(({ strength }) => strength === "should");
    for (const { id, input, accept } of rows) {
      const { stdout } = await runBuddy(place, ["policy", "test", "--json", "--", input]);
      const { verdict } = v.parse(v.object({ verdict: v.string() }), JSON.parse(stdout));
      expect([id, accept.includes(verdict === "deny" ? "block" : verdict)]).toEqual([id, true]);
    }
  }, 60_000);

  test('asks by shell_confirm = "risky" about everything but what only reads', async () => {
    const script = inTurns(
      harmless.map(({ input, model_metadata }) => ({ command: input, ...model_metadata })),
    );
    const toml = '[tools]\nshell_confirm = "risky"\n';
    const ran = await execAgainst(script, ["--approve", "none", "go"], { toml });
    const said = toolTexts(ran.requests);
    const got = harmless.map(({ id }, at) => [id, kindOf(said[at] ?? "")]);
    const wanted = new Map([
      ["ask", "policy"],
      ["read-only", "fence"],
      ["invalid-arguments", "invalid"],
    ]);
    expect(got).toEqual(harmless.map(({ id, expected }) => [id, wanted.get(expected) ?? ""]));
  }, 30_000);
});

const isObject = (value: unknown): value is object => typeof value === "object";

/** Who kept the command from running. */
function kindOf(answer: string): "rule" | "policy" | "fence" | "invalid" | string {
  if (answer.includes('Denied: Rule \\\\\\"')) return "rule";
  if (answer.includes(UNAPPROVED)) return "policy";
  if (answer.includes("wait: false needs a tmux shell")) return "fence";
  return answer.includes("risk must be") ? "invalid" : answer;
}

describe("a command that a rule denies", () => {
  const toml = '[tools]\nshell_denylist = ["touch RAN"]\n';

  test("is not approved by all, is told to the model, and is no failure of the run", async () => {
    const script = [calls(shell("true; touch  ran")), says("could not")];
    const ran = await execAgainst(script, ["--approve", "all", "go"], { toml });
    expect([ran.stdout, ran.code, Object.keys(ran.files).includes("cwd/ran")]).toEqual([
      "could not\n",
      0,
      false,
    ]);
    expect(toolTexts(ran.requests).join()).toContain("of tools.shell_denylist. No approval lifts it");
  });

  test("what cannot be read is not approved by all either, and the model is told what to mend", async () => {
    const script = [calls(shell('touch ran; echo "not closed')), says("could not")];
    const ran = await execAgainst(script, ["--approve", "all", "go"]);
    expect([ran.code, Object.keys(ran.files).includes("cwd/ran")]).toEqual([0, false]);
    expect(toolTexts(ran.requests).join()).toContain("Check quotes, brackets and here-documents");
  });
});
