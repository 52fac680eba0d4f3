import { describe, expect, test } from "bun:test";
import { chmodSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { TEMPLATE } from "../../adapters/config/template.ts";
import { calls, says, shell } from "../fakes/endpoint.ts";
import {
  BUDDY,
  configFor,
  errorLines,
  execAgainst,
  newEndpoint,
  newPlace,
  type Place,
  type RunOptions,
  runBuddy,
  runShell,
} from "./run-buddy.ts";
import { savedRoles } from "./session-lines.ts";

const TOOL_TURN = [calls(shell("echo hi")), says("the answer")];

/** A run that knows its endpoint from the environment alone. */
async function runWithoutConfig(place: Place, options: RunOptions = {}) {
  await using endpoint = newEndpoint(TOOL_TURN);
  const env = { BUDDY_BASE_URL: endpoint.url, BUDDY_MODEL: "m", ...options.env };
  return await runBuddy(place, ["exec", "--approve", "all", "hi"], { ...options, env });
}

const sessionsIn = (files: Readonly<Record<string, string>>): readonly string[] =>
  Object.keys(files)
    .filter((path) => path.endsWith(".jsonl"))
    .map((path) =>
      path.replace(/[a-z0-9]+\/[a-z0-9-]+\.jsonl$/, "HASH/ID").replace(/[a-z0-9-]+\.jsonl$/, "ID"),
    );

describe.concurrent("buddy exec and the home directory", () => {
  test.each([
    ["unset", undefined],
    ["empty", ""],
  ])("exec answers and saves with a home that is %s", async (_what, HOME) => {
    using place = newPlace();
    const ran = await runWithoutConfig(place, { env: { HOME } });
    expect([ran.stdout, ran.code, ran.stderr.includes("warning")]).toEqual(["the answer\n", 0, false]);
    expect(savedRoles(ran)).toEqual(["user", "assistant", "approval", "tool", "assistant"]);
  });

  test("exec answers and saves with a home that is not a directory, and says that it has no configuration", async () => {
    using place = newPlace();
    const ran = await runWithoutConfig(place, { env: { HOME: "/dev/null" } });
    expect([ran.stdout, ran.code]).toEqual(["the answer\n", 0]);
    expect(ran.stderr).toStartWith(
      'buddy: warning: Cannot create the configuration "/dev/null/.config/buddy/buddy.toml": ',
    );
    expect(savedRoles(ran)).toEqual(["user", "assistant", "approval", "tool", "assistant"]);
  });

  test("exec makes the commented configuration of somebody who has none, private, and leaves it alone after", async () => {
    using place = newPlace();
    const first = await runWithoutConfig(place);
    expect([first.stdout, first.code, first.files["home/.config/buddy/buddy.toml"]]).toEqual([
      "the answer\n",
      0,
      TEMPLATE,
    ]);
    const paths = ["buddy.toml", "."].map((name) => join(place.home, ".config/buddy", name));
    expect(paths.map((path) => (statSync(path).mode & 0o777).toString(8))).toEqual(["600", "700"]);
    writeFileSync(join(place.home, ".config/buddy/buddy.toml"), "# mine\n");
    const second = await runWithoutConfig(place);
    expect(second.files["home/.config/buddy/buddy.toml"]).toBe("# mine\n");
  });

  test.each(["--hermetic", "--config=cwd.toml"])("exec %s makes no configuration", async (flag) => {
    await using endpoint = newEndpoint([says("the answer")]);
    using place = newPlace({ "cwd/cwd.toml": "" });
    const env = { BUDDY_BASE_URL: endpoint.url, BUDDY_MODEL: "m" };
    const ran = await runBuddy(place, ["exec", flag, "hi"], { env });
    expect([ran.stdout, ran.code]).toEqual(["the answer\n", 0]);
    expect(Object.keys(ran.files).filter((path) => path.startsWith("home/"))).toEqual([]);
  });

  test("exec works in a home with spaces, quotes and other scripts in its name", async () => {
    await using endpoint = newEndpoint(TOOL_TURN);
    const name = 'home/it\'s a "höme" 漢';
    using place = newPlace({
      [`${name}/.config/buddy/buddy.toml`]: `[models.m]\napi_base_url = "${endpoint.url}"\n`,
    });
    const env = { HOME: join(place.root, name) };
    const ran = await runBuddy(place, ["exec", "--approve", "all", "hi"], { env });
    expect([ran.stdout, ran.code]).toEqual(["the answer\n", 0]);
  });

  test("exec reads the configuration of XDG_CONFIG_HOME", async () => {
    await using endpoint = newEndpoint(TOOL_TURN);
    using place = newPlace({ "home/xdg/buddy/buddy.toml": `[models.m]\napi_base_url = "${endpoint.url}"\n` });
    const env = { XDG_CONFIG_HOME: join(place.home, "xdg") };
    expect((await runBuddy(place, ["exec", "--approve", "all", "hi"], { env })).stdout).toBe("the answer\n");
  });
});

describe.concurrent("buddy exec and the place of sessions", () => {
  test("exec saves in the state directory, and says so, when the project cannot hold sessions", async () => {
    using place = newPlace({ "cwd/.buddyx": "in the way" });
    const ran = await runWithoutConfig(place);
    expect([ran.stdout, ran.code, sessionsIn(ran.files)]).toEqual([
      "the answer\n",
      0,
      ["home/.local/state/buddy/sessions/HASH/ID"],
    ]);
    expect(ran.stderr).toStartWith(`buddy: warning: Cannot write "${place.cwd}/.buddyx/sessions": `);
    expect(savedRoles(ran)).toEqual(["user", "assistant", "approval", "tool", "assistant"]);
  });

  test("exec answers without saving, and says so, when there is no place at all", async () => {
    using place = newPlace({ "cwd/.buddyx": "in the way" });
    const ran = await runWithoutConfig(place, { env: { HOME: undefined } });
    expect([ran.stdout, ran.code, sessionsIn(ran.files)]).toEqual(["the answer\n", 0, []]);
    expect(ran.stderr).toStartWith("buddy: warning: This session is not saved: Cannot write ");
  });

  test("exec saves in the state directory where the configuration says so", async () => {
    const ran = await execAgainst([says("ok")], ["hi"], { toml: '[sessions]\ndir = "user"\n' });
    expect(sessionsIn(ran.files)).toEqual(["home/.local/state/buddy/sessions/HASH/ID"]);
  });

  test("exec eight times at once in one directory saves eight whole sessions", async () => {
    await using endpoint = newEndpoint(({ body }) =>
      says(`answer to ${JSON.stringify(body).match(/prompt-\d/)?.[0]}`),
    );
    using place = newPlace(configFor(endpoint.url));
    const numbers = [0, 1, 2, 3, 4, 5, 6, 7];
    const runs = await Promise.all(numbers.map((number) => runBuddy(place, ["exec", `prompt-${number}`])));
    expect(runs.map(({ stdout }) => stdout)).toEqual(numbers.map((number) => `answer to prompt-${number}\n`));
    const { files } = await runBuddy(place, ["version"]);
    const sessions = Object.entries(files).filter(([path]) => path.endsWith(".jsonl"));
    const prompts = sessions.map(([path, text]) => {
      expect(savedRoles({ files: { [path]: text } })).toEqual(["user", "assistant"]);
      return new Set(text.match(/prompt-\d/g));
    });
    expect(prompts.map((found) => [...found].join()).sort()).toEqual(
      numbers.map((number) => `prompt-${number}`),
    );
  });

  test("exec says at once that a session does not fit on the disk, keeps whole lines and still answers", async () => {
    const long = "a long answer ".repeat(2000);
    await using endpoint = newEndpoint([says(long)]);
    using place = newPlace(configFor(endpoint.url));
    const ran = await runShell(place, `trap '' XFSZ; ulimit -f 8; "$BUDDY" exec hi`);
    expect([ran.stdout, ran.code]).toEqual([`${long}\n`, 0]);
    const lines = errorLines(ran);
    expect(lines[0]).toMatch(/^buddy: warning: The session is not saved: Cannot write "/);
    expect(lines.at(-1)).toMatch(/^buddy: The session was not saved: Cannot write "/);
    expect(savedRoles(ran)).toEqual(["user"]);
  });
});

describe.concurrent("buddy and the directory it works in", () => {
  test.each([
    ["missing", "none", 'Cannot work in "none": no such file or directory'],
    ["a file", "file", '"CWD/file" is not a directory'],
    ["below a file", "file/x", 'Cannot work in "file/x": a part of the path is not a directory'],
  ])("exec -C with a directory that is %s is a usage error", async (_what, dir, said) => {
    await using endpoint = newEndpoint([]);
    using place = newPlace({ ...configFor(endpoint.url), "cwd/file": "" });
    const ran = await runBuddy(place, ["exec", "-C", dir, "hi"]);
    expect([ran.code, ran.stdout, ran.stderr.split("\n")[0]?.replace(place.cwd, "CWD")]).toEqual([
      2,
      "",
      `buddy: ${said}`,
    ]);
    expect(endpoint.requests).toEqual([]);
  });

  test("exec in a directory that was deleted says so in one line, and sends nothing", async () => {
    await using endpoint = newEndpoint([]);
    using place = newPlace(configFor(endpoint.url));
    const ran = await runShell(place, 'mkdir gone; cd gone; rmdir ../gone; "$BUDDY" exec hi');
    // The platform under the executable refuses to start there, in words of its own.
    expect([ran.code === 0, ran.stdout, endpoint.requests]).toEqual([false, "", []]);
    expect(ran.stderr).toMatch(/^.*directory.*\n$/);
  });
});

/** As somebody whom permission bits bind; skipped where that cannot be arranged. */
const asNobody =
  process.getuid?.() === 0 ? ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"] : [];
const canDrop =
  asNobody.length === 0 ||
  Bun.spawnSync([...asNobody, BUDDY, "--version"], { stdout: "ignore", stderr: "ignore" }).success;
if (!canDrop)
  console.log("skipped: this root cannot run the executable as another user, whom permission bits bind");

describe.concurrent("buddy exec and permissions", () => {
  const lines = async (place: Place, url: string) => {
    chmodSync(place.root, 0o755);
    const env = { BUDDY_BASE_URL: url, BUDDY_MODEL: "m" };
    return await runShell(place, `${asNobody.join(" ")} "$BUDDY" exec --approve all hi`, { env });
  };

  test.skipIf(!canDrop)("exec answers in a directory and a home that cannot be written", async () => {
    await using endpoint = newEndpoint(TOOL_TURN);
    using place = newPlace();
    chmodSync(place.cwd, 0o555);
    chmodSync(place.home, 0o555);
    const ran = await lines(place, endpoint.url);
    chmodSync(place.cwd, 0o755);
    chmodSync(place.home, 0o755);
    expect([ran.stdout, ran.code, Object.keys(ran.files)]).toEqual(["the answer\n", 0, []]);
    const [config = "", session = ""] = ran.stderr.split("\n");
    expect(config).toStartWith(
      `buddy: warning: Cannot create the configuration "${place.home}/.config/buddy/buddy.toml": permission denied`,
    );
    expect(session).toStartWith("buddy: warning: This session is not saved: Cannot write ");
    expect(session).toContain("permission denied");
  });

  test.skipIf(!canDrop)("exec falls back to a home that can be written", async () => {
    await using endpoint = newEndpoint(TOOL_TURN);
    using place = newPlace();
    chmodSync(place.cwd, 0o555);
    chmodSync(place.home, 0o777);
    const ran = await lines(place, endpoint.url);
    chmodSync(place.cwd, 0o755);
    expect([ran.stdout, ran.code, sessionsIn(ran.files)]).toEqual([
      "the answer\n",
      0,
      ["home/.local/state/buddy/sessions/HASH/ID"],
    ]);
    expect(ran.stderr).toContain(`/.buddyx/sessions": permission denied: this session is saved in "`);
  });

  test.skipIf(!canDrop)("exec says that a configuration cannot be read", async () => {
    await using endpoint = newEndpoint([]);
    using place = newPlace(configFor(endpoint.url));
    const path = join(place.home, ".config/buddy/buddy.toml");
    chmodSync(path, 0o000);
    const ran = await lines(place, endpoint.url);
    chmodSync(path, 0o644);
    writeFileSync(path, "");
    expect([ran.code, ran.stdout, ran.stderr]).toEqual([
      2,
      "",
      `buddy: Cannot read config "${path}": permission denied\n`,
    ]);
  });
});
