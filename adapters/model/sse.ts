import { createParser } from "eventsource-parser";
import { err, ok, type Result } from "../../core/result.ts";
import type { Broken } from "./protocol.ts";

const MAX_EVENT_CHARS = 8 * 1024 * 1024;

export type SseReader = {
  readonly feed: (bytes: Uint8Array) => Result<void, Broken>;
  /** The stream closed in good order: a last event without its blank line still counts. */
  readonly end: () => Result<void, Broken>;
};

/** Cuts bytes into server-sent events, at any chunk boundary. Stops at the first event that is refused. */
export function sseReader(onEvent: (data: string) => Result<void, Broken>): SseReader {
  const decoder = new TextDecoder();
  let refused: Broken | undefined;
  const take = (data: string): void => {
    if (refused) return;
    const taken = onEvent(data);
    if (!taken.ok) refused = taken.error;
  };
  const parser = createParser({
    maxBufferSize: MAX_EVENT_CHARS,
    onEvent: ({ data }) => take(data),
    onError: (error) => {
      if (error.type !== "max-buffer-size-exceeded") return;
      refused ??= { detail: "event too large: over 8 MiB", retryable: false };
    },
  });
  // Whether the parser stands between two events.
  let between = false;
  const parse = (text: string): void => {
    if (text === "" || refused) return;
    parser.feed(text);
    between = text.endsWith(BLANK_LINE);
  };
  const feedText = (text: string): Result<void, Broken> => {
    const start = firstBoundary(text, between);
    parse(text.slice(0, start));
    parse(text.slice(takePlain(text, start, take)));
    return refused ? err(refused) : ok(undefined);
  };
  return {
    feed: (bytes) => feedText(decoder.decode(bytes, { stream: true })),
    end: () => feedText(`${decoder.decode()}\n\n`),
  };
}

const PREFIX = "data: ";
const LINE_FEED = 10;
const BLANK_LINE = "\n\n";

/** Where the first event begins that is wholly in this text; lines that end in other ways are left to the parser. */
function firstBoundary(text: string, between: boolean): number {
  if (text.includes("\r")) return text.length;
  if (between) return 0;
  const blank = text.indexOf(BLANK_LINE);
  return blank === -1 ? text.length : blank + BLANK_LINE.length;
}

/**
 * Takes the events from `start` on that are one plain line, as nearly all are: the parser, which is right about
 * everything, is what a long stream would spend most of its time in. Returns where the first stands that is not.
 */
function takePlain(text: string, start: number, take: (data: string) => void): number {
  let at = start;
  while (text.startsWith(PREFIX, at)) {
    const end = text.indexOf("\n", at);
    const isPlain = end > at + PREFIX.length && text.charCodeAt(end + 1) === LINE_FEED;
    if (!isPlain || end - at > MAX_EVENT_CHARS) break;
    take(text.slice(at + PREFIX.length, end));
    at = end + BLANK_LINE.length;
  }
  return at;
}
