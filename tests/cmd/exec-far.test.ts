import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { calls, says, shell } from "../fakes/endpoint.ts";
import { type Podman, startPodman } from "../rigs/podman.ts";
import { withPrograms } from "../rigs/programs.ts";
import { type Sshd, startSshd } from "../rigs/sshd.ts";
import { configFor, errorLines, newEndpoint, newPlace, type Place, runBuddy } from "./run-buddy.ts";

let sshd: Sshd;
let podman: Podman;

const path = () => `${sshd.bin}:${process.env.PATH ?? ""}`;

/** One run with everything approved; the results of the calls are in the last request. */
async function exec(
  script: Parameters<typeof newEndpoint>[0],
  flags: (place: Place) => readonly string[],
  env: (place: Place) => Readonly<Record<string, string>> = () => ({ PATH: path() }),
) {
  await using endpoint = newEndpoint(script);
  using place = newPlace(configFor(endpoint.url));
  const args = ["exec", "--approve", "all", ...flags(place), "hi"];
  const ran = await runBuddy(place, args, {
    env: { XDG_RUNTIME_DIR: undefined, TMPDIR: place.root, ...env(place) },
  });
  return { ...ran, place, requests: endpoint.requests, left: readdirSync(place.root).sort() };
}

const lastBody = (requests: readonly { readonly body: unknown }[]): string =>
  JSON.stringify(requests.at(-1)?.body).replace(/\\+(["n])/g, (_, letter) =>
    letter === "n" ? "\n" : letter,
  );

withPrograms("buddy exec on an SSH host", ["ssh", "sshd", "ssh-keygen"], () => {
  beforeAll(async () => {
    sshd = await startSshd();
  });

  describe.concurrent("buddy exec --ssh", () => {
    test("runs commands there, names the target to the model, and leaves no connection behind", async () => {
      const command = 'echo "$SSH_CONNECTION" | cut -d" " -f3,4; pwd';
      const ran = await exec([calls(shell(command)), says("done")], ({ cwd }) => [
        "--ssh",
        sshd.address,
        "-C",
        cwd,
      ]);
      expect([ran.code, ran.stdout, ran.left]).toEqual([0, "done\n", ["cwd", "home"]]);
      expect(lastBody(ran.requests)).toContain(`127.0.0.1 ${sshd.port}\n${ran.place.cwd}`);
      expect(lastBody(ran.requests)).toContain(
        `You work on ssh ${sshd.address}. Working directory: ${ran.place.cwd}`,
      );
    });

    test("takes a Host of ssh_config and begins where one arrives", async () => {
      const ran = await exec([calls(shell("pwd -P; echo $HOME")), says("done")], () => ["--ssh", "rig"]);
      expect(ran.code).toBe(0);
      expect(lastBody(ran.requests)).toContain("You work on ssh rig.");
    });

    test.each([
      [
        "nobody listens",
        ["--ssh", "127.0.0.1:1"],
        8,
        /^buddy: Cannot reach 127\.0\.0\.1:1 over SSH: .*refused/,
      ],
      [
        "an option is no host",
        ["--ssh=-oProxyCommand=touch x"],
        2,
        /^buddy: --ssh "-oProxyCommand=touch x": a name cannot begin with a dash$/,
      ],
      ["nor is a command", ["--ssh", "a$(touch x)"], 2, /a name has a character that no host or user has$/],
    ])("%s: nothing is asked of the model, and nothing runs here", async (_, flags, code, said) => {
      const ran = await exec([says("never")], () => flags);
      expect([ran.code, ran.stdout, ran.requests.length]).toEqual([code, "", 0]);
      expect(errorLines(ran)[0]).toMatch(said);
      expect(ran.files).not.toHaveProperty(["cwd/x"]);
    });

    test("a directory that is not there is said before anything is asked", async () => {
      const ran = await exec([says("never")], () => ["--ssh", sshd.address, "-C", "/no/such/place"]);
      expect([ran.code, errorLines(ran), ran.requests.length, ran.left]).toEqual([
        2,
        [`buddy: Cannot work in "/no/such/place" on ssh ${sshd.address}: no such directory`],
        0,
        ["cwd", "home"],
      ]);
    });

    test("a host key that nobody knows is not accepted where nobody can be asked", async () => {
      const strange = join(sshd.root, "strange");
      writeFileSync(strange, "");
      const ran = await exec(
        [says("never")],
        () => ["--ssh", sshd.address],
        ({ root }) => {
          const ssh = join(root, "ssh");
          writeFileSync(ssh, `#!/bin/sh\nexec ${sshd.bin}/ssh -o UserKnownHostsFile=${strange} "$@"\n`, {
            mode: 0o755,
          });
          return { PATH: `${root}:${process.env.PATH ?? ""}` };
        },
      );
      expect([ran.code, ran.requests.length, readFileSync(strange, "utf8")]).toEqual([8, 0, ""]);
      expect(errorLines(ran).join("\n")).toMatch(
        /Host key verification failed.*\nhint: connect once with: ssh/,
      );
    });

    test("the whole of an output that was cut is kept there", async () => {
      const ran = await exec([calls(shell("seq 100000")), says("done")], () => ["--ssh", sshd.address]);
      const [, path = ""] =
        /All of stdout \(588895 bytes\) is in "([^"]+)"/.exec(lastBody(ran.requests)) ?? [];
      expect(path.startsWith(`${sshd.root}/buddy-`)).toBe(true);
      expect(statSync(path).mode & 0o777).toBe(0o600);
      expect(Bun.hash(readFileSync(path))).toBe(
        Bun.hash(Array.from({ length: 100_000 }, (_, n) => `${n + 1}\n`).join("")),
      );
      expect(ran.left).toEqual(["cwd", "home"]);
    });

    test("files are read, written and edited there", async () => {
      const write = {
        name: "write_file",
        arguments: {
          path: "new/a.txt",
          content: 'it\'s "$HOME"\nÁあ\n',
          risk: "low",
          mutation: true,
          privesc: false,
          why: "t",
        },
      };
      const edit = {
        name: "edit_file",
        arguments: {
          path: "new/a.txt",
          edits: [{ search: "it's", replace: "that's" }],
          risk: "low",
          mutation: true,
          privesc: false,
          why: "t",
        },
      };
      const read = { name: "read_file", arguments: { path: "new/a.txt" } };
      const ran = await exec([calls(write), calls(edit), calls(read), says("done")], ({ cwd }) => [
        "--ssh",
        sshd.address,
        "-C",
        cwd,
      ]);
      expect(ran.code).toBe(0);
      expect(ran.files["cwd/new/a.txt"]).toBe('that\'s "$HOME"\nÁあ\n');
      expect(lastBody(ran.requests)).toContain("that's");
    });
  });
});

withPrograms("buddy exec in a container", ["podman", "runc", "busybox"], () => {
  beforeAll(async () => {
    podman = await startPodman();
    await podman.run("plain", "box");
    await podman.run("bare", "bare");
  }, 60_000);

  describe.concurrent("buddy exec --container", () => {
    const engine = () => ({ BUDDY_CONTAINER_ENGINE: podman.podman });

    test("runs commands inside and finds files there", async () => {
      const read = { name: "read_file", arguments: { path: "/data/only-here" } };
      const make = shell("mkdir /data; echo inside > /data/only-here; cat /proc/1/cmdline | tr '\\000' ' '");
      const ran = await exec([calls(make), calls(read), says("done")], () => ["--container", "box"], engine);
      expect([ran.code, ran.stdout, existsSync("/data/only-here")]).toEqual([0, "done\n", false]);
      expect(lastBody(ran.requests)).toContain("busybox sleep 100000");
      expect(lastBody(ran.requests)).toContain('"content":"inside');
      expect(lastBody(ran.requests)).toContain("You work on container box. Working directory: /.");
    });

    test("a container that is not there is answered with those that run", async () => {
      const ran = await exec([says("never")], () => ["--container", "nope"], engine);
      expect([ran.code, errorLines(ran), ran.requests.length]).toEqual([
        8,
        [
          'buddy: There is no container "nope"; running: box, bare',
          "hint: give --container one of the running ones",
        ],
        0,
      ]);
    });

    test("an image without a shell is told as such", async () => {
      const ran = await exec([says("never")], () => ["--container", "bare"], engine);
      expect([ran.code, errorLines(ran)[0]]).toEqual([
        8,
        'buddy: Container "bare" has no sh: buddy cannot work in it',
      ]);
    });

    test.each([
      ["docker is used", 'exec podman-of-the-rig "$@"', "exit 1"],
      [
        "podman is used where docker has no daemon",
        "echo Cannot connect to the Docker daemon >&2; exit 1",
        undefined,
      ],
    ])("%s", async (_, docker, other) => {
      const ran = await exec(
        [calls(shell("echo inside")), says("done")],
        () => ["--container", "box"],
        ({ home }) => {
          const script = (line: string) => `#!/bin/sh\n${line.replace("podman-of-the-rig", podman.podman)}\n`;
          writeFileSync(join(home, "docker"), script(docker), { mode: 0o755 });
          writeFileSync(join(home, "podman"), script(other ?? 'exec podman-of-the-rig "$@"'), {
            mode: 0o755,
          });
          return { PATH: `${home}:${process.env.PATH ?? ""}` };
        },
      );
      expect([ran.code, lastBody(ran.requests).includes("inside\n")]).toEqual([0, true]);
    });

    test("--tmux where there is no tmux is an error that says where", async () => {
      const ran = await exec([says("never")], () => ["--tmux=x", "--container", "box"], engine);
      expect([ran.code, ran.requests.length, errorLines(ran)]).toEqual([
        8,
        0,
        ["buddy: tmux is not installed (container box)", "hint: install tmux, or leave --tmux out"],
      ]);
    });

    test("an engine that is not there is named", async () => {
      const ran = await exec(
        [says("never")],
        () => ["--container", "box"],
        () => ({ BUDDY_CONTAINER_ENGINE: "/no/engine" }),
      );
      expect([ran.code, errorLines(ran).join("\n")]).toEqual([
        8,
        expect.stringContaining("Cannot use containers: /no/engine"),
      ]);
    });
  });
});

afterAll(async () => {
  await podman?.[Symbol.asyncDispose]();
  await sshd?.[Symbol.asyncDispose]();
});
