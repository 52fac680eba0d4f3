import { expect, test } from "bun:test";
import { newEndpoint, newPlace, type Place, runBuddy, startBuddy } from "../cmd/run-buddy.ts";
import { savedRoles } from "../cmd/session-lines.ts";
import { calls, type ReceivedRequest, type Reply, shell } from "../fakes/endpoint.ts";
import { inTurns, newChance } from "./chance.ts";
import {
  ANSWER,
  fiftyTurns,
  type Moment,
  type Pace,
  RUN,
  randomMoments,
  threeProfiles,
  untilMoment,
  usualPace,
} from "./fifty-turns.ts";
import { marked } from "./marked.ts";

const CANCELS = 200;
const MOST_MS = 3000;
/** A command with a child and a grandchild that would outlive the test. */
const FAMILY = "sh -c 'sleep 600 & wait' & sleep 600 & wait";

test(`exec cancelled at ${CANCELS} random moments ends in time, leaves no process and a history that goes on`, async () => {
  const chance = newChance();
  const pace = await usualPace();
  const cancels = randomMoments(chance, CANCELS).map((moment, number) => ({
    marker: `torture-${process.pid}-${chance.seed}-${number}`,
    moment,
    work: number % 2 === 0 ? ("quick" as const) : ("family" as const),
  }));
  const codes = new Map<string, number>();
  let slowestMs = 0;
  await inTurns(chance, cancels, async (cancel) => {
    const { code, tookMs } = await cancelAndGoOn(cancel, pace);
    codes.set(code, (codes.get(code) ?? 0) + 1);
    slowestMs = Math.max(slowestMs, tookMs);
  });
  console.log(`cancel: ${JSON.stringify({ codes: Object.fromEntries(codes), slowestMs })}`);
  expect(codes.get("130")).toBeGreaterThan(CANCELS / 2);
}, 120_000);

type Cancel = {
  readonly marker: string;
  readonly moment: Moment;
  readonly work: "quick" | "family";
};

async function cancelAndGoOn({ marker, moment, work }: Cancel, pace: Pace) {
  const fifty = fiftyTurns();
  let cancelled = false;
  const script = (request: ReceivedRequest, index: number): Reply => {
    const usual = fifty.script(request, index);
    // From the moment's turn on, each command lasts.
    return work === "family" && !cancelled && index + 1 >= moment.turn ? calls(shell(FAMILY)) : usual;
  };
  await using endpoint = newEndpoint(script);
  using place = newPlace(threeProfiles(endpoint));
  const buddy = startBuddy(place, [...RUN, "write the lines"], { env: { TORTURE_MARKER: marker } });
  await untilMoment(buddy, fifty, moment, pace);
  const signalledMs = performance.now();
  buddy.signal("SIGINT");
  const ran = await buddy.done;
  const tookMs = Math.round(performance.now() - signalledMs);
  expect(tookMs).toBeLessThan(MOST_MS);
  expect(marked(marker)).toEqual([]);

  // Before it listens, and after it has ended its work, the signal itself ends it: to a shell, that is 130 as well.
  expect([0, 130, "SIGINT"]).toContain(ran.code ?? "none");
  if (ran.code === 0) expect(ran.stdout).toBe(`${ANSWER}\n`);
  else expect(`${ANSWER}\n`).toStartWith(ran.stdout.trimEnd());
  if (endpoint.requests.length > 0) expect(savedRoles(ran).at(0)).toBe("user");
  cancelled = true;
  fifty.hurry();
  await goOn(place, endpoint.requests.length > 0);
  return { code: String(ran.code), tookMs };
}

async function goOn(place: Place, begun: boolean): Promise<void> {
  const ran = await runBuddy(place, [...RUN, "-c", "go on"]);
  if (!begun && ran.code === 2) {
    expect(ran.stderr).toContain("There is no session");
    return;
  }
  // The endpoint refuses a history that is not whole.
  expect([ran.code, ran.stdout]).toEqual([0, `${ANSWER}\n`]);
}
