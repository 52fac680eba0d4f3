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
  const marked = markedCharset(head);
  const charset = marked ?? charsetOf(contentType, mediaType, head);
  if (head.includes(0) && !/^utf-?16/i.test(charset)) return undefined;
  if (marked !== undefined || TEXTUAL.test(mediaType)) return decoder(charset).decode(bytes);
  // No word of what it is: text if it reads as such. The end of what was cut may be half a character.
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes, { stream: cut });
  } catch {
    return undefined; // not UTF-8, so not text as far as anyone can tell
  }
}

/** A server can write anything there; what is no media type is none. */
const mediaTypeOf = (contentType: string): string =>
  /^\s*([\w!#$&^.+-]{1,100}\/[\w!#$&^.+-]{1,100})\s*(?:[;,]|$)/.exec(contentType)?.[1]?.toLowerCase() ?? "";

const BINARY =
  /^(image\/(?!svg)|audio\/|video\/|font\/|application\/(pdf|zip|gzip|wasm|vnd\.(?!.*(json|xml))))/;
const TEXTUAL =
  /^(text\/|image\/svg|application\/(.*\+)?(json|xml|javascript|ecmascript|yaml|x-yaml|toml|graphql|sql|x-sh)\b)/;

const isHtml = (mediaType: string, text: string): boolean =>
  mediaType === "text/html" ||
  mediaType === "application/xhtml+xml" ||
  (mediaType === "" && /^\s*<(!doctype html|html)/i.test(text));

/** The mark that a text begins with wins over every word about it. */
function markedCharset([first, second, third]: Uint8Array): string | undefined {
  if (first === 0xff && second === 0xfe) return "utf-16le";
  if (first === 0xfe && second === 0xff) return "utf-16be";
  return first === 0xef && second === 0xbb && third === 0xbf ? "utf-8" : undefined;
}

/** By the header, else by what a page says of itself. */
function charsetOf(contentType: string, mediaType: string, head: Uint8Array): string {
  const said = /charset\s*=\s*["']?([\w.:-]+)/i;
  const sent = said.exec(contentType)?.[1];
  if (sent !== undefined) return sent;
  const words = latin1(head.subarray(0, 1024));
  const own = /html|^$/.test(mediaType)
    ? said.exec(words)?.[1]
    : /^<\?xml[^>]*\sencoding\s*=\s*["']([\w.:-]+)/i.exec(words)?.[1];
  // Whoever could read these words did not read them as UTF-16.
  return own === undefined || /^utf-?16/i.test(own) ? "utf-8" : own;
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
