import { describe, expect, test } from "bun:test";
import {
  configFor,
  errorLines,
  newEndpoint,
  newPlace,
  type Place,
  type Ran,
  runBuddy,
  startBuddy,
} from "../cmd/run-buddy.ts";
import { savedRoles, sessionLines } from "../cmd/session-lines.ts";
import { calls, type ReceivedRequest, type Reply, raw, says, shell } from "../fakes/endpoint.ts";

const RUN = ["exec", "--approve", "all", "--max-iterations", "200"] as const;

/** So many turns for whoever asks, each with the name that the prompt gives: `name-<word>`. */
const turnsFor =
  (count: number) =>
  ({ body }: ReceivedRequest): Reply => {
    const text = JSON.stringify(body);
    const name = text.match(/name-\w+/g)?.at(-1);
    if (name === undefined) return says("who are you?");
    const done = text.match(new RegExp(`echo ${name} \\d+`, "g"))?.length ?? 0;
    return done < count ? calls(shell(`echo ${name} ${done} >> ${name}`)) : says(`${name} is done`);
  };

/** The sessions in a place, each as a run that left only that one. */
const sessionsOf = ({ files }: Ran): readonly Pick<Ran, "files">[] =>
  Object.entries(files)
    .filter(([path]) => path.endsWith(".jsonl"))
    .map(([path, text]) => ({ files: { [path]: text } }));

const namesOf = (session: Pick<Ran, "files">): string =>
  [...new Set(JSON.stringify(sessionLines(session)).match(/name-\w+/g))].join();

const filesAfter = (place: Place): Promise<Ran> => runBuddy(place, ["version"]);

test("exec by eight processes in one directory keeps eight whole sessions apart", async () => {
  await using endpoint = newEndpoint(turnsFor(20));
  using place = newPlace(configFor(endpoint.url));
  const names = ["a", "b", "c", "d", "e", "f", "g", "h"].map((letter) => `name-${letter}`);
  const runs = await Promise.all(names.map((name) => runBuddy(place, [...RUN, `I am ${name}`])));
  expect(runs.map(({ code, stdout }) => [code, stdout])).toEqual(
    names.map((name) => [0, `${name} is done\n`]),
  );
  const sessions = sessionsOf(await filesAfter(place));
  expect(sessions.map(namesOf).sort()).toEqual(names);
  const turns = Array.from({ length: 20 }, () => ["assistant", "approval", "tool"]).flat();
  for (const session of sessions) expect(savedRoles(session)).toEqual(["user", ...turns, "assistant"]);
}, 60_000);

describe("one session and two processes", () => {
  test("the second is refused by the pid of the first, and may fork", async () => {
    const asked = Promise.withResolvers<void>();
    await using endpoint = newEndpoint((request): Reply => {
      const text = JSON.stringify(request.body);
      if (text.includes("name-fork")) return says("the fork goes on");
      if (!text.includes("name-slow")) return says("first");
      asked.resolve();
      return raw([], "stall");
    });
    using place = newPlace(configFor(endpoint.url));
    await runBuddy(place, [...RUN, "I am name-first"]);
    const slow = startBuddy(place, [...RUN, "-c", "I am name-slow"]);
    await asked.promise;

    const second = await runBuddy(place, [...RUN, "-c", "I am name-second"]);
    const [said = "", hint] = errorLines(second);
    expect([second.code, second.stdout, hint]).toEqual([2, "", "hint: give --fork to go on in a copy"]);
    expect(said).toContain(`is held by process ${slow.pid}`);

    const fork = await runBuddy(place, [...RUN, "-c", "--fork", "I am name-fork"]);
    expect([fork.code, fork.stdout]).toEqual([0, "the fork goes on\n"]);
    slow.signal("SIGINT");
    const sessions = sessionsOf(await slow.done);
    expect(sessions.map(namesOf).sort()).toEqual(["name-first,name-slow", "name-first,name-slow,name-fork"]);
  }, 30_000);

  test("forks of one session take a hundred turns each at once, and the original none", async () => {
    await using endpoint = newEndpoint(turnsFor(100));
    using place = newPlace(configFor(endpoint.url));
    const first = await runBuddy(place, [...RUN, "I am nobody"]);
    const original = sessionsOf(first)[0]?.files ?? {};
    const id = sessionLines({ files: original })[0]?.id ?? "";
    const runs = await Promise.all(
      ["name-left", "name-right"].map((name) =>
        runBuddy(place, [...RUN, "--resume", id, "--fork", `I am ${name}`]),
      ),
    );
    expect(runs.map(({ code, stdout }) => [code, stdout])).toEqual([
      [0, "name-left is done\n"],
      [0, "name-right is done\n"],
    ]);
    const after = await filesAfter(place);
    expect(after.files).toMatchObject(original);
    const turns = Array.from({ length: 100 }, () => ["assistant", "approval", "tool"]).flat();
    const forks = sessionsOf(after).filter((session) => sessionLines(session)[0]?.id !== id);
    expect(forks.map(namesOf).sort()).toEqual(["name-left", "name-right"]);
    for (const fork of forks) {
      expect(savedRoles(fork)).toEqual(["user", "assistant", "user", ...turns, "assistant"]);
    }
    for (const name of ["name-left", "name-right"]) {
      expect(after.files[`cwd/${name}`]?.trim().split("\n")).toEqual(
        Array.from({ length: 100 }, (_, number) => `${name} ${number}`),
      );
    }
  }, 60_000);
});
