import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { calls, says, shell } from "../fakes/endpoint.ts";
import {
  configFor,
  execAgainst,
  fileAppears,
  newEndpoint,
  newPlace,
  type Place,
  runBuddy,
  startBuddy,
  stillRunning,
} from "./run-buddy.ts";
import { resultsSent } from "./sent-results.ts";

/** Leaves processes behind in every way that a shell knows, says their pids, and stays. */
const ESCAPING = [
  "sleep 301 & echo $! > p1",
  "setsid sh -c 'echo $$ > p2; exec sleep 302' &",
  "(setsid sh -c 'echo $$ > p3; trap \"\" TERM HUP; while :; do sleep 1; done' > /dev/null 2>&1 < /dev/null &)",
  "nohup sleep 303 > /dev/null 2>&1 & echo $! > p4",
  "until [ -s p1 ] && [ -s p2 ] && [ -s p3 ] && [ -s p4 ]; do sleep 0.01; done",
  "cat p1 p2 p3 p4 | tr '\\n' ' ' > pids.new; mv pids.new pids",
].join("\n");

const pidsIn = async (place: Place): Promise<readonly number[]> =>
  (await fileAppears(join(place.cwd, "pids"))).trim().split(" ").map(Number);

/** Settles when none of them runs any more. */
async function gone(pids: readonly number[]): Promise<void> {
  while (stillRunning(pids).length > 0) await Bun.sleep(5);
}

test("a command of buddy exec can name its outputs", async () => {
  const { requests } = await execAgainst(
    [calls(shell("echo a | tee /dev/stderr; echo b > /dev/stdout")), says("done")],
    ["--approve", "all", "go"],
  );
  expect(resultsSent(requests).join()).toContain(String.raw`"exit_code":0,"stdout":"a\nb\n","stderr":"a\n"`);
});

describe.concurrent("what commands of buddy exec leave behind", () => {
  test("nothing after a run that ends", async () => {
    await using endpoint = newEndpoint([calls(shell(ESCAPING)), says("done")]);
    using place = newPlace(configFor(endpoint.url));
    const ran = await runBuddy(place, ["exec", "--approve", "all", "go"]);
    const pids = await pidsIn(place);
    expect([ran.stdout, pids.length, stillRunning(pids)]).toEqual(["done\n", 4, []]);
  }, 20_000);

  test("nothing after a command that takes too long", async () => {
    const seen: (readonly number[])[] = [];
    const { promise: asked, resolve } = Promise.withResolvers<void>();
    await using endpoint = newEndpoint((_request, index) => {
      if (index === 0) return calls(shell(`${ESCAPING}\nsleep 300`, { wait: 1 }));
      resolve();
      return says("done");
    });
    using place = newPlace(configFor(endpoint.url));
    const run = runBuddy(place, ["exec", "--approve", "all", "go"]);
    const pids = await pidsIn(place);
    // When the model hears of it, they are gone, not only when buddy ends.
    void asked.then(() => seen.push(stillRunning(pids)));
    await run;
    expect([pids.length, seen]).toEqual([4, [[]]]);
  }, 20_000);

  test.each(["SIGINT", "SIGTERM", "SIGHUP"] as const)(
    "nothing after %s",
    async (signal) => {
      await using endpoint = newEndpoint([calls(shell(`${ESCAPING}\nsleep 300`)), says("never")]);
      using place = newPlace(configFor(endpoint.url));
      const buddy = startBuddy(place, ["exec", "--approve", "all", "go"]);
      const pids = await pidsIn(place);
      buddy.signal(signal);
      await buddy.done;
      expect([pids.length, stillRunning(pids)]).toEqual([4, []]);
    },
    20_000,
  );

  test("nothing after kill -9 of buddy, itself included", async () => {
    await using endpoint = newEndpoint([calls(shell(`${ESCAPING}\nsleep 300`)), says("never")]);
    using place = newPlace(configFor(endpoint.url));
    const buddy = startBuddy(place, ["exec", "--approve", "all", "go"]);
    const pids = await pidsIn(place);
    const children = childrenOf(buddy.pid);
    expect([stillRunning(pids).length, children.length]).toEqual([4, 2]);
    buddy.signal("SIGKILL");
    await gone([...pids, ...children]);
    await buddy.done;
  }, 20_000);

  test("nothing of commands that ran before one that is killed with buddy", async () => {
    const daemon =
      "setsid sh -c 'echo $$ > pid.new; mv pid.new pids; exec sleep 300' > /dev/null 2>&1 & sleep 0.1";
    await using endpoint = newEndpoint([calls(shell(daemon)), calls(shell("echo > ready; sleep 300"))]);
    using place = newPlace(configFor(endpoint.url));
    const buddy = startBuddy(place, ["exec", "--approve", "all", "go"]);
    const pids = await pidsIn(place);
    await fileAppears(join(place.cwd, "ready"));
    expect(stillRunning(pids)).toEqual(pids);
    buddy.signal("SIGKILL");
    await gone(pids);
    await buddy.done;
  }, 20_000);
});

describe.concurrent("what commands of buddy exec get", () => {
  test("no descriptor but the three, and an empty standard input", async () => {
    const { requests } = await execAgainst(
      [calls(shell("true")), calls(shell("ls /proc/self/fd; cat")), says("done")],
      ["--approve", "all", "go"],
    );
    // The fourth is of ls itself.
    expect(resultsSent(requests)[1]).toContain(String.raw`"stdout":"0\n1\n2\n3\n"`);
  });

  test("a fresh environment: no keys by any name, nothing of Bun, and what the user passes on", async () => {
    const env = {
      PLAIN: "1",
      MY_TOKEN: "t",
      api_key: "t",
      Db_Secret_x: "t",
      BUN_OPTIONS: "",
      BUN_INSTALL: "/x",
      AWS_SECRET_ACCESS_KEY: "passed",
      PROVIDER: "k-0123456789",
    };
    const toml = 'api_key_env = "PROVIDER"\n[tools]\nenv_pass = ["AWS_SECRET_ACCESS_KEY", "BUN_INSTALL"]\n';
    const { requests, code } = await execAgainst(
      [calls(shell("env | cut -d= -f1 | sort | tr '\\n' ' '")), says("done")],
      ["--approve", "all", "go"],
      { env, toml },
    );
    expect(code).toBe(0);
    const names = /"stdout":"([^"]*)"/
      .exec(resultsSent(requests)[0] ?? "")?.[1]
      ?.trim()
      .split(" ");
    expect(names).toEqual(["AWS_SECRET_ACCESS_KEY", "BUDDY_RUN", "HOME", "PATH", "PLAIN", "PWD"]);
  });
});

/** The children of a process that run now. */
function childrenOf(pid: number): readonly number[] {
  const listed = Bun.spawnSync(["ps", "-o", "pid=", "--ppid", String(pid)]).stdout.toString();
  return listed.trim().split(/\s+/).map(Number);
}
