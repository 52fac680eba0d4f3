import * as v from "valibot";
import { defineFileTool } from "../define-tool.ts";
import { firstBytes } from "../first-bytes.ts";
import { locateFile } from "../locate-file.ts";
import type { FileFailure, Target } from "../ports/target.ts";
import { type Tool, type ToolContext, type ToolOutput, toolFailure } from "../tool.ts";
import { truncateEnd } from "../truncate.ts";
import { explainFailure, notLocated } from "./file-change.ts";
import { imageTypeOf, readImage } from "./read-image.ts";
import { FILE_PATH } from "./write-file.ts";

export const readFileTool: Tool = defineFileTool({
  name: "read_file",
  description:
    "Reads a text file on the machine you work on: all of it, or `limit` lines from line `offset` (the first is 1). " +
    "Long files are cut and the result says where to go on. PNG, JPEG, GIF and WebP images are shown to you if you can " +
    "see. Not for directories: list those with run_shell. " +
    'Example: {"path":"src/main.ts","offset":40,"limit":20}',
  schema: v.object({
    path: FILE_PATH,
    offset: v.optional(
      v.pipe(v.number(), v.integer(), v.minValue(1), v.description("First line to read, from 1")),
    ),
    limit: v.optional(v.pipe(v.number(), v.integer(), v.minValue(1), v.description("How many lines"))),
    numbered: v.optional(v.pipe(v.boolean(), v.description("Put the line number before each line"))),
  }),
  parallel: true,
  settle: async (args, access, signal) => {
    const located = await locateFile(access, args.path, "read", signal);
    if (located.type !== "located") return notLocated("read", args.path, located);
    const { path } = located;
    return { type: "ready", call: { need: undefined, execute: (context) => readPath(args, path, context) } };
  },
});

type Asked = {
  readonly path: string;
  readonly offset?: number | undefined;
  readonly limit?: number | undefined;
  readonly numbered?: boolean | undefined;
};

async function readPath(asked: Asked, path: string, context: ToolContext): Promise<ToolOutput> {
  const { target, limits, services, signal } = context;
  const from = asked.offset ?? 1;
  const slice = await readLines(
    target,
    path,
    { from, limit: asked.limit, maxChars: limits.textChars, numbered: asked.numbered ?? false },
    signal,
  );
  if (slice.type === "failed") return toolFailure(explainFailure("read", asked.path, slice));
  if (slice.isKey && !services.files.allowedPaths.some((open) => open === asked.path || open === path)) {
    return toolFailure(`Cannot read "${asked.path}": it is a private key`);
  }
  if (slice.image !== undefined) return readImage(path, slice.image, context);
  return sliceResult(slice, from);
}

type Range = {
  readonly from: number;
  readonly limit: number | undefined;
  readonly maxChars: number;
  readonly numbered: boolean;
};

type Slice = {
  readonly type: "slice";
  readonly text: string;
  readonly size: number;
  readonly lines: number;
  /** The last line is longer than a result may be. */
  readonly insideLine: boolean;
  /** There is more of the file after the slice. */
  readonly more: boolean;
  /** The first bytes of what is no text. */
  readonly binary: string | undefined;
  /** Media type of what is an image by its first bytes. */
  readonly image: string | undefined;
  /** It begins like a private key, under whatever name. */
  readonly isKey: boolean;
};

/** Reads only as far as needed and keeps only what is asked for, however large the file. */
async function readLines(
  target: Target,
  path: string,
  range: Range,
  signal: AbortSignal,
): Promise<Slice | FileFailure> {
  const decoder = new TextDecoder("utf-8");
  const window = lineWindow(range);
  let size = 0;
  let binary: string | undefined;
  let image: string | undefined;
  let isKey: boolean | undefined;
  let more = false;
  for await (const event of target.readFile(path, signal)) {
    if (event.type === "failed") return event;
    if (event.type === "opened") size = event.size;
    if (event.type === "ended") window.add(decoder.decode());
    if (event.type !== "chunk") continue;
    if (event.bytes.subarray(0, 8192).includes(0)) binary = firstBytes(event.bytes);
    image ??= size > 0 && window.isEmpty() ? imageTypeOf(event.bytes) : undefined;
    isKey ??= isPrivateKey(event.bytes);
    if (binary !== undefined || image !== undefined || isKey) break;
    window.add(decoder.decode(event.bytes, { stream: true }));
    more = window.full();
    if (more) break;
  }
  return {
    type: "slice",
    ...window.result(),
    size,
    more: more || window.full(),
    binary,
    image,
    isKey: isKey ?? false,
  };
}

/** Collects the wanted lines out of text that arrives in pieces. */
function lineWindow({ from, limit, maxChars, numbered }: Range) {
  const last = limit === undefined ? Number.POSITIVE_INFINITY : from + limit - 1;
  let line = 1;
  let kept = "";
  let past = false;
  return {
    add: (text: string): void => {
      let at = 0;
      while (at < text.length && !past) {
        const newline = text.indexOf("\n", at);
        const end = newline === -1 ? text.length : newline + 1;
        if (line > last || kept.length > maxChars) past = true;
        else if (line >= from) {
          // Numbers count as much as what they stand before: a thousand empty lines are not empty.
          if (numbered && (kept === "" || kept.endsWith("\n"))) kept += `${line}\t`;
          kept += text.slice(at, end);
        }
        if (newline !== -1) line++;
        at = end;
      }
    },
    isEmpty: () => line === 1 && kept === "",
    full: () => past || kept.length > maxChars,
    result: () => {
      const cut = kept.length > maxChars;
      const text = wholeLines(truncateEnd(kept, maxChars), cut);
      const lines = text === "" ? 0 : text.replace(/\n$/, "").split("\n").length;
      return { text, lines, insideLine: cut && !text.endsWith("\n") };
    },
  };
}

/** A cut falls behind a line where there is one. */
function wholeLines(text: string, cut: boolean): string {
  if (!cut) return text;
  const end = text.lastIndexOf("\n");
  return end >= 0 ? text.slice(0, end + 1) : text;
}

function sliceResult(slice: Slice, from: number): ToolOutput {
  if (slice.binary !== undefined) {
    return toolFailure(
      `Binary file of ${slice.size} bytes, first bytes ${slice.binary}: it has no text to show`,
    );
  }
  if (slice.lines === 0 && from > 1) return toolFailure(`The file ends before line ${from}`);
  const to = from + slice.lines - 1;
  const notices = [
    ...(slice.insideLine ? [`Line ${to} is cut: it is too long to be shown whole`] : []),
    ...(slice.more ? [`There is more: go on with offset ${to + 1}`] : []),
    ...(slice.text.includes("\ufffd") ? ["Bytes that are not UTF-8 are shown as \ufffd"] : []),
  ];
  return {
    result: {
      content: slice.text,
      from_line: from,
      lines: slice.lines,
      size_bytes: slice.size,
      ...(notices.length > 0 ? { notices } : {}),
    },
    summary: `${slice.lines} lines`,
    isError: false,
  };
}

/** By its first line; what comes behind a certificate counts as well. */
function isPrivateKey(bytes: Uint8Array): boolean {
  const head = new TextDecoder().decode(bytes.subarray(0, 16_384)).trimStart();
  return (
    /^(?:-----BEGIN |Bag Attributes)/.test(head) && /^-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY-----/m.test(head)
  );
}
