import { describe, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { violations } from "./import-rules.ts";

const ROOT = join(import.meta.dir, "..");

test("the project keeps its own rules", async () => {
  expect(await violations(ROOT)).toEqual([]);
});

/** A tiny project with one file too many, and what the rules must say about it. */
const planted: readonly (readonly [rule: string, files: Readonly<Record<string, string>>, found: string])[] =
  [
    [
      "core imports an adapter",
      { "core/a.ts": 'import { b } from "../adapters/x/b.ts";', "adapters/x/b.ts": "export const b = 1;" },
      "core/a.ts imports adapters/x/b.ts: core points nowhere but into core",
    ],
    [
      "core imports a type of a command",
      { "core/a.ts": 'import type { B } from "../cmd/b.ts";', "cmd/b.ts": "export type B = 1;" },
      "core/a.ts imports cmd/b.ts: core points nowhere but into core",
    ],
    [
      "core imports the platform",
      { "core/a.ts": 'import { readFileSync } from "node:fs";' },
      'core/a.ts imports "node:fs": core uses only pure packages',
    ],
    [
      "core imports the platform lazily",
      { "core/a.ts": 'export const a = () => import("node:fs");' },
      'core/a.ts imports "node:fs": core uses only pure packages',
    ],
    [
      "an adapter imports a command",
      { "adapters/x/a.ts": 'import { b } from "../../cmd/b.ts";', "cmd/b.ts": "export const b = 1;" },
      "adapters/x/a.ts imports cmd/b.ts: an adapter never knows a command",
    ],
    [
      "an adapter imports another adapter",
      { "adapters/x/a.ts": 'import { b } from "../y/b.ts";', "adapters/y/b.ts": "export const b = 1;" },
      "adapters/x/a.ts imports adapters/y/b.ts: adapters know only core and adapters/host",
    ],
    [
      "an adapter re-exports another adapter",
      { "adapters/x/a.ts": 'export { b } from "../y/b.ts";', "adapters/y/b.ts": "export const b = 1;" },
      "adapters/x/a.ts imports adapters/y/b.ts: adapters know only core and adapters/host",
    ],
    [
      "core reads the clock",
      { "core/a.ts": "export const a = () => Date.now();" },
      "core/a.ts:1 uses Date.now: time and chance come from Host",
    ],
    [
      "core makes a date of now",
      { "core/a.ts": "export const a = () => new Date();" },
      "core/a.ts:1 uses new Date(): time and chance come from Host",
    ],
    [
      "core rolls dice",
      { "core/a.ts": "\nexport const a = Math.random();" },
      "core/a.ts:2 uses Math.random: time and chance come from Host",
    ],
    [
      "files import each other",
      { "core/a.ts": 'import "./b.ts";', "core/b.ts": 'import "./c.ts";', "core/c.ts": 'import "./a.ts";' },
      "import cycle: core/a.ts → core/b.ts → core/c.ts → core/a.ts",
    ],
    [
      "a file grows",
      { "core/a.ts": "// line\n".repeat(301) },
      "core/a.ts has 301 lines: over 300 is more than one idea",
    ],
    [
      "two commands wire adapters",
      {
        "cmd/a.ts": 'import { x } from "../adapters/x/b.ts";\nimport { y } from "../adapters/y/b.ts";',
        "adapters/x/b.ts": "export const x = 1;",
        "adapters/y/b.ts": "export const y = 1;",
      },
      "cmd/a.ts imports adapters/x and adapters/y: only cmd/wire*.ts know two",
    ],
  ];

describe("a planted violation is found", () => {
  test.each(planted)("%s", async (_rule, files, found) => {
    const root = mkdtempSync(join(tmpdir(), "buddy-rules-"));
    try {
      for (const [path, text] of Object.entries(files)) {
        mkdirSync(dirname(join(root, path)), { recursive: true });
        writeFileSync(join(root, path), text);
      }
      expect(await violations(root)).toEqual([found]);
    } finally {
      rmSync(root, { recursive: true });
    }
  });
});
