import { TextDecoder } from "node:util";
import type { Page, PageFormat } from "../../core/ports/web.ts";
import { parseHtml } from "./dom.ts";
import { readable } from "./readable.ts";
import type { Fetched } from "./transport.ts";

/** What came over the wire as something to read. */
export async function pageOf(fetched: Fetched, format: PageFormat): Promise<Page> {
  const { url, status, bytes } = fetched;
  const mediaType = mediaTypeOf(fetched.contentType);
  const about = { url, status, mediaType, title: "", cut: fetched.cut };
  const text = textOf(fetched, mediaType);
  if (text === undefined) {
    return { ...about, body: { type: "binary", size: bytes.length, firstBytes: firstBytes(bytes) } };
  }
  if (format === "raw" || !isHtml(mediaType, text)) return { ...about, body: { type: "text", text } };
  const { document, cut } = await parseHtml(text);
  const read = readable(document, url, format);
  return { ...about, title: read.title, cut: about.cut || cut, body: { type: "text", text: read.text } };
}

/** Decoded, or undefined when it is not text. */
export function textOf({ bytes, contentType, cut }: Fetched, mediaType: string): string | undefined {
  const head = bytes.subarray(0, 8192);
  if (BINARY.test(mediaType) || latin1(bytes.subarray(0, 5)) === "%PDF-") return undefined;
  const charset = charsetOf(contentType, head);
  if (head.includes(0) && !/^utf-?16/i.test(charset)) return undefined;
  if (TEXTUAL.test(mediaType)) return decoder(charset).decode(bytes);
  // No word of what it is: text if it reads as such. The end of what was cut may be half a character.
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes, { stream: cut });
  } catch {
    return undefined; // not UTF-8, so not text as far as anyone can tell
  }
}

const mediaTypeOf = (contentType: string): string => (contentType.split(";")[0] ?? "").trim().toLowerCase();

const BINARY =
  /^(image\/(?!svg)|audio\/|video\/|font\/|application\/(pdf|zip|gzip|wasm|vnd\.(?!.*(json|xml))))/;
const TEXTUAL =
  /^(text\/|image\/svg|application\/(.*\+)?(json|xml|javascript|ecmascript|yaml|x-yaml|toml|graphql|sql|x-sh)\b)/;

const isHtml = (mediaType: string, text: string): boolean =>
  mediaType === "text/html" ||
  mediaType === "application/xhtml+xml" ||
  (mediaType === "" && /^\s*<(!doctype html|html)/i.test(text));

/** By the header, else by what the page says of itself. */
function charsetOf(contentType: string, head: Uint8Array): string {
  const said = /charset\s*=\s*["']?([\w.:-]+)/i;
  return said.exec(contentType)?.[1] ?? said.exec(latin1(head.subarray(0, 1024)))?.[1] ?? "utf-8";
}

const latin1 = (bytes: Uint8Array): string => new TextDecoder("latin1").decode(bytes);

function decoder(charset: string): TextDecoder {
  try {
    return new TextDecoder(charset);
  } catch {
    return new TextDecoder("utf-8"); // a name that nobody knows
  }
}

function firstBytes(bytes: Uint8Array): string {
  return [...bytes.subarray(0, 16)].map((byte) => byte.toString(16).padStart(2, "0")).join(" ");
}
