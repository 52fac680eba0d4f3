import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { redactor } from "../../core/redact.ts";

const lines = (name: string) =>
  readFileSync(join(import.meta.dir, "../../fixtures/redact", name), "utf8")
    .trimEnd()
    .split("\n");
const unmarked = lines("masked.txt").map((line) => line.replace(/[«»]/g, ""));
const kept = lines("kept.txt");

const LIVE = "live-4f9a/2c7e+81d0 b36?";
const redact = redactor([LIVE]);

/** Pieces that meet in ways nobody thought of. */
const signs = [
  "\n",
  " ",
  '"',
  "'",
  "`",
  "\\",
  "\\n",
  ":",
  "=",
  ": ",
  " = ",
  "{",
  "}",
  "[",
  "]",
  ",",
  ";",
  "&",
  "$",
  "<",
  ">",
  "@",
  "//",
  "--",
];
const names = [
  "password",
  "TOKEN",
  '"apiKey"',
  "secret",
  "authorization",
  "Bearer ",
  "cookie",
  "set-cookie",
  "eyJ",
  "sk-",
  "://",
];
const piece = fc.oneof(
  fc.constantFrom(...signs),
  fc.constantFrom(
    ...names,
    ...unmarked,
    ...kept,
    LIVE,
    "-----BEGIN PRIVATE KEY-----",
    "-----END PRIVATE KEY-----",
  ),
  fc.string({ maxLength: 12 }),
);
const text = fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join(""));

describe("redact(), whatever the text", () => {
  test("changes nothing the second time", () => {
    fc.assert(
      fc.property(text, (input) => {
        const once = redact(input);
        expect(redact(once)).toBe(once);
      }),
      { numRuns: 3000 },
    );
  });

  test("leaves JSON as JSON, however deep it is nested", () => {
    const shape = (value: unknown): unknown =>
      Array.isArray(value)
        ? value.map(shape)
        : typeof value === "object" && value
          ? Object.keys(value).length
          : "";
    const inside = (value: string, depth: number): string =>
      depth === 0 ? value : inside(JSON.stringify({ a: value, b: [1, value] }), depth - 1);
    fc.assert(
      fc.property(fc.record({ one: text, two: fc.array(text) }), fc.nat(2), (value, depth) => {
        const written = { one: inside(value.one, depth), two: value.two, end: true };
        const redacted: unknown = JSON.parse(redact(JSON.stringify(written)));
        expect(shape(redacted)).toEqual(shape(written));
        expect(redacted).toHaveProperty("end", true);
      }),
      { numRuns: 3000 },
    );
  });

  test("lets no known secret through, plain or encoded", () => {
    const secret = fc
      .string({ unit: "grapheme-ascii", minLength: 10, maxLength: 60 })
      .filter((s) => /^[^\s"'`\\*].*[^\s"'`\\*]$/.test(s) && !s.includes("*"));
    const encoders = [
      String,
      encodeURIComponent,
      (s: string) => JSON.stringify(s).slice(1, -1),
      (s: string) => Buffer.from(s).toString("base64"),
    ];
    fc.assert(
      fc.property(secret, text, text, fc.constantFrom(...encoders), (known, before, after, encode) => {
        const written = encode(known);
        expect(redactor([known])(`${before} ${written} ${after}`)).not.toContain(written);
      }),
      { numRuns: 2000 },
    );
  });

  test.each([
    ...signs,
    ...names,
    "a",
    "password=",
    'token="',
    "token:'\"",
    "--password=<password>",
    "cookie=a=;",
    " curl -u a:b",
    "://a:",
    "=a;",
    "-----BEGIN PRIVATE KEY-----",
    "sk-a-",
    "eyJa.",
    "password: ....x",
  ])("ends soon on a megabyte of %j", (unit) => {
    const input = unit.repeat(Math.ceil(1_000_000 / unit.length));
    expect(redact(input).length).toBeGreaterThan(0);
  });

  test("ends soon on a megabyte of everything", () => {
    const input = [...unmarked, ...kept].join("\n").repeat(60);
    expect(redact(input).length).toBeGreaterThan(0);
  });
});
