import { describe, expect, test } from "bun:test";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { diffTexts } from "../../core/diff.ts";

describe("diffTexts()", () => {
  test.each([
    ["nothing", "a\nb\n", "a\nb\n", "", 0, 0],
    ["a new file", "", "a\nb\n", "@@ -0,0 +1,2 @@\n+a\n+b\n", 2, 0],
    ["a file that is emptied", "a\n", "", "@@ -1 +0,0 @@\n-a\n", 0, 1],
    ["a changed line", "a\nb\nc\n", "a\nB\nc\n", "@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n", 1, 1],
    [
      "a missing last newline",
      "a\nb\n",
      "a\nb",
      "@@ -1,2 +1,2 @@\n a\n-b\n+b\n\\ No newline at end of file\n",
      1,
      1,
    ],
    ["line endings", "a\r\n", "a\n", "@@ -1 +1 @@\n-a\r\n+a\n", 1, 1],
  ])("shows %s", (_what, before, after, text, added, removed) => {
    expect(diffTexts(before, after)).toEqual({ text, added, removed });
  });

  test("shows distant changes apart, with three lines around each", () => {
    const lines = Array.from({ length: 30 }, (_, index) => `line ${index + 1}\n`);
    const after = lines.map((line, index) => (index === 4 || index === 24 ? "changed\n" : line)).join("");
    const { text } = diffTexts(lines.join(""), after);
    expect(text.match(/^@@.*@@$/gm)).toEqual(["@@ -2,7 +2,7 @@", "@@ -22,7 +22,7 @@"]);
  });

  const line = fc.constantFrom("a", "b", "c", "", "x y");
  const text = fc
    .tuple(fc.array(line, { maxLength: 25 }), fc.boolean())
    .map(([lines, ends]) => lines.join("\n") + (ends && lines.length > 0 ? "\n" : ""));

  test("is what patch makes the new text of", () => {
    const dir = mkdtempSync(join(tmpdir(), "buddy-diff-"));
    try {
      fc.assert(
        fc.property(text, text, (before, after) => {
          const { text: diff } = diffTexts(before, after);
          expect(diff === "").toBe(before === after);
          if (diff !== "") expect(patched(dir, before, diff)).toBe(after);
        }),
        { numRuns: 60 },
      );
    } finally {
      rmSync(dir, { recursive: true, force: true });
    }
  });

  test("counts what it shows, and is the shortest for short texts", () => {
    fc.assert(
      fc.property(text, text, (before, after) => {
        const { text: diff, added, removed } = diffTexts(before, after);
        const body = diff.split("\n");
        expect(body.filter((one) => one.startsWith("+")).length).toBe(added);
        expect(body.filter((one) => one.startsWith("-")).length).toBe(removed);
        const kept = lengthOfCommon(lines(before), lines(after));
        expect([added, removed]).toEqual([lines(after).length - kept, lines(before).length - kept]);
      }),
      { numRuns: 300 },
    );
  });

  test("takes little time for two texts of 10 MB that have nothing in common", () => {
    const before = "0123456789abcde\n".repeat(655_360);
    const after = "0123456789ABCDE\n".repeat(655_360);
    const startedMs = performance.now();
    expect(diffTexts(before, after)).toMatchObject({ added: 655_360, removed: 655_360 });
    expect(diffTexts(before, `${before}x\n`)).toMatchObject({ added: 1, removed: 0 });
    expect(performance.now() - startedMs).toBeLessThan(3000);
  });

  test("takes little time for many scattered changes", () => {
    const before = Array.from({ length: 9000 }, (_, index) => `${index}\n`).join("");
    const after = Array.from({ length: 9000 }, (_, index) => `${index % 2 ? index : -index}\n`).join("");
    const startedMs = performance.now();
    diffTexts(before, after);
    expect(performance.now() - startedMs).toBeLessThan(1500);
  });
});

const lines = (text: string): readonly string[] => text.match(/[^\n]*\n|[^\n]+$/g) ?? [];

function lengthOfCommon(a: readonly string[], b: readonly string[]): number {
  let row = new Array<number>(b.length + 1).fill(0);
  for (const one of a) {
    const next = [0];
    for (const [at, other] of b.entries()) {
      next.push(one === other ? (row[at] ?? 0) + 1 : Math.max(row[at + 1] ?? 0, next[at] ?? 0));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}

function patched(dir: string, before: string, diff: string): string {
  const file = join(dir, "file");
  writeFileSync(file, before);
  const args = ["git", "apply", "--unidiff-zero", "--whitespace=nowarn", "diff"];
  writeFileSync(join(dir, "diff"), `diff --git a/file b/file\n--- a/file\n+++ b/file\n${diff}`);
  const run = Bun.spawnSync(args, { cwd: dir, env: { ...process.env, GIT_DIR: "/nonexistent" } });
  if (run.exitCode !== 0) throw new Error(run.stderr.toString());
  return readFileSync(file, "utf8");
}
