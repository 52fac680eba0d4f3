import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pageOf } from "../../adapters/web/page.ts";

const PAGES = join(import.meta.dir, "../../fixtures/pages");
const article = readFileSync(join(PAGES, "article.html"));

const fetched = (bytes: Uint8Array | string, contentType: string, cut = false) => ({
  url: "https://site.example/dir/sub/page",
  status: 200,
  contentType,
  bytes: typeof bytes === "string" ? new TextEncoder().encode(bytes) : bytes,
  cut,
});

const textFrom = async (...args: Parameters<typeof fetched>): Promise<string | undefined> => {
  const { body } = await pageOf(fetched(...args), "text");
  return body.type === "text" ? body.text : undefined;
};

describe("pageOf()", () => {
  test.each(["text", "markdown"] as const)(
    "makes %s of an article: words, links, no hidden words",
    async (format) => {
      const page = await pageOf(fetched(article, "text/html; charset=utf-8"), format);
      expect(page).toMatchObject({ title: "How a kettle works", mediaType: "text/html", cut: false });
      expect(page.body.type === "text" && page.body.text).toMatchSnapshot();
    },
  );

  test("leaves a page as it is when asked to, and every other text always", async () => {
    const raw = await pageOf(fetched(article, "text/html"), "raw");
    expect(raw).toMatchObject({ title: "", body: { type: "text", text: article.toString() } });
    for (const type of [
      "application/json",
      "text/csv",
      "application/ld+json; charset=utf-8",
      "image/svg+xml",
      "",
    ]) {
      expect(await textFrom('{"a": "<b>"}', type)).toBe('{"a": "<b>"}');
    }
  });

  test("reads HTML that does not say so, and pieces of pages", async () => {
    expect(await textFrom("<!doctype html><p>one<p>two", "")).toBe("one\n\ntwo");
    expect(await textFrom("before <p>one</p> after", "text/html")).toBe("before\n\none\n\nafter");
    expect(await textFrom("", "text/html")).toBe("");
  });

  test.each([
    [new Uint8Array([0x63, 0x61, 0x66, 0xe9]), "text/plain; charset=iso-8859-1"],
    [new Uint8Array([0x63, 0x61, 0x66, 0xc3, 0xa9]), "text/plain; charset=no-such"],
    [new Uint8Array([0xff, 0xfe, 0x63, 0, 0x61, 0, 0x66, 0, 0xe9, 0]), 'text/plain; charset="utf-16le"'],
    [Buffer.from('<meta charset="latin1">caf\xe9', "latin1"), "text/html"],
    [new Uint8Array([0xff, 0xfe, 0x63, 0, 0x61, 0, 0x66, 0, 0xe9, 0]), "text/plain"],
    [new Uint8Array([0xfe, 0xff, 0, 0x63, 0, 0x61, 0, 0x66, 0, 0xe9]), ""],
    [new Uint8Array([0xef, 0xbb, 0xbf, 0x63, 0x61, 0x66, 0xc3, 0xa9]), "text/plain; charset=latin1"],
    [Buffer.from('<meta charset="utf-16">café'), "text/html"],
  ])("decodes by the header, else by what the page says: %#", async (bytes, type) => {
    expect(await textFrom(bytes, type)).toBe("café");
  });

  test.each([
    [new Uint8Array([0x89, 0x50, 0x4e, 0x47]), "image/png"],
    [new Uint8Array([1, 2, 0, 3]), "text/html"],
    [new Uint8Array([0xff, 0xd8, 0xff]), "application/octet-stream"],
    [new TextEncoder().encode("%PDF-1.7 text"), "text/plain"],
    [new TextEncoder().encode("words"), "application/zip"],
  ])("describes what is not text: %#", async (bytes, type) => {
    const page = await pageOf(fetched(bytes, type), "text");
    const firstBytes = [...bytes]
      .map((byte) => byte.toString(16).padStart(2, "0"))
      .slice(0, 16)
      .join(" ");
    expect(page.body).toEqual({ type: "binary", size: bytes.length, firstBytes });
  });

  test("keeps text that was cut inside a character", async () => {
    expect(await textFrom(new Uint8Array([0x61, 0xc3]), "application/octet-stream", true)).toBe("a");
  });

  test.each([
    ["elements inside elements", "<div>".repeat(100_000)],
    ["marks inside marks", "<b>".repeat(30_000)],
    ["links inside links", "<a href=/x>".repeat(30_000)],
    ["lists inside lists", "<ul><li>".repeat(30_000)],
    ["quotes inside quotes", "<blockquote>".repeat(30_000)],
    ["cells without a table", "<td>x".repeat(100_000)],
    ["an endless page", "<p>x".repeat(1_000_000)],
    ["a comment without an end", "<!--".repeat(100_000)],
    ["blanks that nothing ends", `<pre>${" ".repeat(1_000_000)}x`],
    ["a style of blanks", `<p style="display${" ".repeat(1_000_000)}">x`],
    ["an address of blanks", `<a href="${" ".repeat(1_000_000)}x">x</a>`],
  ])("survives %s", async (_name, html) => {
    const page = await pageOf(fetched(`${html}deep`, "text/html"), "markdown");
    expect(page.body.type).toBe("text");
  });
});
