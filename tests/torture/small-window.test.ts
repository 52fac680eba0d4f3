import { expect, test } from "bun:test";
import * as v from "valibot";
import { configFor, newEndpoint, newPlace, runBuddy } from "../cmd/run-buddy.ts";
import { calls, type ReceivedRequest, type Reply, type Spoken, says, shell } from "../fakes/endpoint.ts";

const WINDOW = 8192;
const TURNS = 200;
const PROMPTS = 4;

const PATH = "/srv/billing/exports/2026-q3/ledger-final.csv";
const ID = "3f2b8c1e-9d4a-4e6b-8f10-2a7c5d9e0b13";
const RULE = "Never write outside /srv/billing, and always keep amounts in cents.";

const body = v.looseObject({
  messages: v.array(v.looseObject({ role: v.string(), content: v.nullable(v.unknown()) })),
  tools: v.exactOptional(v.array(v.unknown())),
});

/** As rough as buddy's own count, and higher: everything that is sent, its JSON included. */
const tokensOf = (request: ReceivedRequest): number => {
  const { messages, tools = [] } = v.parse(body, request.body);
  return Math.ceil(JSON.stringify([messages, tools]).length / 4);
};

test(`exec of ${TURNS} turns in a window of ${WINDOW} tokens never forgets what the first prompt stated`, async () => {
  const seen = { turns: 0, summaries: 0, most: 0, mostOfSummary: 0 };
  const wrong: string[] = [];
  const converse = (request: ReceivedRequest, number: number): Spoken => {
    const text = JSON.stringify(request.body);
    wrong.push(
      ...[PATH, ID, RULE].filter((exact) => !text.includes(exact)).map((one) => `${number}: ${one}`),
    );
    seen.most = Math.max(seen.most, tokensOf(request));
    seen.turns += 1;
    if (seen.turns % (TURNS / PROMPTS) === 0) return says(`Part ${number} is done.`);
    const rows = 20 + ((seen.turns * 37) % 60);
    return calls(shell(`yes "row ${seen.turns} of /data/part-${seen.turns}.csv is fine" | head -n ${rows}`));
  };
  const script = (request: ReceivedRequest, index: number): Reply => {
    const inputTokens = tokensOf(request);
    if (v.parse(body, request.body).tools !== undefined)
      return { ...converse(request, index + 1), inputTokens };
    seen.summaries += 1;
    seen.mostOfSummary = Math.max(seen.mostOfSummary, inputTokens);
    // A model that forgets everything exact.
    return {
      ...says(`Goal:\nsome books\nState of the work:\n${"rows were looked at. ".repeat(20)}`),
      inputTokens,
    };
  };
  await using endpoint = newEndpoint(script);
  using place = newPlace(
    configFor(endpoint.url, `context_limit = ${WINDOW}\n[agent]\nmax_iterations = 100\n`),
  );
  const first = `Reconcile ${PATH} with run ${ID}. ${RULE}`;
  for (let prompt = 0; prompt < PROMPTS; prompt++) {
    const said = prompt === 0 ? [first] : ["-c", `Go on with part ${prompt}.`];
    const ran = await runBuddy(place, ["exec", "--quiet", "--approve", "all", ...said]);
    expect([ran.code, ran.stdout]).toEqual([0, expect.stringMatching(/^Part \d+ is done\.\n$/)]);
  }
  console.log(`small window: ${JSON.stringify(seen)}`);
  expect(wrong).toEqual([]);
  expect(seen.turns).toBe(TURNS);
  expect(seen.summaries).toBeGreaterThan(20);
  expect(seen.most).toBeLessThanOrEqual(WINDOW);
  expect(seen.mostOfSummary).toBeLessThanOrEqual(WINDOW);
}, 60_000);
