import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { JsonObject } from "../../core/json.ts";
import type { ToolOutput } from "../../core/tool.ts";
import { readFileTool } from "../../core/tools/read-file.ts";
import { type FakeTargetSetup, fakeTarget } from "../fakes/target.ts";
import { runTool, type ToolSetup } from "./run-tool.ts";

type Setup = Omit<ToolSetup, "target"> & { readonly chunkBytes?: number };

/** Reads the file `f` that holds `content`. */
async function readIt(content: string | Uint8Array, args: JsonObject = {}, setup: Setup = {}) {
  const { chunkBytes, ...rest } = setup;
  const files = { f: content };
  const target = fakeTarget(chunkBytes === undefined ? { files } : { files, chunkBytes });
  const { output } = await runTool(readFileTool, { path: "f", ...args }, { ...rest, target });
  return { output, bytesRead: target.bytesRead() };
}

const FIVE = "one\ntwo\nthree\nfour\nfive\n";
const shown = (
  content: string,
  from_line: number,
  lines: number,
  size_bytes: number,
  ...notices: readonly string[]
): ToolOutput => ({
  result: { content, from_line, lines, size_bytes, ...(notices.length > 0 ? { notices } : {}) },
  summary: `${lines} lines`,
  isError: false,
});
const refused = (error: string) => ({ result: { error }, summary: error, isError: true });

describe("the lines asked for", () => {
  test.each<readonly [fact: string, args: JsonObject, output: ToolOutput]>([
    ["all of a file", {}, shown(FIVE, 1, 5, 24)],
    ["everything from a line on", { offset: 4 }, shown("four\nfive\n", 4, 2, 24)],
    ["so many lines", { limit: 2 }, shown("one\ntwo\n", 1, 2, 24, "There is more: go on with offset 3")],
    [
      "so many lines from a line on",
      { offset: 2, limit: 2 },
      shown("two\nthree\n", 2, 2, 24, "There is more: go on with offset 4"),
    ],
    ["the last lines, without a promise of more", { offset: 4, limit: 2 }, shown("four\nfive\n", 4, 2, 24)],
    ["no more lines than there are", { offset: 5, limit: 100 }, shown("five\n", 5, 1, 24)],
    ["the numbers of lines", { offset: 4, numbered: true }, shown("4\tfour\n5\tfive\n", 4, 2, 24)],
    ["no numbers when they are not wanted", { offset: 5, numbered: false }, shown("five\n", 5, 1, 24)],
  ])("readFileTool gives %s", async (_fact, args, output) => {
    expect((await readIt(FIVE, args)).output).toEqual(output);
    expect((await readIt(FIVE, args, { chunkBytes: 1 })).output).toEqual(output);
  });

  test("readFileTool gives an empty file as an empty text", async () => {
    expect((await readIt("")).output).toEqual(shown("", 1, 0, 0));
  });

  test("readFileTool counts blank lines and a last line without a newline", async () => {
    expect((await readIt("\n\nx")).output).toEqual(shown("\n\nx", 1, 3, 3));
    expect((await readIt("\n\nx", { offset: 2, numbered: true })).output).toEqual(
      shown("2\t\n3\tx", 2, 2, 3),
    );
  });

  test("readFileTool says when the file ends before the offset", async () => {
    expect((await readIt(FIVE, { offset: 6 })).output).toEqual(refused("The file ends before line 6"));
    expect((await readIt("", { offset: 2 })).output).toEqual(refused("The file ends before line 2"));
  });

  test("readFileTool gives the same lines however the bytes arrive", async () => {
    const line = fc.constantFrom("", "a", "ä😀", "long line", "\ufffd");
    await fc.assert(
      fc.asyncProperty(
        fc.array(line, { maxLength: 12 }),
        fc.record({ offset: fc.integer({ min: 1, max: 14 }), limit: fc.integer({ min: 1, max: 14 }) }),
        fc.integer({ min: 1, max: 9 }),
        async (lines, args, chunkBytes) => {
          const content = lines.map((one) => `${one}\n`).join("");
          const { output } = await readIt(content, args, { chunkBytes });
          expect(output).toEqual((await readIt(content, args)).output);
          const wanted = lines.slice(args.offset - 1, args.offset - 1 + args.limit);
          if (wanted.length === 0) return expect(output.isError).toBe(args.offset > 1);
          expect(output.result).toMatchObject({
            content: wanted.map((one) => `${one}\n`).join(""),
            from_line: args.offset,
            lines: wanted.length,
          });
        },
      ),
      { numRuns: 150 },
    );
  });
});

describe("long files", () => {
  test("readFileTool cuts behind a whole line and says where to go on", async () => {
    const { output } = await readIt(FIVE, {}, { limits: { textChars: 10 } });
    expect(output).toEqual(shown("one\ntwo\n", 1, 2, 24, "There is more: go on with offset 3"));
  });

  test("readFileTool gives a text that just fits without a cut", async () => {
    expect((await readIt(FIVE, {}, { limits: { textChars: 24 } })).output).toEqual(shown(FIVE, 1, 5, 24));
    expect((await readIt("a\nb", {}, { limits: { textChars: 3 } })).output).toEqual(shown("a\nb", 1, 2, 3));
  });

  test("readFileTool goes through a long file piece by piece without losing a line", async () => {
    const content = Array.from({ length: 200 }, (_, index) => `line ${index}\n`).join("");
    let read = "";
    for (let offset = 1; offset <= 200; ) {
      const { output } = await readIt(content, { offset }, { limits: { textChars: 100 }, chunkBytes: 64 });
      const { content: text, lines } = output.result;
      read += String(text);
      offset += Number(lines);
    }
    expect(read).toBe(content);
  });

  test("readFileTool reads no further than it has to", async () => {
    const content = "x\n".repeat(100_000);
    const { bytesRead } = await readIt(content, { limit: 10 }, { chunkBytes: 100 });
    expect(bytesRead).toBe(100);
  });
});

test("readFileTool counts the numbers of lines to what it may show", async () => {
  const { output } = await readIt("\n".repeat(100_000), { numbered: true }, { limits: { textChars: 5000 } });
  expect(String(output.result.content).length).toBeLessThanOrEqual(5000);
  expect(String(output.result.content)).toStartWith("1\t\n2\t\n");
});

describe("what is not to be read", () => {
  const key = "-----BEGIN OPENSSH PRIVATE KEY-----\nabc\n-----END OPENSSH PRIVATE KEY-----\n";
  const refusal = refused('Cannot read "f": it is a private key');

  test.each([
    ["a private key", key],
    ["one behind a certificate", `-----BEGIN CERTIFICATE-----\nx\n-----END CERTIFICATE-----\n${key}`],
    ["one that was exported", `Bag Attributes\n    friendlyName: x\n-----BEGIN PRIVATE KEY-----\nx\n`],
    ["one after blank lines", `\n\n  -----BEGIN RSA PRIVATE KEY-----\n`.replace("  -", "-")],
  ])("readFileTool refuses %s under any name, and any part of it", async (_what, content) => {
    expect((await readIt(content)).output).toEqual(refusal);
    expect((await readIt(content, { offset: 2, limit: 1 })).output).toEqual(refusal);
  });

  test("readFileTool reads a key that the user names, a certificate, and code that speaks of keys", async () => {
    const files = { home: "/home/u", allowedPaths: ["/work/f"] };
    expect((await readIt(key, {}, { services: { files } })).output.isError).toBe(false);
    expect((await readIt("-----BEGIN CERTIFICATE-----\n")).output.isError).toBe(false);
    expect((await readIt(`const test = \`\n${key}\`;\n`)).output.isError).toBe(false);
  });
});

describe("what is not text", () => {
  test("readFileTool says that a binary file has no text to show", async () => {
    const { output, bytesRead } = await readIt(new Uint8Array(70_000), {}, { chunkBytes: 10_000 });
    expect(output).toEqual(
      refused(`Binary file of 70000 bytes, first bytes ${"00 ".repeat(16).trim()}: it has no text to show`),
    );
    expect(bytesRead).toBe(10_000);
  });

  test("readFileTool takes a file for binary whatever comes behind the first piece", async () => {
    const { output, bytesRead } = await readIt("PK\0\0\nplain text\n", {}, { chunkBytes: 5 });
    expect(output).toEqual(
      refused("Binary file of 16 bytes, first bytes 50 4b 00 00 0a: it has no text to show"),
    );
    expect(bytesRead).toBe(5);
  });

  test("readFileTool shows bytes that are not UTF-8 as replacement characters, and says so", async () => {
    const { output } = await readIt(new Uint8Array([0x61, 0xff, 0x0a, 0xc3]));
    expect(output).toEqual(shown("a\ufffd\n\ufffd", 1, 2, 4, "Bytes that are not UTF-8 are shown as \ufffd"));
  });

  test("readFileTool leaves a byte order mark out", async () => {
    expect((await readIt("\ufeffhi\n")).output).toEqual(shown("hi\n", 1, 1, 6));
  });
});

describe("what cannot be read", () => {
  const files: NonNullable<FakeTargetSetup["files"]> = {
    dir: { kind: "directory", detail: "EISDIR" },
    secret: { kind: "denied", detail: "EACCES" },
    fifo: { kind: "not_regular", detail: "a FIFO" },
    broken: { kind: "other", detail: "input/output error" },
  };
  test.each([
    ["dir", 'Cannot read "dir": it is a directory. List it with run_shell: ls -la'],
    ["gone", 'Cannot read "gone": no such file'],
    ["secret", 'Cannot read "secret": permission denied'],
    ["fifo", 'Cannot read "fifo": not a regular file'],
    ["broken", 'Cannot read "broken": input/output error'],
  ])("readFileTool explains why it cannot read %s", async (path, error) => {
    const { output } = await runTool(readFileTool, { path }, { target: fakeTarget({ files }) });
    expect(output).toEqual(refused(error));
  });
});

describe("arguments", () => {
  test("readFileTool needs no permission", async () => {
    const target = fakeTarget({ files: { f: "x" } });
    expect(await runTool(readFileTool, { path: "f" }, { target })).toMatchObject({ need: undefined });
  });

  test.each<JsonObject>([
    {},
    { path: "" },
    { path: 1 },
    { path: "f", offset: 0 },
    { path: "f", offset: 1.5 },
    { path: "f", limit: 0 },
    { path: "f", limit: "10" },
    { path: "f", numbered: "yes" },
  ])("readFileTool refuses %j", (args) => {
    expect(readFileTool.prepare(args)).toMatchObject({ ok: false });
  });
});
