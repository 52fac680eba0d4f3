import { describe, expect, test } from "bun:test";
import { createParser } from "eventsource-parser";
import fc from "fast-check";
import { sseReader } from "../../adapters/model/sse.ts";
import { ok } from "../../core/result.ts";

/** What streams are made of, and what breaks readers of them. */
const PIECE = fc.constantFrom(
  ...["data: ", "data:", "data", "event: e", "id: 1", ": note", "{}", "ä", " ", "\ufeff"],
  ...["\n", "\n\n", "\r", "\r\n", "data: {}\n\n", "data: a\ndata: b\n\n", "event: e\ndata: x\n\n"],
);

/** The package alone, given everything at once. */
function parsed(text: string): readonly string[] {
  const events: string[] = [];
  const parser = createParser({ onEvent: ({ data }) => void events.push(data) });
  parser.feed(`${text}\n\n`);
  return events;
}

function read(bytes: Uint8Array, cuts: readonly number[]): readonly string[] {
  const events: string[] = [];
  const reader = sseReader((data) => {
    events.push(data);
    return ok(undefined);
  });
  const places = [0, ...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length].sort((a, b) => a - b);
  for (const [index, place] of places.entries()) reader.feed(bytes.subarray(place, places[index + 1]));
  reader.end();
  return events;
}

describe("sseReader()", () => {
  test("finds the events that the parser finds, wherever the stream is cut", () => {
    fc.assert(
      fc.property(
        fc.array(PIECE, { maxLength: 30 }),
        fc.array(fc.nat(), { maxLength: 6 }),
        (pieces, cuts) => {
          // The decoder takes the mark of byte order away, as the parser does.
          const text = pieces.join("").replace(/^\ufeff+/, "");
          expect(read(new TextEncoder().encode(text), cuts)).toEqual(parsed(text));
        },
      ),
      { numRuns: 5000 },
    );
  });
});
