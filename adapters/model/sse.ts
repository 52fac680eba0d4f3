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
  const parser = createParser({
    maxBufferSize: MAX_EVENT_CHARS,
    onEvent: ({ data }) => {
      if (refused) return;
      const taken = onEvent(data);
      if (!taken.ok) refused = taken.error;
    },
    onError: (error) => {
      if (error.type !== "max-buffer-size-exceeded") return;
      refused ??= { detail: "event too large: over 8 MiB", retryable: false };
    },
  });
  const feedText = (text: string): Result<void, Broken> => {
    if (!refused) parser.feed(text);
    return refused ? err(refused) : ok(undefined);
  };
  return {
    feed: (bytes) => feedText(decoder.decode(bytes, { stream: true })),
    end: () => feedText(`${decoder.decode()}\n\n`),
  };
}
