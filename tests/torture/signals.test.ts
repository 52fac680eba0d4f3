import { expect, test } from "bun:test";
import { newEndpoint, newPlace, startBuddy } from "../cmd/run-buddy.ts";
import { calls, type Reply, says, shell } from "../fakes/endpoint.ts";
import { inTurns, newChance } from "./chance.ts";
import { marked } from "./marked.ts";

const SIGNALS = [
  ["SIGINT", 130],
  ["SIGTERM", 143],
  ["SIGHUP", 143],
] as const;

const MOMENTS = 50;
const MOST_MS = 3000;
/** About as long as a run takes, so that signals fall before, into and behind it. */
const LONGEST_MS = 400;

/** Thinks, works with a child in the background, and answers. */
const script = (_: unknown, index: number): Reply =>
  index < 3
    ? { ...calls(shell("sleep 600 & sleep 0.05")), paceMs: 10 }
    : { ...says("the answer"), paceMs: 10 };

test(`exec gets SIGINT, SIGTERM or SIGHUP at ${MOMENTS} random moments: right code, nothing hangs, nothing is left`, async () => {
  const chance = newChance();
  const codes = new Map<string, number>();
  const moments = Array.from({ length: MOMENTS }, (_, number) => ({
    number,
    afterMs: chance.between(0, LONGEST_MS),
    format: chance.share() < 0.5 ? "text" : "json",
  }));
  await inTurns(chance, moments, async ({ number, afterMs, format }) => {
    const [signal, code] = SIGNALS[number % SIGNALS.length] ?? SIGNALS[0];
    const marker = `signals-${process.pid}-${chance.seed}-${number}`;
    await using endpoint = newEndpoint(script);
    using place = newPlace({
      "home/.config/buddy/buddy.toml": `[models.mock]\napi_base_url = "${endpoint.url}"\n`,
    });
    const args = ["exec", "--approve", "all", "--output-format", format, "hi"];
    const buddy = startBuddy(place, args, { env: { TORTURE_MARKER: marker } });
    // The moment is what this test is about.
    await Promise.race([Bun.sleep(afterMs), buddy.done]);
    const signalledMs = performance.now();
    buddy.signal(signal);
    const ran = await buddy.done;
    expect(performance.now() - signalledMs).toBeLessThan(MOST_MS);
    expect(marked(marker)).toEqual([]);
    codes.set(String(ran.code), (codes.get(String(ran.code)) ?? 0) + 1);
    // Before it listens the signal itself ends it, which a shell counts alike.
    const right: readonly (number | string)[] = [0, code, signal];
    expect(right).toContain(ran.code ?? "none");
    if (format === "json" && typeof ran.code === "number") {
      expect(JSON.parse(ran.stdout).exit_code).toBe(ran.code);
    } else if (ran.code === 0) expect(ran.stdout).toBe("the answer\n");
    else expect(ran.stdout).toBe("");
  });
  console.log(`signals: ${JSON.stringify(Object.fromEntries(codes))}`);
}, 120_000);
