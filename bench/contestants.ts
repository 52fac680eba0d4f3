import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Far, ROUND_TRIP_MS } from "./far.ts";
import { makeLongSession, makeManySessions } from "./made-sessions.ts";
import { type Mock, ownTimes } from "./mock.ts";
import type { Peer } from "./peers.ts";
import { type Place, peakMemory, type Ran, runProgram } from "./process.ts";
import { ANSWER, DELTAS, READ_FILE, type Scenario } from "./replies.ts";
import type { Samples } from "./statistics.ts";
import { typing } from "./typing.ts";
import { verdicts } from "./verdicts.ts";

/** One thing that takes its turn in the rounds and leaves figures behind. */
export type Contestant = {
  readonly name: string;
  /** Takes part in each nth round: what takes long, or gives many figures at once, need not run often. */
  readonly every: number;
  readonly run: () => Promise<void>;
};

export type Arena = {
  readonly mock: Mock;
  readonly place: Place;
  readonly samples: Samples;
  readonly buddy: string;
  readonly empty: string;
  readonly curl: string | undefined;
  readonly peers: readonly Peer[];
  readonly far: Far | undefined;
};

const MANY_TURNS = 1_000;
/** How many turns around the 10th and at the end of a long run stand for the start and the end. */
const WINDOW = 20;

const TEXT: Scenario = { kind: "text", count: 1 };
const STREAM: Scenario = { kind: "stream", count: DELTAS };

export async function contestants(arena: Arena): Promise<readonly Contestant[]> {
  const curl = arena.curl === undefined ? [] : await curlContestants(arena, arena.curl);
  return [
    ...startUps(arena),
    ...curl,
    oneLine(arena),
    oneLineMemory(arena),
    turns(arena, "time turn", { kind: "time", count: 200 }, []),
    turns(arena, "shell turn", { kind: "shell", count: 100 }, []),
    turns(arena, "shell turn, no session", { kind: "shell", count: 100 }, ["--no-session"]),
    ...(Bun.which("tmux")
      ? [turns(arena, "shell turn in tmux", { kind: "shell", count: 100 }, ["--tmux"])]
      : []),
    manyTurns(arena),
    bareLoop(arena),
    stream(arena),
    streamMemory(arena, "long stream memory", 2 * DELTAS),
    streamMemory(arena, "twice as long stream memory", 4 * DELTAS),
    resume(arena),
    list(arena),
    verdicts(arena.samples),
    typing(arena),
    ...(arena.far === undefined ? [] : farTurns(arena, arena.far)),
  ];
}

const FAR_TURNS = 20;

function farTurns(arena: Arena, { flags, place, session }: Far): readonly Contestant[] {
  writeFileSync(join(place.dir, READ_FILE), "a line to read\n".repeat(100));
  arena.samples.add("one round trip", ROUND_TRIP_MS);
  const there = { ...arena, place };
  return [
    turns(there, "shell turn over ssh", { kind: "shell", count: FAR_TURNS }, flags, 30),
    turns(there, "read turn over ssh", { kind: "read", count: FAR_TURNS }, flags, 30),
    {
      name: "ssh session",
      every: 10,
      run: async () => arena.samples.add("ssh session", runProgram(session, place).wallMs),
    },
  ];
}

function startUps({ samples, place, empty, buddy, peers }: Arena): readonly Contestant[] {
  const timed = (name: string, every: number, argv: readonly string[], where: Place): Contestant => ({
    name,
    every,
    run: async () => samples.add(name, runProgram(argv, where).wallMs),
  });
  return [
    timed("empty program", 1, [empty], place),
    timed("buddy --version", 1, [buddy, "--version"], place),
    timed("sh -c true", 1, ["/bin/sh", "-c", "true"], place),
    ...peers.map((peer) => timed(`${peer.name} --version`, 4, peer.argv, peer.place)),
  ];
}

/** curl sends what buddy sends: its body is taken from a run of buddy. */
async function curlContestants(arena: Arena, curl: string): Promise<readonly Contestant[]> {
  const { mock, place, samples } = arena;
  const address = mock.address(TEXT);
  runBuddy(arena, address, ["--no-session"]);
  const body = join(place.dir, "body.json");
  writeFileSync(body, (await mock.seen(address)).body);
  const post = (to: string): Ran => {
    const url = `${to}/chat/completions`;
    const headers = ["-H", "content-type: application/json", "-H", "accept: text/event-stream"];
    return runProgram([curl, "-q", "-sS", "--fail", ...headers, "--data-binary", `@${body}`, url], place);
  };
  return [
    {
      name: "curl one-line",
      every: 1,
      run: async () => {
        const to = mock.address(TEXT);
        const ran = post(to);
        await addExchange(arena, "curl one-line", to, ran);
      },
    },
    {
      name: "curl stream",
      every: 4,
      run: async () => samples.add("curl stream cpu", post(mock.address(STREAM)).cpuMs),
    },
  ];
}

function oneLine(arena: Arena): Contestant {
  const run = async () => {
    const address = arena.mock.address(TEXT);
    const ran = runBuddy(arena, address, ["--no-session"]);
    if (ran.stdout !== `${ANSWER}\n`) throw new Error(`buddy printed ${JSON.stringify(ran.stdout)}`);
    await addExchange(arena, "buddy one-line", address, ran);
  };
  return { name: "buddy one-line", every: 1, run };
}

async function addExchange({ mock, samples }: Arena, name: string, address: string, ran: Ran): Promise<void> {
  const { firstByteAtMs } = await mock.seen(address);
  samples.add(name, ran.wallMs);
  samples.add(`${name} cpu`, ran.cpuMs);
  samples.add(`${name} first byte`, (firstByteAtMs[0] ?? Number.NaN) - ran.startedAtMs);
}

function oneLineMemory(arena: Arena): Contestant {
  const run = async () => {
    const { argv, place } = buddyCommand(arena, arena.mock.address(TEXT), ["--no-session"]);
    arena.samples.add("buddy one-line memory", peakMemory(argv, place));
  };
  return { name: "buddy one-line memory", every: 8, run };
}

function turns(
  arena: Arena,
  name: string,
  scenario: Scenario,
  flags: readonly string[],
  every = 8,
): Contestant {
  const run = async () => {
    const address = arena.mock.address(scenario);
    runBuddy(arena, address, flags);
    arena.samples.add(name, ...(await turnTimes(arena, address, scenario.count)));
  };
  return { name, every, run };
}

function manyTurns(arena: Arena): Contestant {
  const run = async () => {
    const address = arena.mock.address({ kind: "time", count: MANY_TURNS });
    const { argv, place } = buddyCommand(arena, address, []);
    arena.samples.add("many turns memory", peakMemory(argv, place));
    addWindows(arena.samples, "time turn", await turnTimes(arena, address, MANY_TURNS));
  };
  return { name: "many turns", every: 10, run };
}

function bareLoop(arena: Arena): Contestant {
  const script = join(import.meta.dir, "bare-loop.ts");
  const run = async () => {
    const address = arena.mock.address({ kind: "time", count: MANY_TURNS });
    runProgram([process.execPath, script, address, String(MANY_TURNS)], arena.place);
    const own = await turnTimes(arena, address, MANY_TURNS);
    arena.samples.add("bare loop turn", ...own.slice(0, 200));
    addWindows(arena.samples, "bare loop turn", own);
  };
  return { name: "bare loop", every: 10, run };
}

async function turnTimes({ mock }: Arena, address: string, count: number): Promise<readonly number[]> {
  const own = ownTimes(await mock.seen(address));
  if (own.length !== count) throw new Error(`The endpoint saw ${own.length} turns instead of ${count}`);
  return own;
}

function addWindows(samples: Samples, name: string, own: readonly number[]): void {
  samples.add(`${name} at 10`, ...own.slice(0, WINDOW));
  samples.add(`${name} at 1000`, ...own.slice(-WINDOW));
}

function stream(arena: Arena): Contestant {
  const run = async () => {
    const ran = runBuddy(arena, arena.mock.address(STREAM), ["--no-session"]);
    arena.samples.add("buddy stream cpu", ran.cpuMs);
  };
  return { name: "buddy stream", every: 4, run };
}

function streamMemory(arena: Arena, name: string, count: number): Contestant {
  const run = async () => {
    const address = arena.mock.address({ kind: "stream", count });
    const { argv, place } = buddyCommand(arena, address, ["--no-session"]);
    arena.samples.add(name, peakMemory(argv, place));
  };
  return { name, every: 8, run };
}

/** The whole process: the session is read, sent and added to. */
function resume(arena: Arena): Contestant {
  const id = makeLongSession(arena.place.dir, 10_000);
  const run = async () => {
    const ran = runBuddy(arena, arena.mock.address(TEXT), ["--resume", id]);
    arena.samples.add("resume", ran.wallMs);
  };
  return { name: "resume", every: 8, run };
}

function list({ place, samples, buddy }: Arena): Contestant {
  const dir = join(place.dir, "many");
  mkdirSync(dir);
  makeManySessions(dir, 5_000);
  const run = async () => samples.add("list", runProgram([buddy, "sessions"], { ...place, dir }).wallMs);
  return { name: "list", every: 8, run };
}

function runBuddy(arena: Arena, address: string, flags: readonly string[]): Ran {
  const { argv, place } = buddyCommand(arena, address, flags);
  return runProgram(argv, place);
}

function buddyCommand(
  { buddy, place }: Arena,
  address: string,
  flags: readonly string[],
): { readonly argv: readonly string[]; readonly place: Place } {
  const env = { ...place.env, BUDDY_BASE_URL: address, BUDDY_MODEL: "mock" };
  const always = ["--approve", "all", "--max-iterations", String(MANY_TURNS + 1)];
  return { argv: [buddy, "exec", ...always, ...flags, "say hello"], place: { ...place, env } };
}
