import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { calls, type Reply, says, shell } from "../fakes/endpoint.ts";
import { withPrograms } from "../rigs/programs.ts";
import { childrenOf, type Sshd, startSshd } from "../rigs/sshd.ts";
import { BUDDY, configFor, fileAppears, newEndpoint, newPlace, stillRunning } from "./run-buddy.ts";

// A person at a terminal: ssh asks them, not the model, and Ctrl-C reaches buddy, not the connection.

let sshd: Sshd;

/** buddy on a terminal of its own, with an ssh that knows no host yet. */
async function atTerminal(
  script: readonly Reply[],
  body: (person: {
    readonly sees: (what: RegExp) => Promise<void>;
    readonly types: (text: string) => void;
    readonly ended: Promise<number>;
    readonly pid: number;
    readonly cwd: string;
    readonly sent: () => string;
  }) => Promise<void>,
): Promise<void> {
  await using endpoint = newEndpoint(script);
  using place = newPlace(configFor(endpoint.url));
  const bin = join(place.root, "bin");
  mkdirSync(bin);
  const ssh = `exec ${sshd.bin}/ssh -o UserKnownHostsFile=${join(place.root, "known")} "$@"`;
  writeFileSync(join(bin, "ssh"), `#!/bin/sh\n${ssh}\n`, { mode: 0o755 });
  let screen = "";
  let news = Promise.withResolvers<void>();
  const terminal = new Bun.Terminal({
    cols: 100,
    rows: 30,
    data: (_, bytes) => {
      screen += Buffer.from(bytes).toString();
      news.resolve();
      news = Promise.withResolvers();
    },
  });
  const args = ["exec", "--no-tmux", "--approve", "all", "--ssh", sshd.address, "-C", place.cwd, "hi"];
  const env = {
    HOME: place.home,
    PATH: `${bin}:${process.env.PATH ?? ""}`,
    TERM: "xterm",
    TMPDIR: place.root,
  };
  const child = Bun.spawn(["setsid", "-c", "-w", BUDDY, ...args], { terminal, env });
  const sees = async (what: RegExp): Promise<void> => {
    while (!what.test(screen)) await news.promise;
  };
  try {
    await body({
      sees,
      types: (text) => void terminal.write(text),
      ended: child.exited,
      pid: child.pid,
      cwd: place.cwd,
      sent: () => JSON.stringify(endpoint.requests.map(({ body }) => body)),
    });
  } finally {
    child.kill("SIGKILL");
    terminal.close();
  }
}

withPrograms("buddy exec --ssh on a terminal", ["ssh", "sshd", "ssh-keygen", "setsid", "ps"], () => {
  beforeAll(async () => {
    sshd = await startSshd();
  });
  afterAll(() => sshd[Symbol.asyncDispose]());

  describe.concurrent("buddy exec --ssh on a terminal", () => {
    test("a question about the host key is the user's, and the model hears nothing of it", () =>
      atTerminal([calls(shell("echo over-there")), says("done")], async ({ sees, types, ended, sent }) => {
        await sees(/continue connecting \(yes\/no/);
        types("yes\n");
        expect(await ended).toBe(0);
        expect([sent().includes("over-there"), /yes\/no|fingerprint|authenticity/.test(sent())]).toEqual([
          true,
          false,
        ]);
      }));

    test("Ctrl-C at the question ends everything, and nothing was asked of the model", () =>
      atTerminal([says("never")], async ({ sees, types, ended, pid, sent }) => {
        await sees(/continue connecting \(yes\/no/);
        const started = await childrenOf(pid);
        types("\x03");
        expect([await ended, sent()]).toEqual([130, "[]"]);
        expect(await gone(started)).toEqual([]);
      }));

    test("Ctrl-C while a command runs ends it over there, over the connection that still stands", () =>
      atTerminal([calls(shell("echo $$ > pid.new; mv pid.new pid; sleep 300 & wait"))], async (person) => {
        await person.sees(/continue connecting \(yes\/no/);
        person.types("yes\n");
        const there = Number(await fileAppears(join(person.cwd, "pid")));
        const started = await childrenOf(person.pid);
        person.types("\x03");
        expect(await person.ended).toBe(130);
        expect(stillRunning([there])).toEqual([]);
        expect(await gone(started)).toEqual([]);
      }));
  });
});

/** Those that are still there when they had time to go. */
async function gone(pids: readonly number[]): Promise<readonly string[]> {
  const deadline = performance.now() + 4000;
  while (stillRunning(pids).length > 0 && performance.now() < deadline) await Bun.sleep(20);
  return stillRunning(pids).map((pid) => readFileSync(`/proc/${pid}/cmdline`, "utf8"));
}
