import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { calls, says, shell } from "../fakes/endpoint.ts";
import {
  BUDDY,
  configFor,
  errorLines,
  fileAppears,
  newEndpoint,
  newPlace,
  runBuddy,
  runShell,
  startBuddy,
  stillRunning,
} from "./run-buddy.ts";
import { resultsSent } from "./sent-results.ts";

const SANDBOX = '[tools]\nsandbox = "workspace"\n';
const works =
  Bun.which("bwrap") !== null &&
  Bun.spawnSync(["bwrap", "--ro-bind", "/", "/", "--unshare-pid", "--unshare-net", "true"]).exitCode === 0;

/** What each script says, or how it failed. They are scripts because the rules for commands would refuse the words. */
async function inSandbox(scripts: readonly string[], toml = SANDBOX) {
  const run = scripts.map((_text, index) => calls(shell(`sh script${index}`)));
  await using endpoint = newEndpoint([...run, says("done")]);
  using place = newPlace({
    ...configFor(endpoint.url, toml),
    "home/.ssh/id_x": "the private key",
    "home/.netrc": "the password",
    "home/notes": "a note",
    "cwd/.git/hooks/pre-commit": "theirs",
    "cwd/.git/config": "theirs",
    "outside/x": "kept",
    ...Object.fromEntries(scripts.map((text, index) => [`cwd/script${index}`, text])),
  });
  const env = { TMPDIR: join(place.root, "tmp"), MY_MARK: "in the environment" };
  Bun.spawnSync(["mkdir", env.TMPDIR]);
  const ran = await runBuddy(place, ["exec", "--approve", "all", "go"], { env });
  const results = resultsSent(endpoint.requests).map((told) => JSON.parse(told).result);
  return { ran, results };
}

describe.skipIf(!works)("commands of buddy exec in a sandbox", () => {
  test("write in the working and the temporary directory and nowhere else", async () => {
    const { ran, results } = await inSandbox([
      'echo mine > made; echo mine > "$TMPDIR/made"; cat made "$TMPDIR/made"',
      "echo bad > ../outside/x",
      'echo bad > "$HOME/new"',
      "echo bad > /usr/bad",
      "echo bad > .git/hooks/pre-commit",
      "echo bad >> .git/config",
      "rm -rf ../outside/x; mount -o remount,rw / 2>&1; echo bad > ../outside/x",
    ]);
    expect(results[0]).toMatchObject({ exit_code: 0, stdout: "mine\nmine\n" });
    expect(results.slice(1).map(({ exit_code }) => exit_code > 0)).toEqual(Array(6).fill(true));
    expect([
      ran.files["outside/x"],
      ran.files["cwd/.git/hooks/pre-commit"],
      ran.files["cwd/.git/config"],
    ]).toEqual(["kept", "theirs", "theirs"]);
  });

  test("see files, but no secrets and no processes of others", async () => {
    const { results } = await inSandbox([
      'cat "$HOME/notes"; echo "$MY_MARK"',
      'cat "$HOME/.ssh/id_x" "$HOME/.netrc" "$HOME/.config/buddy/buddy.toml"',
      "ls -d /proc/[0-9]* | wc -l",
    ]);
    expect(results[0].stdout).toBe("a notein the environment\n");
    expect(results[1]).toMatchObject({ exit_code: 1, stdout: "" });
    expect(Number(results[2].stdout)).toBeLessThan(10);
  });

  test("have no network unless it is allowed", async () => {
    await using listener = newEndpoint([says("seen"), says("seen")]);
    const { port } = new URL(listener.url);
    const connect = `bash -c 'exec 3<>/dev/tcp/127.0.0.1/${port} && echo connected'`;
    expect((await inSandbox([connect])).results[0].stdout).toBe("");
    const open = await inSandbox([connect], `${SANDBOX}sandbox_network = true\n`);
    expect(open.results[0].stdout).toBe("connected\n");
  });

  test("leave nothing behind, also when buddy is killed", async () => {
    const stays = "setsid sleep 301 & sleep 302 & echo x > ready; wait";
    await using endpoint = newEndpoint([calls(shell(stays)), says("never")]);
    using place = newPlace(configFor(endpoint.url, SANDBOX));
    const buddy = startBuddy(place, ["exec", "--approve", "all", "go"]);
    await fileAppears(join(place.cwd, "ready"));
    const family = familyOf(buddy.pid);
    expect(family.length).toBeGreaterThan(3);
    buddy.signal("SIGKILL");
    await buddy.done;
    while (stillRunning(family).length > 0) await Bun.sleep(5);
  });

  test("do not run at all where there is none", async () => {
    await using endpoint = newEndpoint([says("never")]);
    using place = newPlace(configFor(endpoint.url, SANDBOX));
    // As if the machine had none that works.
    const line = `bwrap --bind / / --dev-bind /dev /dev --ro-bind /dev/null "$(command -v bwrap)" '${BUDDY}' exec go`;
    const ran = await runShell(place, line);
    expect([ran.code, ran.stdout, endpoint.requests.length]).toEqual([2, "", 0]);
    expect(errorLines(ran)).toEqual([
      expect.stringMatching(/^buddy: Cannot run commands in a sandbox \(tools\.sandbox\): .*bwrap/),
      'hint: install it, or set tools.sandbox = "off" to run commands without walls',
    ]);
  });
});

if (!works) console.warn("exec-sandbox: skipped, bubblewrap is not there or may not work");

/** All descendants of a process. */
function familyOf(pid: number): readonly number[] {
  const listed = Bun.spawnSync(["ps", "-o", "pid=", "--ppid", String(pid)]).stdout.toString();
  const children = listed.split(/\s+/).filter(Boolean).map(Number);
  return [...children, ...children.flatMap(familyOf)];
}
