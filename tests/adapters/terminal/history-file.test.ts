import { describe, expect, test } from "bun:test";
import { mkdtempSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemHost } from "../../../adapters/host/host.ts";
import { MAX_ENTRIES } from "../../../adapters/terminal/history.ts";
import { historyFile } from "../../../adapters/terminal/history-file.ts";

const open = (path: string) => historyFile(systemHost, path, (text) => text.replaceAll("hush", "***"));
const place = () => join(mkdtempSync(join(tmpdir(), "buddy-history-")), "deep", "history.jsonl");
const { signal } = new AbortController();

describe("historyFile()", () => {
  test("keeps prompts of several lines, masked, for its user only", () => {
    const path = place();
    open(path).add("one\ntwo hush");
    expect(open(path).read()).toEqual(["one\ntwo ***"]);
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  test("several writers do not mix their lines", async () => {
    const path = place();
    const program = `const { historyFile } = await import(${JSON.stringify(join(import.meta.dir, "../../../adapters/terminal/history-file.ts"))});
      const { systemHost } = await import(${JSON.stringify(join(import.meta.dir, "../../../adapters/host/host.ts"))});
      const file = historyFile(systemHost, ${JSON.stringify(path)}, (text) => text);
      for (let index = 0; index < 200; index++) file.add(process.argv.at(-1) + "-" + index + "x".repeat(500));
      await file.trim(new AbortController().signal);`;
    const writers = ["a", "b", "c", "d"].map(
      (name) => Bun.spawn([process.execPath, "-e", program, name]).exited,
    );
    expect(await Promise.all(writers)).toEqual([0, 0, 0, 0]);
    const entries = open(path).read();
    expect(entries.length).toBe(800);
    for (const name of ["a", "b", "c", "d"]) {
      const own = entries
        .filter((entry) => entry.startsWith(`${name}-`))
        .map((entry) => Number.parseInt(entry.slice(2), 10));
      expect(own).toEqual(Array.from({ length: 200 }, (_, index) => index));
    }
  });

  test("trim() keeps the last thousand; what is no prompt is passed over", async () => {
    const path = place();
    open(path).add("first");
    const lines = Array.from({ length: 1500 }, (_, index) => JSON.stringify(`p${index}`));
    writeFileSync(path, `${lines.join("\n")}\n{"not": "text"}\n"torn`);
    await open(path).trim(signal);
    expect(readFileSync(path, "utf8").split("\n").length - 1).toBe(MAX_ENTRIES);
    expect(open(path).read().at(-1)).toBe("p1499");
  });

  test("without a place nothing is kept and nothing fails", async () => {
    const file = historyFile(systemHost, undefined, (text) => text);
    file.add("x");
    await file.trim(signal);
    expect(file.read()).toEqual([]);
    open("/proc/nowhere/history").add("x");
  });
});
