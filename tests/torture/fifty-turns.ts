import { configFor, newEndpoint, newPlace, type Started, startBuddy } from "../cmd/run-buddy.ts";
import {
  calls,
  type Endpoint,
  type ReceivedRequest,
  type Reply,
  type ScriptedCall,
  says,
  shell,
} from "../fakes/endpoint.ts";
import type { Chance } from "./chance.ts";

export const TURNS = 50;
export const ANSWER = "all lines are written";
export const RUN = ["exec", "--approve", "all", "--max-iterations", "200"] as const;

/** An endpoint's side of a run: the next of fifty turns, whatever was asked before. */
export function fiftyTurns() {
  const waiting = new Map<number, PromiseWithResolvers<void>>();
  let turnsLeft = TURNS;
  const request = (number: number): PromiseWithResolvers<void> => {
    const found = waiting.get(number) ?? Promise.withResolvers<void>();
    waiting.set(number, found);
    return found;
  };
  const script = (received: ReceivedRequest, index: number): Reply => {
    request(index + 1).resolve();
    turnsLeft -= 1;
    return turnsLeft < 0 ? says(ANSWER) : nextTurn(received);
  };
  /** Settles when the n-th request has come; the 0th is always there. */
  const reached = (number: number): Promise<void> =>
    number === 0 ? Promise.resolve() : request(number).promise;
  /** Lets the model come to its answer in a few turns. */
  const hurry = (): void => {
    turnsLeft = Math.min(turnsLeft, 3);
  };
  return { script, reached, hurry };
}

export type FiftyTurns = ReturnType<typeof fiftyTurns>;

/** Each turn appends lines to a file that no other turn appends. */
function nextTurn(request: ReceivedRequest): Reply {
  const turn = 1 + Math.max(0, ...namesIn(request).map((name) => Number(name.split("-")[1])));
  return turn > TURNS ? says(ANSWER) : calls(...callsOf(turn));
}

/** Some turns have one call, some have two that change something, some have one that changes nothing beside it. */
function callsOf(turn: number): readonly ScriptedCall[] {
  const first = append(`line-${turn}-a`);
  if (turn % 5 === 0) return [first, append(`line-${turn}-b`)];
  return turn % 5 === 3 ? [{ name: "time", arguments: {} }, first] : [first];
}

const append = (line: string): ScriptedCall => shell(`echo ${line} >> lines`, { mutation: true });

/** Names of all lines that the conversation speaks of. */
export const namesIn = ({ body }: Pick<ReceivedRequest, "body">): readonly string[] =>
  JSON.stringify(body).match(/line-\d+-[ab]/g) ?? [];

/** Nothing is compacted, so that what comes back can be compared word for word. */
const ROOMY = "context_limit = 200000\n";

/** The same conversation can go on with each of the protocols. */
export const threeProfiles = ({ url, root }: Endpoint) =>
  configFor(
    url,
    `${ROOMY}[models.of-responses]
api_base_url = "${url}"
${ROOMY}api = "responses"
[models.of-anthropic]
api_base_url = "${root}"
${ROOMY}api = "anthropic"
[agent]
model = "mock"
`,
  );

/** A moment of a run: so much of a turn after its request. Turn 0 is the time before the first request. */
export type Moment = { readonly turn: number; readonly share: number };

export const randomMoments = (chance: Chance, count: number): readonly Moment[] =>
  Array.from({ length: count }, () => ({ turn: chance.between(0, TURNS + 1), share: chance.share() }));

/** How long things usually take on this machine, so that moments fall everywhere. */
export type Pace = { readonly startMs: number; readonly turnMs: number };

export async function usualPace(): Promise<Pace> {
  const { script, reached } = fiftyTurns();
  await using endpoint = newEndpoint(script);
  using place = newPlace(configFor(endpoint.url, ROOMY));
  const spawnedMs = performance.now();
  const { done } = startBuddy(place, [...RUN, "write the lines"]);
  await Promise.race([reached(1), done]);
  const firstMs = performance.now();
  await done;
  return { startMs: firstMs - spawnedMs, turnMs: (performance.now() - firstMs) / TURNS };
}

/** Waits for the moment of a run; it may have ended by then. */
export async function untilMoment(
  { done }: Started,
  { reached }: FiftyTurns,
  { turn, share }: Moment,
  { startMs, turnMs }: Pace,
): Promise<void> {
  await Promise.race([reached(turn), done]);
  await Promise.race([Bun.sleep(share * (turn === 0 ? startMs : turnMs)), done]);
}
