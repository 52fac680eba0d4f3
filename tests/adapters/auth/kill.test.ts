import { afterEach, expect, test } from "bun:test";
import { existsSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { authFile } from "../../../adapters/auth/auth-file.ts";
import { childEnv } from "../../../adapters/host/child-env.ts";
import { systemHost } from "../../../adapters/host/host.ts";
import { cleanUp, freshDirectory, modeOf, namesIn, unwrap } from "./login-fixture.ts";

afterEach(cleanUp);

const SCRIPT = join(import.meta.dir, "../../fakes/write-logins.ts");
const KILLS = 60;
const SIDE_BY_SIDE = 12;

const writer = (path: string, ...count: readonly string[]) =>
  Bun.spawn([process.execPath, SCRIPT, path, ...count], {
    env: childEnv(process.env),
    stdout: "pipe",
    stderr: "inherit",
  });

/** Kills a writer once it has written `dots` times. True when that left something beside the file. */
async function killOne(path: string, dots: number): Promise<boolean> {
  const child = writer(path);
  let seen = 0;
  for await (const bytes of child.stdout) {
    seen += bytes.length;
    if (seen >= dots) child.kill("SIGKILL");
  }
  await child.exited;
  return readdirSync(dirname(path)).length > 1;
}

test("authFile() is whole after every kill -9 of a writer, and the next writer cleans up", async () => {
  const chains = Array.from({ length: SIDE_BY_SIDE }, async (_, chain) => {
    const path = join(freshDirectory(), "buddy", "auth.json");
    const file = authFile(systemHost, path);
    let interrupted = 0;
    for (let kill = 0; kill < KILLS / SIDE_BY_SIDE; kill++) {
      if (await killOne(path, 1 + ((chain * 7 + kill * 5) % 11))) interrupted++;
      expect(unwrap(file.read("openai")).login?.access_token).toMatch(/^a{1000,}$/);
      expect(modeOf(path)).toBe("600");
    }
    expect(await writer(path, "1").exited).toBe(0);
    expect(namesIn(dirname(path))).toEqual(["auth.json"]);
    expect(existsSync(`${path}.tmp`)).toBe(false);
    return interrupted;
  });
  const interrupted = (await Promise.all(chains)).reduce((sum, count) => sum + count, 0);
  expect(interrupted).toBeGreaterThan(0);
}, 60_000);
