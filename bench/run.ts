// `make bench`: everything in turn, round after round, so that the noise of the machine hits all alike. An argument
// names another build to measure.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { cpus, tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { clockMs } from "./clock.ts";
import { compileEmpty } from "./compile-empty.ts";
import { type Contestant, contestants } from "./contestants.ts";
import { startFar } from "./far.ts";
import { type Mock, startMock } from "./mock.ts";
import { findPeers } from "./peers.ts";
import { type Gap, type Row, rowsOf } from "./rows.ts";
import { rotated, type Samples, samples } from "./statistics.ts";
import { judged, tableOf } from "./table.ts";

const ROUNDS = 80;
/** Nothing starts later than this; a slow machine gets fewer rounds, not a longer run. */
const LAST_START_MS = 65_000;

const ROOT = join(import.meta.dir, "..");
const BUDDY = resolve(process.argv[2] ?? join(ROOT, "dist", "buddy"));
const EMPTY = join(ROOT, "dist", "bench", "empty");

process.exitCode = await main().then(
  () => 0,
  (error) => {
    console.error(`bench: ${error instanceof Error ? error.message : String(error)}`);
    return 1;
  },
);

async function main(): Promise<void> {
  const stopped = onSignal();
  mkdirSync(join(ROOT, "dist", "bench"), { recursive: true });
  await compileEmpty(EMPTY);
  const dir = mkdtempSync(join(tmpdir(), "buddy-bench-"));
  const mock = await startMock();
  try {
    await measure(mock, dir, stopped);
  } finally {
    await mock.stop();
    // The shared terminal is meant to stay; this one was made for measuring only.
    if (Bun.which("tmux"))
      Bun.spawnSync(["tmux", "kill-server"], { env: { TMUX_TMPDIR: dir, PATH: process.env.PATH ?? "" } });
    rmSync(dir, { recursive: true, force: true });
  }
}

async function measure(mock: Mock, dir: string, signal: AbortSignal): Promise<void> {
  const place = { dir, env: { HOME: dir, TMUX_TMPDIR: dir, PATH: process.env.PATH ?? "/usr/bin:/bin" } };
  const { peers, gaps } = findPeers(place);
  const curl = Bun.which("curl") ?? undefined;
  const taken = samples();
  const started = await startFar(place);
  const far = "reason" in started ? undefined : started;
  const arena = { mock, place, samples: taken, buddy: BUDDY, empty: EMPTY, curl, peers, far };
  const rounds = await play(await contestants(arena), signal).finally(() => far?.[Symbol.asyncDispose]());
  const results = rowsOf(taken, { buddy: BUDDY, empty: EMPTY, peers: peers.map(({ name }) => name) });
  report(results, [...curlGap(curl), ...gaps], taken, rounds);
}

/** Returns how many rounds there was time for. */
async function play(all: readonly Contestant[], signal: AbortSignal): Promise<number> {
  const startedAtMs = clockMs();
  for (let round = 0; round < ROUNDS; round++) {
    const taking = all.filter(({ every }, index) => (round + index) % every === 0);
    for (const { run } of rotated(taking, round)) {
      signal.throwIfAborted();
      if (clockMs() - startedAtMs > LAST_START_MS) return round;
      await run();
    }
  }
  return ROUNDS;
}

/** Interrupted, the run still stops the endpoint and removes its directory. */
function onSignal(): AbortSignal {
  const controller = new AbortController();
  const stop = () => controller.abort(new Error("interrupted"));
  process.once("SIGINT", stop);
  process.once("SIGTERM", stop);
  return controller.signal;
}

function report(
  results: readonly (Row | Gap)[],
  skipped: readonly Gap[],
  taken: Samples,
  rounds: number,
): void {
  const rows = results.flatMap((result) => ("reason" in result ? [] : [judged(result)]));
  const gaps = [...results.flatMap((result) => ("reason" in result ? [result] : [])), ...skipped];
  const machine = { cpus: cpus().length, model: cpus()[0]?.model ?? "unknown" };
  const json = {
    made_at: new Date().toISOString(),
    bun: Bun.version,
    machine,
    rounds,
    rows,
    skipped: gaps,
    samples: taken.summaries(),
  };
  writeFileSync(join(ROOT, "dist", "bench.json"), `${JSON.stringify(json, null, 2)}\n`);
  console.log(`Medians of ${rounds} interleaved rounds on ${machine.cpus} × ${machine.model}\n`);
  console.log(tableOf(rows, gaps));
}

function curlGap(curl: string | undefined): readonly Gap[] {
  return curl === undefined ? [{ what: "floor of curl", reason: "curl is not installed" }] : [];
}
