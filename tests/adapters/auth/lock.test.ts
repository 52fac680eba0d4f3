import { afterEach, describe, expect, test } from "bun:test";
import { existsSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { systemHost } from "../../../adapters/host/host.ts";
import { takeLock, withLock } from "../../../adapters/host/lock.ts";
import { cleanUp, errorOf, freshDirectory, namesIn, unsignalled, unwrap } from "./login-fixture.ts";
import { startChildren } from "./start-children.ts";

afterEach(cleanUp);

const take = (path: string, waitMs = 0) => takeLock(systemHost, path, { waitMs }, unsignalled());
const freshPath = () => join(freshDirectory(), "x.lock");

/** The lock file as its holder wrote it, changed. */
function forge(path: string, change: object): void {
  writeFileSync(path, JSON.stringify({ ...JSON.parse(readFileSync(path, "utf8")), ...change }));
}

async function pidOfTheDead(): Promise<number> {
  const child = Bun.spawn(["true"]);
  await child.exited;
  return child.pid;
}

describe("takeLock()", () => {
  test("is exclusive until released, and leaves nothing behind", async () => {
    const path = freshPath();
    const lock = unwrap(await take(path));
    expect(errorOf(await take(path))).toEqual({
      kind: "busy",
      detail: `"${path}" is held by process ${process.pid}; remove the file if that has ended`,
    });
    lock.release();
    expect(existsSync(path)).toBe(false);
    unwrap(await take(path)).release();
  });

  test("waits for the holder", async () => {
    const path = freshPath();
    const lock = unwrap(await take(path));
    const second = take(path, 10_000);
    lock.release();
    unwrap(await second).release();
  });

  test("replaces a holder that has died", async () => {
    const path = freshPath();
    unwrap(await take(path));
    forge(path, { pid: await pidOfTheDead() });
    unwrap(await take(path)).release();
    expect(existsSync(path)).toBe(false);
  });

  test("replaces a holder whose number is another process's now", async () => {
    const path = freshPath();
    unwrap(await take(path));
    forge(path, { started: "another boot/1" });
    unwrap(await take(path)).release();
  });

  test("replaces a holder that died while replacing another", async () => {
    const path = freshPath();
    unwrap(await take(path));
    forge(path, { pid: await pidOfTheDead() });
    const { nonce } = JSON.parse(readFileSync(path, "utf8"));
    writeFileSync(`${path}.${nonce}`, readFileSync(path, "utf8").replaceAll(nonce, crypto.randomUUID()));
    unwrap(await take(path)).release();
    expect(namesIn(join(path, ".."))).toEqual([]);
  });

  test("leaves a holder of another machine alone", async () => {
    const path = freshPath();
    unwrap(await take(path));
    forge(path, { pid: await pidOfTheDead(), place: "elsewhere" });
    expect(errorOf(await take(path)).detail).toContain("of another machine or container");
  });

  test("takes an unreadable file for a dead holder's once it is old", async () => {
    const path = freshPath();
    writeFileSync(path, "");
    expect(errorOf(await take(path)).detail).toContain("held by an unknown process");
    const aMinuteAgo = new Date(Date.now() - 60_000);
    utimesSync(path, aMinuteAgo, aMinuteAgo);
    unwrap(await take(path)).release();
    expect(namesIn(join(path, ".."))).toEqual([]);
  });

  test("does not remove what another took over", async () => {
    const path = freshPath();
    const lock = unwrap(await take(path));
    forge(path, { nonce: crypto.randomUUID() });
    lock.release();
    expect(existsSync(path)).toBe(true);
  });

  test("stops waiting when aborted", async () => {
    const path = freshPath();
    unwrap(await take(path));
    const abort = new AbortController();
    const waiting = takeLock(systemHost, path, { waitMs: 60_000 }, abort.signal);
    abort.abort(new Error("enough"));
    await expect(waiting).rejects.toThrow("enough");
  });

  test("says so when there is no directory", async () => {
    const path = join(freshDirectory(), "absent", "x.lock");
    expect(errorOf(await take(path))).toEqual({
      kind: "unwritable",
      detail: `Cannot write the lock file "${path}": no such file or directory`,
    });
  });

  test("is held by one of sixteen processes at a time, each killed with it in hand", async () => {
    const path = freshPath();
    unwrap(await take(path));
    forge(path, { pid: await pidOfTheDead() });
    const children = await startChildren(16, "take-lock.ts", [path, `${path}.log`], {});
    await Promise.all(children.map((child) => child.go()));
    expect(readFileSync(`${path}.log`, "utf8")).toBe("alone\n".repeat(16));
    expect(namesIn(join(path, ".."))).toEqual(["x.lock", "x.lock.log"]);
  }, 60_000);
});

test("withLock() releases also when the work fails", async () => {
  const path = freshPath();
  const work = async () => {
    throw new Error("bug");
  };
  await expect(withLock(systemHost, path, { waitMs: 0 }, work, unsignalled())).rejects.toThrow("bug");
  expect(unwrap(await withLock(systemHost, path, { waitMs: 1000 }, async () => 7, unsignalled()))).toBe(7);
  expect(existsSync(path)).toBe(false);
});
