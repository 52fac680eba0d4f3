import { expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { type Spawned, spawnGroup } from "../../adapters/host/spawn.ts";

const place = { cwd: "/", env: { PATH: process.env.PATH ?? "" } };
const start = (script: string): Spawned => spawnGroup(["sh", "-c", script], place, { stdin: "pipe" });
const text = (stream: ReadableStream<Uint8Array>): Promise<string> => new Response(stream).text();

test("spawnGroup() with a piped stdin gives the program what is written, whole, and then its end", async () => {
  const child = start("wc -c");
  const size = 3_000_000;
  await child.stdin?.write("x".repeat(size));
  await child.stdin?.write(new Uint8Array([10]));
  child.stdin?.close();
  expect(Number(await text(child.stdout))).toBe(size + 1);
});

test("spawnGroup() takes what is written to a program that is gone", async () => {
  const child = start("exit 3");
  await child.exited;
  await child.stdin?.write("x".repeat(1_000_000));
  child.stdin?.close();
  expect(await child.exited).toEqual({ code: 3, signal: null });
});

test("spawnGroup() gives no stdin to write to where none was asked for", () => {
  expect(spawnGroup(["true"], place).stdin).toBe(undefined);
});

test("spawnGroup() lets a bound program open its outputs by name, and leaves no descriptor open", async () => {
  const names = "echo out > /dev/stdout; echo a | tee /dev/stderr; echo b > /proc/self/fd/2";
  const open = () => readdirSync("/dev/fd").length;
  const before = open();
  for (let run = 0; run < 20; run++) {
    const child = spawnGroup(["sh", "-c", names], place, { stdin: "empty", family: "bound" });
    expect(await Promise.all([text(child.stdout), text(child.stderr)])).toEqual(["out\na\n", "a\nb\n"]);
    await child.exited;
  }
  expect(open()).toBeLessThan(before + 20);
});
