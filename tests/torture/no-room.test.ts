import { describe, expect, test } from "bun:test";
import {
  configFor,
  errorLines,
  newEndpoint,
  newPlace,
  type Ran,
  runBuddy,
  runShell,
} from "../cmd/run-buddy.ts";
import { savedRoles } from "../cmd/session-lines.ts";
import { calls, type Reply, says, saysAndCalls, shell } from "../fakes/endpoint.ts";

const EXEC = '"$BUDDY" exec --approve all hi';
const NOT_SAVED = /^buddy: warning: The session is not saved: Cannot write ".*": the disk is full$/;

/** Runs a line in a small disk of its own; its sessions are in `out` afterwards. */
async function onDisk(options: string, script: readonly Reply[], line = EXEC): Promise<Ran> {
  await using endpoint = newEndpoint(script);
  using place = newPlace({ ...configFor(endpoint.url), "cwd/disk/.keep": "" });
  return await runShell(
    place,
    `unshare -rm sh -c 'mount -t tmpfs -o ${options} none disk && cd disk && ${line}; code=$?; cp -r .buddyx ../out; exit $code' 2>&1 >answer | tee errors >&2; cat answer`,
  );
}

const canMount =
  Bun.spawnSync(["unshare", "-rm", "mount", "-t", "tmpfs", "none", "/mnt"], {
    stdout: "ignore",
    stderr: "ignore",
  }).exitCode === 0;
if (!canMount) console.log("skipped: a disk that is full or cannot be written, for none can be mounted here");

/** Too long for what is left of the last block. */
const TALK = "so I said at some length ".repeat(600);
const fill = calls(shell("cat /dev/zero > fill 2>/dev/null; true"));

describe.concurrent("exec where there is no room", () => {
  test.skipIf(!canMount)(
    "says at once and at the end that the disk is full, answers and leaves whole lines",
    async () => {
      const ran = await onDisk("size=512k", [fill, saysAndCalls(TALK, shell("true")), says("the answer")]);
      expect(ran.stdout).toBe("the answer\n");
      const [first = "", ...others] = errorLines(ran);
      expect(first).toMatch(NOT_SAVED);
      expect(others.at(-1)).toMatch(
        /^buddy: The session was not saved: Cannot write ".*": the disk is full$/,
      );
      expect(savedRoles(ran)).toEqual(["user", "assistant", "approval", "tool"]);
    },
  );

  test.skipIf(!canMount)("loses nothing when the disk was full only for a while", async () => {
    const emptied = saysAndCalls(TALK, shell("rm fill"));
    const ran = await onDisk("size=512k", [
      fill,
      saysAndCalls(TALK, shell("true")),
      emptied,
      says("the answer"),
    ]);
    expect(ran.stdout).toBe("the answer\n");
    expect(errorLines(ran)).toHaveLength(1);
    expect(errorLines(ran)[0]).toMatch(NOT_SAVED);
    const turns = Array.from({ length: 3 }, () => ["assistant", "approval", "tool"]).flat();
    expect(savedRoles(ran)).toEqual(["user", ...turns, "assistant"]);
  });

  test.skipIf(!canMount)("saves in the state directory when the project is read-only", async () => {
    const ran = await onDisk("ro", [says("the answer")]);
    expect(ran.stdout).toBe("the answer\n");
    expect(errorLines(ran)).toHaveLength(1);
    expect(errorLines(ran)[0]).toMatch(
      /^buddy: warning: Cannot write ".*\/disk\/.buddyx\/sessions": .*read-only.*: this session is saved in ".*"$/,
    );
    expect(savedRoles(ran)).toEqual(["user", "assistant"]);
  });

  test("saves in the state directory when a file has the name of the sessions' directory", async () => {
    await using endpoint = newEndpoint([says("the answer")]);
    using place = newPlace({ ...configFor(endpoint.url), "cwd/.buddyx/sessions": "mine" });
    const ran = await runBuddy(place, ["exec", "hi"]);
    expect([ran.code, ran.stdout, ran.files["cwd/.buddyx/sessions"]]).toEqual([0, "the answer\n", "mine"]);
    const [said = "", ...others] = errorLines(ran);
    expect(said).toStartWith(
      `buddy: warning: Cannot write "${place.cwd}/.buddyx/sessions": there is a file in its place: this session is saved in "`,
    );
    expect([others, savedRoles(ran)]).toEqual([[], ["user", "assistant"]]);
  });

  test("answers, and says at once and at the end that nothing is saved, when no place can hold sessions", async () => {
    await using endpoint = newEndpoint([calls(shell("true")), says("the answer")]);
    using place = newPlace({
      ...configFor(endpoint.url),
      "cwd/.buddyx/sessions": "mine",
      "home/.local/state/buddy": "mine",
    });
    const ran = await runBuddy(place, ["exec", "--approve", "all", "hi"]);
    expect([ran.code, ran.stdout]).toEqual([0, "the answer\n"]);
    expect(errorLines(ran).map((line) => line.split(": Cannot write")[0])).toEqual([
      "buddy: warning: This session is not saved",
      "buddy: The session was not saved",
    ]);
  });
});
