import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import {
  blocksOf,
  lastPart,
  NOTHING_SCANNED,
  scanBlocks,
  takeBlocks,
} from "../../../adapters/terminal/markdown-blocks.ts";

/** The blocks that come out when a text arrives in pieces. */
function streamed(pieces: readonly string[]): readonly string[] {
  const blocks: string[] = [];
  let text = "";
  let scan = NOTHING_SCANNED;
  for (const piece of pieces) {
    text += piece;
    const taken = takeBlocks(scanBlocks(scan, text), text);
    blocks.push(...taken.blocks);
    text = taken.rest;
    scan = taken.scan;
  }
  return text.trim() === "" ? blocks : [...blocks, text];
}

describe("blocksOf()", () => {
  test.each([
    ["paragraphs", "one\ntwo\n\nthree", ["one\ntwo\n\n", "three"]],
    ["a code block with blank lines", "a\n\n```ts\nx\n\ny\n```\nb", ["a\n\n", "```ts\nx\n\ny\n```\n", "b"]],
    ["an unfinished code block", "```\na\n\nb", ["```\na\n\nb"]],
    ["a fence in a longer fence", "````\n```\n\n```\n````\n\nz", ["````\n```\n\n```\n````\n", "\n", "z"]],
    ["an item that goes on after a blank line", "- a\n\n  more\n\nz", ["- a\n\n  more\n\n", "z"]],
    ["a table and a list", "| a |\n|---|\n| 1 |\n\n- x", ["| a |\n|---|\n| 1 |\n\n", "- x"]],
  ])("keeps %s together", (_what, text, expected) => {
    expect(blocksOf(text)).toEqual(expected);
  });

  test("does not depend on how a text arrives, and loses nothing", () => {
    const line = fc.constantFrom("", "word", "```", "~~~", "- item", "  more", "| a | b |", "# head", "````");
    fc.assert(
      fc.property(
        fc.array(line, { maxLength: 20 }),
        fc.array(fc.nat(8), { maxLength: 40 }),
        (lines, sizes) => {
          const text = lines.join("\n");
          const pieces: string[] = [];
          let at = 0;
          for (const size of sizes) {
            pieces.push(text.slice(at, at + size));
            at += size;
          }
          pieces.push(text.slice(at));
          expect(streamed(pieces)).toEqual(blocksOf(text));
          expect(blocksOf(text).join("").trimEnd()).toBe(text.trimEnd());
        },
      ),
    );
  });
});

describe("lastPart()", () => {
  test("keeps a code block that it cuts a code block", () => {
    const text = `\`\`\`\n${"line\n".repeat(100)}`;
    expect(lastPart(text, 20, "```")).toMatch(/^```\n(line\n)+$/);
    expect(lastPart("short", 20, undefined)).toBe("short");
  });
});
