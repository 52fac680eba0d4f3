import { expect, test } from "bun:test";
import * as v from "valibot";
import { newEndpoint, newPlace, type Place, type Ran, runBuddy, startBuddy } from "../cmd/run-buddy.ts";
import type { Endpoint, ReceivedRequest } from "../fakes/endpoint.ts";
import { WIRES } from "../fakes/wire.ts";
import { type Chance, inTurns, newChance } from "./chance.ts";
import {
  ANSWER,
  fiftyTurns,
  type Moment,
  namesIn,
  type Pace,
  RUN,
  randomMoments,
  threeProfiles,
  untilMoment,
  usualPace,
} from "./fifty-turns.ts";

const KILLS = 200;
/** Each so many-th session also goes on with the other protocols. */
const EVERY = 10;

const message = v.looseObject({
  role: v.string(),
  content: v.exactOptional(v.unknown()),
  tool_call_id: v.exactOptional(v.string()),
  tool_calls: v.exactOptional(v.array(v.looseObject({ id: v.string() }))),
});
const completionsBody = v.looseObject({ messages: v.array(message) });
type WireMessage = v.InferOutput<typeof message>;

/** The conversation as the endpoint was told it, without the system prompt. */
const conversation = ({ body }: ReceivedRequest): readonly WireMessage[] =>
  v.parse(completionsBody, body).messages.filter(({ role }) => role !== "system");

test(`exec killed at ${KILLS} random moments loses nothing, runs nothing twice and can be resumed`, async () => {
  const chance = newChance();
  const pace = await usualPace();
  const seen = { resumed: 0, interrupted: 0, unanswered: 0 };
  await inTurns(chance, numbered(chance), async ({ number, moment }) => {
    const { killed, ...run } = await killAndResume(moment, pace, number % EVERY === 0 ? "all" : "one");
    seen.resumed += run.resumed;
    seen.interrupted += killed;
    seen.unanswered += run.unanswered;
  });
  console.log(`kill -9: ${JSON.stringify({ kills: KILLS, ...seen, ...pace })}`);
  // Were it otherwise, the moments would not have been those of a run.
  expect(seen.interrupted).toBeGreaterThan(KILLS / 2);
  expect(seen.resumed).toBeGreaterThan(KILLS / 2);
  expect(seen.unanswered).toBeGreaterThan(0);
}, 120_000);

const numbered = (chance: Chance) =>
  randomMoments(chance, KILLS).map((moment, number) => ({ number, moment }));

async function killAndResume(moment: Moment, pace: Pace, protocols: "one" | "all") {
  const fifty = fiftyTurns();
  await using endpoint = newEndpoint(fifty.script);
  using place = newPlace(threeProfiles(endpoint));
  const first = startBuddy(place, [...RUN, "write the lines"]);
  await untilMoment(first, fifty, moment, pace);
  first.signal("SIGKILL");
  const { code, files } = await first.done;
  expect([0, "SIGKILL"]).toContain(code ?? "none");
  expect(tornLines(files)).toBeLessThanOrEqual(1);
  const before = endpoint.requests.length;
  fifty.hurry();

  const told = await goOn(place, endpoint);
  const lines = (await listed(place)).files["cwd/lines"]?.trim().split("\n") ?? [];
  expect(lines).toEqual([...new Set(lines)]);
  const unanswered = expectResults(told, lines);
  if (protocols === "all") await goOnElsewhere(place, endpoint);
  return { killed: code === 0 ? 0 : 1, resumed: before > 0 ? 1 : 0, unanswered };
}

/** Resumes what the killed run left, to its end. Returns the whole conversation as it was told last. */
async function goOn(place: Place, endpoint: Endpoint): Promise<readonly WireMessage[]> {
  const before = endpoint.requests.length;
  const acknowledged = endpoint.requests.at(-1);
  const ran = await runBuddy(place, [...RUN, "-c", "go on"]);
  if (acknowledged === undefined && ran.code === 2) return fresh(place, endpoint, ran);
  expect([ran.code, ran.stdout]).toEqual([0, `${ANSWER}\n`]);
  expect(tornLines(ran.files)).toBe(0);
  const resumed = endpoint.requests[before];
  if (resumed === undefined) throw new Error("The resumed run asked nothing");
  // What the endpoint had seen comes back word for word, from the file alone.
  const known = acknowledged ? conversation(acknowledged) : [];
  expect(conversation(resumed).slice(0, known.length)).toEqual([...known]);
  expect(conversation(resumed).at(-1)).toEqual({ role: "user", content: "go on" });
  return conversation(endpoint.requests.at(-1) ?? resumed);
}

/** It was killed before there was anything to go on with. */
async function fresh(place: Place, endpoint: Endpoint, refused: Ran): Promise<readonly WireMessage[]> {
  expect(refused.stderr).toContain("There is no session");
  const ran = await runBuddy(place, [...RUN, "write the lines"]);
  expect([ran.code, ran.stdout]).toEqual([0, `${ANSWER}\n`]);
  const last = endpoint.requests.at(-1);
  return last ? conversation(last) : [];
}

/** A call with a result has run once, one without may have; nothing else has. Returns how many are without. */
function expectResults(told: readonly WireMessage[], lines: readonly string[]): number {
  const results = new Map(told.map((one) => [one.tool_call_id, JSON.stringify(one.content)]));
  let unanswered = 0;
  const allowed = new Set<string>();
  for (const call of told.flatMap(({ tool_calls = [] }) => tool_calls)) {
    const interrupted = results.get(call.id)?.includes("Interrupted before a result") === true;
    if (interrupted) unanswered += 1;
    for (const name of new Set(namesIn({ body: call }))) {
      allowed.add(name);
      if (!interrupted) expect(lines).toContain(name);
    }
  }
  expect(lines.filter((line) => !allowed.has(line))).toEqual([]);
  return unanswered;
}

async function goOnElsewhere(place: Place, endpoint: Endpoint): Promise<void> {
  for (const [profile, wire] of [
    ["of-responses", WIRES.responses],
    ["of-anthropic", WIRES.anthropic],
  ] as const) {
    const ran = await runBuddy(place, [...RUN, "-c", "-m", profile, "and now?"]);
    // The endpoint refuses what a strict server of that protocol would.
    expect([ran.code, ran.stdout, endpoint.requests.at(-1)?.path.endsWith(wire.path)]).toEqual([
      0,
      `${ANSWER}\n`,
      true,
    ]);
  }
}

const rows = v.array(
  v.looseObject({ id: v.string(), turns: v.number(), damage: v.exactOptional(v.string()) }),
);

/** `buddy sessions` shows at least one session with turns in it that can be used. */
async function listed(place: Place): Promise<Ran> {
  const ran = await runBuddy(place, ["sessions", "--json"]);
  const usable = v.parse(rows, JSON.parse(ran.stdout)).filter(({ damage }) => damage === undefined);
  expect([ran.code, usable.some(({ turns }) => turns > 0)]).toEqual([0, true]);
  return ran;
}

/** Lines of sessions that are no JSON; only the last one of a file may be. */
function tornLines(files: Ran["files"]): number {
  let torn = 0;
  for (const [path, text] of Object.entries(files)) {
    if (!path.endsWith(".jsonl")) continue;
    const whole = text.slice(0, text.lastIndexOf("\n") + 1);
    for (const line of whole.split("\n").slice(0, -1)) JSON.parse(line);
    if (whole !== text) torn += 1;
  }
  return torn;
}
