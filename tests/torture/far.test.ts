import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import {
  configFor,
  fileAppears,
  newEndpoint,
  newPlace,
  type Place,
  type Started,
  startBuddy,
} from "../cmd/run-buddy.ts";
import { calls, type Reply, says, shell } from "../fakes/endpoint.ts";
import { type Podman, startPodman } from "../rigs/podman.ts";
import { withPrograms } from "../rigs/programs.ts";
import { childrenOf, type Sshd, startSshd } from "../rigs/sshd.ts";
import { inTurns, newChance } from "./chance.ts";

// The way to another machine is cut at every place, while a command runs there.

let sshd: Sshd;
let podman: Podman;
let count = 0;

/** A command with a child, a grandchild and one that has left its group, all to be found by a number of theirs. */
function family() {
  count += 1;
  const seconds = 1_000_000 + process.pid * 100 + count;
  const command = `sh -c 'sleep ${seconds} & wait' & setsid sleep ${seconds} & sleep ${seconds} & echo up > up.new; mv up.new up; wait`;
  /** Processes of this machine, those in its containers too. */
  const alive = (): readonly string[] =>
    readdirSync("/proc").filter((pid) => {
      try {
        return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/cmdline`, "utf8") === `sleep\0${seconds}\0`;
      } catch {
        return false; // it ended while we were looking
      }
    });
  return { command, alive };
}

/** Waits for something that happens on its own; not for ever. */
async function comesTrue(what: () => boolean): Promise<boolean> {
  const deadline = performance.now() + 8000;
  while (!what() && performance.now() < deadline) await Bun.sleep(20);
  return what();
}

type Scene = {
  readonly buddy: Started;
  readonly alive: () => readonly string[];
  readonly results: () => string;
};

type Where = { readonly flags: readonly string[]; readonly env: Readonly<Record<string, string>> };

/** Starts a run with a family of processes over there, and lets something happen once they are up. */
async function whileRunning(
  where: Where,
  after: readonly Reply[],
  body: (scene: Scene) => Promise<void>,
): Promise<void> {
  const { command, alive } = family();
  await using endpoint = newEndpoint([calls(shell(command)), ...after]);
  using place = newPlace(configFor(endpoint.url));
  const buddy = startIn(place, where);
  await fileAppears(join(place.cwd, "up"));
  expect(await comesTrue(() => alive().length === 3)).toBe(true);
  const results = () => JSON.stringify(endpoint.requests.at(-1)?.body);
  await body({ buddy, alive, results });
  expect(await comesTrue(() => alive().length === 0)).toBe(true);
  expect(await comesTrue(() => isTidy(place))).toBe(true);
}

const LOST = /went away while the command ran: whether it finished is not known, and it was not run again/;

const onHost = ({ address, bin }: Sshd) => ({
  flags: ["--ssh", address],
  env: { PATH: `${bin}:${process.env.PATH ?? ""}` },
});
const onSsh = () => onHost(sshd);
const inContainer = () => ({
  flags: ["--container", "torture"],
  env: { BUDDY_CONTAINER_ENGINE: podman.podman },
});

const killed = (pid: number) => process.kill(pid, "SIGKILL");

/** Interrupts runs at any moment: while they connect, ask, run, or end. */
async function cancelAtRandom(where: Where, times: number): Promise<void> {
  const chance = newChance();
  const momentsMs = Array.from({ length: times }, () => chance.between(0, 800));
  await inTurns(chance, momentsMs, async (momentMs) => {
    const { command, alive } = family();
    await using endpoint = newEndpoint([calls(shell(command)), says("never")]);
    using place = newPlace(configFor(endpoint.url));
    const buddy = startIn(place, where);
    await Bun.sleep(momentMs);
    const startedMs = performance.now();
    buddy.signal("SIGINT");
    // Before it has begun to listen, a signal ends it as it ends any program.
    expect([130, "SIGINT"]).toContain((await buddy.done).code ?? "");
    expect(performance.now() - startedMs).toBeLessThan(5000);
    expect(await comesTrue(() => alive().length === 0)).toBe(true);
    expect(await comesTrue(() => isTidy(place))).toBe(true);
  });
}

function startIn(place: Place, { flags, env }: Where): Started {
  const args = ["exec", "--approve", "all", ...flags, "-C", place.cwd, "hi"];
  return startBuddy(place, args, { env: { ...env, TMPDIR: place.root, XDG_RUNTIME_DIR: undefined } });
}

/** The directory of the connection's socket is gone, with whatever was in it. */
const isTidy = ({ root }: Place): boolean => readdirSync(root).sort().join() === "cwd,home";

/** The ssh processes that a run of buddy started: the connection, and those that use it. */
async function sshOf(
  buddy: Started,
): Promise<{ readonly master: number; readonly clients: readonly number[] }> {
  const pids = (await childrenOf(buddy.pid)).filter((pid) => argumentsOf(pid)[0]?.endsWith("ssh"));
  const master = pids.find((pid) => argumentsOf(pid).includes("-M"));
  if (master === undefined) throw new Error("There is no connection");
  return { master, clients: pids.filter((pid) => pid !== master) };
}

/** The server's side of each connection, without what runs over it. */
const connectionsOf = async (server: Sshd): Promise<readonly number[]> =>
  (await childrenOf(server.pid())).filter((pid) => argumentsOf(pid)[0]?.startsWith("sshd"));

const argumentsOf = (pid: number): readonly string[] =>
  readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0");

withPrograms("a cut SSH connection", ["ssh", "sshd", "ssh-keygen", "ps", "setsid"], () => {
  beforeAll(async () => {
    sshd = await startSshd();
  });

  describe.concurrent("buddy exec --ssh", () => {
    test("kill -9 of buddy leaves nothing on either side", () => {
      return whileRunning(onSsh(), [], async ({ buddy }) => {
        const { master, clients } = await sshOf(buddy);
        buddy.signal("SIGKILL");
        await buddy.done;
        expect(await comesTrue(() => [master, ...clients].every((pid) => !isRunning(pid)))).toBe(true);
      });
    });

    test.each(["SIGINT", "SIGTERM", "SIGHUP"] as const)("%s ends within 3 s", (name) => {
      return whileRunning(onSsh(), [], async ({ buddy, alive }) => {
        const startedMs = performance.now();
        buddy.signal(name);
        expect((await buddy.done).code).toBe(name === "SIGINT" ? 130 : 143);
        expect(performance.now() - startedMs).toBeLessThan(4000);
        expect(alive()).toEqual([]);
      });
    });

    test("kill -9 of the connection: the outcome is unknown, and the next call says that the connection is new", () => {
      const after = [calls(shell("echo again")), says("done")];
      return whileRunning(onSsh(), after, async ({ buddy, results }) => {
        killed((await sshOf(buddy)).master);
        expect((await buddy.done).code).toBe(0);
        expect(results()).toMatch(LOST);
        expect(results()).toMatch(/again\\*n.*was lost; this is a new one/);
      });
    });

    test("kill -9 of the clients of the connection loses no track of what they had started", () => {
      const after = [calls(shell("echo again")), says("done")];
      return whileRunning(onSsh(), after, async ({ buddy, results }) => {
        for (const pid of (await sshOf(buddy)).clients) killed(pid);
        expect((await buddy.done).code).toBe(0);
        expect(results()).toMatch(/again\\*n/);
      });
    });
  });

  test.serial("interrupts at random moments leave nothing there", () => cancelAtRandom(onSsh(), 15), 60_000);

  test.serial(
    "a host that answers no more does not hold a cancel",
    async () => {
      await using own = await startSshd();
      await whileRunning(onHost(own), [], async ({ buddy }) => {
        const connections = await connectionsOf(own);
        for (const pid of connections) process.kill(pid, "SIGSTOP");
        const startedMs = performance.now();
        buddy.signal("SIGINT");
        expect((await buddy.done).code).toBe(130);
        expect(performance.now() - startedMs).toBeLessThan(5000);
        for (const pid of connections) process.kill(pid, "SIGCONT");
      });
    },
    20_000,
  );

  test.serial("a host that is gone: every call says so, and nothing runs here instead", async () => {
    await using own = await startSshd();
    const after = [calls(shell("touch here")), says("done")];
    await whileRunning(onHost(own), after, async ({ buddy, results }) => {
      await own.kill();
      const ran = await buddy.done;
      expect([ran.code, Object.keys(ran.files).includes("cwd/here")]).toEqual([0, false]);
      expect(results()).toMatch(LOST);
      expect(results()).toMatch(/went away and cannot be reached again: Cannot reach .* over SSH: .*refused/);
    });
  });
});

const isRunning = (pid: number): boolean => {
  try {
    return !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch {
    return false; // gone
  }
};

withPrograms("a container that ends", ["podman", "runc", "busybox", "ssh", "sshd", "ssh-keygen"], () => {
  beforeAll(async () => {
    podman = await startPodman();
    await podman.run("plain", "torture");
    await podman.run("plain", "doomed");
    await podman.run("plain", "renamed");
  }, 60_000);

  describe.concurrent("buddy exec --container", () => {
    test("kill -9 of buddy leaves nothing inside", () => {
      return whileRunning(inContainer(), [], async ({ buddy }) => {
        buddy.signal("SIGKILL");
        await buddy.done;
      });
    });

    test("kill -9 of buddy leaves nothing in a container on a host, nor on the host", async () => {
      await using host = await startSshd();
      const { flags, env } = onHost(host);
      const where = { flags: [...flags, ...inContainer().flags], env: { ...env, ...inContainer().env } };
      await whileRunning(where, [], async ({ buddy }) => {
        const there = await childrenOf(host.pid());
        expect(there.length).toBeGreaterThan(0);
        buddy.signal("SIGKILL");
        await buddy.done;
        expect(await comesTrue(() => !there.some(isRunning))).toBe(true);
      });
    });

    test("SIGINT ends within 3 s, inside as well", () => {
      return whileRunning(inContainer(), [], async ({ buddy, alive }) => {
        const startedMs = performance.now();
        buddy.signal("SIGINT");
        expect((await buddy.done).code).toBe(130);
        expect(performance.now() - startedMs).toBeLessThan(4000);
        expect(alive()).toEqual([]);
      });
    });

    test("the name of a container that was given to another one is not followed", () => {
      const where = { ...inContainer(), flags: ["--container", "renamed"] };
      const after = [calls(shell("touch here")), says("done")];
      return whileRunning(where, after, async ({ buddy, results }) => {
        await podman.call("rm", "-f", "-t", "0", "renamed");
        await podman.run("plain", "renamed");
        const ran = await buddy.done;
        expect([ran.code, Object.keys(ran.files).includes("cwd/here")]).toEqual([0, false]);
        expect(results()).toMatch(/cannot be reached again/);
      });
    });

    test("a container that is killed: every call says so, and nothing runs here instead", () => {
      const where = { ...inContainer(), flags: ["--container", "doomed"] };
      const after = [calls(shell("touch here")), says("done")];
      return whileRunning(where, after, async ({ buddy, results }) => {
        await podman.call("kill", "doomed");
        const ran = await buddy.done;
        expect([ran.code, Object.keys(ran.files).includes("cwd/here")]).toEqual([0, false]);
        expect(results()).toMatch(LOST);
        expect(results()).toMatch(/cannot be reached again: Container \W+doomed\W+ does not run any more/);
      });
    });
  });
});

withPrograms("interrupts in a container", ["podman", "runc", "busybox"], () => {
  test.serial(
    "interrupts at random moments leave nothing inside",
    () => cancelAtRandom(inContainer(), 6),
    60_000,
  );
});

afterAll(async () => {
  await podman?.[Symbol.asyncDispose]();
  await sshd?.[Symbol.asyncDispose]();
});
