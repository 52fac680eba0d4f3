import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { calls, type Reply, raw, says, shell, status } from "../fakes/endpoint.ts";
import {
  configFor,
  errorLines,
  fileAppears,
  newEndpoint,
  newPlace,
  type Place,
  startBuddy,
  stillRunning,
  USER_FILE,
} from "./run-buddy.ts";
import { savedRoles, sessionLines } from "./session-lines.ts";

const SIGNALS = [
  ["SIGINT", 130, "buddy: Interrupted"],
  ["SIGTERM", 143, "buddy: Terminated"],
] as const;

/** Says the pids of a shell, its child and its grandchild once all of them run. */
const FAMILY =
  "sh -c 'sleep 300 & echo $! > grandchild; wait' & child=$!; " +
  "until [ -s grandchild ]; do sleep 0.01; done; " +
  'echo "$$ $child $(cat grandchild)" > pids.new; mv pids.new pids; wait';

const familyIn = async (place: Place): Promise<readonly number[]> =>
  (await fileAppears(join(place.cwd, "pids"))).trim().split(" ").map(Number);

describe.concurrent("buddy exec and signals", () => {
  test.each(SIGNALS)(
    "%s while a tool runs ends its whole family and saves the session",
    async (name, code, said) => {
      await using endpoint = newEndpoint([calls(shell(FAMILY)), says("never")]);
      using place = newPlace(configFor(endpoint.url));
      const buddy = startBuddy(place, ["exec", "--approve", "all", "hi"]);
      const pids = await familyIn(place);
      expect(stillRunning(pids)).toEqual(pids);
      const signalledMs = performance.now();
      buddy.signal(name);
      const ran = await buddy.done;
      expect(performance.now() - signalledMs).toBeLessThan(3000);
      expect([ran.code, ran.stdout, errorLines(ran), endpoint.requests.length]).toEqual([
        code,
        "",
        [said],
        1,
      ]);
      expect(stillRunning(pids)).toEqual([]);
      expect(savedRoles(ran)).toEqual(["user", "assistant", "approval", "tool"]);
      expect(JSON.stringify(sessionLines(ran).at(-1))).toContain("Cancelled");
    },
  );

  test.each(SIGNALS)(
    "%s while the model is silent ends at once and saves the session",
    async (name, code, said) => {
      const { received, script } = onceReceived(raw([], "stall"));
      await using endpoint = newEndpoint(script);
      using place = newPlace(configFor(endpoint.url));
      const buddy = startBuddy(place, ["exec", "hi"]);
      await received;
      const signalledMs = performance.now();
      buddy.signal(name);
      const ran = await buddy.done;
      expect(performance.now() - signalledMs).toBeLessThan(1000);
      expect([ran.code, ran.stdout, ran.stderr]).toEqual([code, "", `${said}\n`]);
      expect(savedRoles(ran)).toEqual(["user"]);
    },
  );

  test("SIGINT while it waits for another try ends at once", async () => {
    const { received, script } = onceReceived(status(503, "", { "retry-after": "60" }));
    await using endpoint = newEndpoint(script);
    using place = newPlace({ [USER_FILE]: `[models.mock]\napi_base_url = "${endpoint.url}"\n` });
    const buddy = startBuddy(place, ["exec", "hi"]);
    await received;
    const signalledMs = performance.now();
    buddy.signal("SIGINT");
    const ran = await buddy.done;
    expect(performance.now() - signalledMs).toBeLessThan(1000);
    expect([ran.code, errorLines(ran).at(-1), endpoint.requests.length]).toEqual([
      130,
      "buddy: Interrupted",
      1,
    ]);
  });

  test("SIGHUP ends it like SIGTERM", async () => {
    const { received, script } = onceReceived(raw([], "stall"));
    await using endpoint = newEndpoint(script);
    using place = newPlace(configFor(endpoint.url));
    const buddy = startBuddy(place, ["exec", "hi"]);
    await received;
    buddy.signal("SIGHUP");
    expect((await buddy.done).code).toBe(143);
  });

  test("a second SIGINT ends it at once, and with it a tool that clings to life", async () => {
    const stubborn =
      "trap '' TERM INT; sh -c 'trap \"\" TERM; while :; do sleep 1; done' & echo $$ $! > pids.new; mv pids.new pids; wait; while :; do sleep 1; done";
    await using endpoint = newEndpoint([calls(shell(stubborn))]);
    using place = newPlace(configFor(endpoint.url));
    const buddy = startBuddy(place, ["exec", "--approve", "all", "hi"]);
    const pids = await familyIn(place);
    buddy.signal("SIGINT");
    const secondMs = performance.now();
    const again = setInterval(() => buddy.signal("SIGINT"), 100);
    const ran = await buddy.done;
    clearInterval(again);
    expect(ran.code).toBe(130);
    expect(performance.now() - secondMs).toBeLessThan(1000);
    await untilGone(pids);
  });

  test("a background child that a command left ends with buddy", async () => {
    const leaves = "sleep 300 >/dev/null 2>&1 & echo $! > pid";
    await using endpoint = newEndpoint([calls(shell(leaves)), says("done")]);
    using place = newPlace(configFor(endpoint.url));
    const ran = await startBuddy(place, ["exec", "--approve", "all", "hi"]).done;
    expect([ran.stdout, ran.code]).toEqual(["done\n", 0]);
    expect(stillRunning([Number(ran.files["cwd/pid"])])).toEqual([]);
  });
});

/** SIGKILL takes effect when the kernel comes to it, not when it is sent. */
async function untilGone(pids: readonly number[]): Promise<void> {
  const deadlineMs = performance.now() + 2000;
  while (stillRunning(pids).length > 0 && performance.now() < deadlineMs) await Bun.sleep(1);
  expect(stillRunning(pids)).toEqual([]);
}

/** A script of one reply, and a promise that settles when it has been asked for. */
function onceReceived(reply: Reply) {
  const { promise, resolve } = Promise.withResolvers<void>();
  const script = (): Reply => {
    resolve();
    return reply;
  };
  return { received: promise, script };
}
