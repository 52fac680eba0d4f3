import { describe, expect, test } from "bun:test";
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { byteMask } from "../../adapters/store/mask-bytes.ts";
import { type SpillFiles, spillFiles } from "../../adapters/store/spill-files.ts";
import { sessionIdOf } from "../../core/id.ts";
import { utf8 } from "../fakes/target.ts";
import { inDirectory, unwrap } from "./in-directory.ts";

const keep = async (files: SpillFiles, id: string, ...texts: readonly string[]) => {
  const file = unwrap(files.spill.create(id, "stdout"));
  for (const text of texts) file.write(utf8(text));
  return { path: file.path, missing: await file.close() };
};

/** As the runtime tells of a session that is open. */
const inSession = (files: SpillFiles, path: string): SpillFiles => {
  void files.sink({
    v: 1,
    seq: 1,
    ts_unix_ms: 0,
    event: {
      family: "session",
      type: "created",
      id: sessionIdOf("s"),
      path,
    },
  });
  return files;
};

describe("spillFiles()", () => {
  test("keeps outputs beside the session, for its owner only", () =>
    inDirectory({}, async (root) => {
      const { path, missing } = await keep(
        inSession(spillFiles([]), join(root, "s.jsonl")),
        "call/../1",
        "a",
        "b",
      );
      expect([dirname(path), missing, readFileSync(path, "utf8")]).toEqual([
        join(root, "s.out"),
        undefined,
        "ab",
      ]);
      expect([statSync(path).mode & 0o777, statSync(dirname(path)).mode & 0o777]).toEqual([0o600, 0o700]);
    }));

  test("gives each output a file of its own", () =>
    inDirectory({}, async (root) => {
      const files = inSession(spillFiles([]), join(root, "s.jsonl"));
      await keep(files, "c", "1");
      await keep(files, "c", "2");
      expect(readdirSync(join(root, "s.out"))).toHaveLength(2);
    }));

  test("keeps outputs of no session until the end of the run", async () => {
    const files = spillFiles([]);
    const { path } = await keep(files, "c", "x");
    expect(readFileSync(path, "utf8")).toBe("x");
    files.close();
    expect([existsSync(path), existsSync(dirname(path))]).toEqual([false, false]);
  });

  test("stops at the limit and says so", () =>
    inDirectory({}, async (root) => {
      const { path, missing } = await keep(
        inSession(spillFiles([], 5), join(root, "s.jsonl")),
        "c",
        "abc",
        "def",
        "g",
      );
      expect([readFileSync(path, "utf8"), missing]).toEqual(["abcde", "it holds the first 5 bytes"]);
    }));

  test("says why there is no file", () =>
    inDirectory({}, async (root) => {
      writeFileSync(join(root, "s.out"), "in the way");
      mkdirSync(join(root, "other"));
      const made = inSession(spillFiles([]), join(root, "s.jsonl")).spill.create("c", "stdout");
      expect(made.ok).toBe(false);
    }));

  test("puts stars over secrets, however the pieces are cut, and nothing else changes", () => {
    const secrets = ["hunter2-hunter2", "short", "a-longer-secret-0123456789"];
    const bytes = utf8(`a hunter2-hunter2 short é a-longer-secret-0123456789hunter2-hunter2 z hunter2-hunte`);
    const masked = `a ${"*".repeat(15)} short é ${"*".repeat(41)} z hunter2-hunte`;
    for (let size = 1; size <= bytes.length; size++) {
      const mask = byteMask(secrets);
      const pieces: Uint8Array[] = [];
      for (let at = 0; at < bytes.length; at += size) pieces.push(mask.add(bytes.subarray(at, at + size)));
      expect(Buffer.concat([...pieces, mask.rest()]).toString()).toBe(masked);
    }
  });
});
