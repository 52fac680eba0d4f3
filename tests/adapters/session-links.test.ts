import { describe, expect, test } from "bun:test";
import { mkdirSync, readdirSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { sessionFiles } from "../../adapters/store/session-files.ts";
import { headerOf } from "../contracts/store.contract.ts";
import { inDirectory } from "./in-directory.ts";

// A project is somebody else's text, its links included: none of them may lead what is saved to another place.

const filesBelow = (root: string): readonly string[] =>
  readdirSync(root, { recursive: true, encoding: "utf8" }).sort();

/** Saves a session in a project, and says where it lies and what the link's target looks like afterwards. */
async function saveIn(root: string, stateDir: string | undefined) {
  const cwd = join(root, "cwd");
  const created = await sessionFiles({ cwd, stateDir, prefer: "project" }).create(headerOf("s1", cwd));
  if (created.ok) await created.value.log.close();
  const path = created.ok ? created.value.log.path.replace(`${root}/`, "") : "";
  return {
    path: path.replace(/sessions\/[a-z0-9]+\/s1/, "sessions/HASH/s1"),
    notice: created.ok ? (created.value.notice ?? "") : "",
    failure: created.ok ? "" : created.error.kind,
    outside: filesBelow(join(root, "outside")),
  };
}

const inProject = (prepare: (root: string) => void, body: (root: string) => Promise<void>) =>
  inDirectory({ "cwd/file": "", "outside/precious": "mine" }, async (root) => {
    prepare(root);
    await body(root);
  });

const LINKED_PLACES = [
  ["a link to a directory as .buddyx", ".buddyx", "outside"],
  ["a link to nothing as .buddyx", ".buddyx", "outside/none"],
  ["a link to a directory as .agentx", ".agentx", "outside"],
  ["a link to a directory as .buddyx/sessions", ".buddyx/sessions", "outside"],
  ["a link to nothing as .buddyx/sessions", ".buddyx/sessions", "outside/none"],
] as const;

describe("sessionFiles() in a project with links", () => {
  test.each(LINKED_PLACES)(
    "create() saves in the state directory with %s, and says why",
    (_what, name, target) =>
      inProject(
        (root) => {
          mkdirSync(join(root, "cwd", name, ".."), { recursive: true });
          symlinkSync(join(root, target), join(root, "cwd", name));
        },
        async (root) => {
          const saved = await saveIn(root, join(root, "state"));
          expect({ ...saved, notice: saved.notice.includes(join(root, "cwd", name)) }).toEqual({
            path: "state/sessions/HASH/s1.jsonl",
            notice: true,
            failure: "",
            outside: ["precious"],
          });
        },
      ),
  );

  test.each(LINKED_PLACES)("create() saves nowhere with %s and no state directory", (_what, name, target) =>
    inProject(
      (root) => {
        mkdirSync(join(root, "cwd", name, ".."), { recursive: true });
        symlinkSync(join(root, target), join(root, "cwd", name));
      },
      async (root) => {
        expect(await saveIn(root, undefined)).toEqual({
          path: "",
          notice: "",
          failure: "unwritable",
          outside: ["precious"],
        });
      },
    ),
  );

  test.each(["outside/none", "outside/precious"])(
    "create() writes nothing through a .gitignore that leads to %s",
    (target) =>
      inProject(
        (root) => {
          mkdirSync(join(root, "cwd/.buddyx"));
          symlinkSync(join(root, target), join(root, "cwd/.buddyx/.gitignore"));
        },
        async (root) => {
          const saved = await saveIn(root, join(root, "state"));
          expect([saved.failure, saved.outside]).toEqual(["", ["precious"]]);
          expect(readFileSync(join(root, "outside/precious"), "utf8")).toBe("mine");
        },
      ),
  );

  test("create() follows a link that the user made: a project reached by another name", () =>
    inProject(
      (root) => {
        symlinkSync(join(root, "cwd"), join(root, "link"));
      },
      async (root) => {
        const cwd = join(root, "link");
        const created = await sessionFiles({ cwd, stateDir: undefined, prefer: "project" }).create(
          headerOf("s1", cwd),
        );
        if (!created.ok) throw new Error(created.error.detail);
        await created.value.log.close();
        expect(filesBelow(join(root, "cwd/.buddyx/sessions"))).toContain("s1.jsonl");
      },
    ));
});
