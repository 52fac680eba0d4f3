import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { ProtocolName } from "../../adapters/model/protocol.ts";
import { calls, type Spoken, says, saysAndCalls, thinks, turnOf } from "../fakes/script.ts";
import { WIRES } from "../fakes/wire.ts";
import { PROTOCOLS } from "./new-protocol.ts";
import { readStream } from "./read-stream.ts";
import { chunksOf, streamsOf } from "./sse-corpus.ts";

const LOOK = { id: "c1", name: "look", arguments: { path: "ä😀" } };
const TIME = { id: "c2", name: "time", arguments: {} };

const REPLIES: Readonly<Record<string, Spoken>> = {
  text: says("Hello, wörld 😀", 4),
  calls: calls(LOOK, TIME),
  "text and calls": saysAndCalls("I look", LOOK, TIME),
  "reasoning and text": thinks("Hm.\n\nÄha 😀", "c2VhbGVk+/==", says("Done")),
  "reasoning and calls": thinks("Hm.\n\nÄha 😀", "c2VhbGVk+/==", calls(LOOK, TIME)),
};

type Row = { readonly protocol: ProtocolName; readonly name: string; readonly events: readonly string[] };

const SCRIPTED: readonly Row[] = PROTOCOLS.flatMap((protocol) =>
  Object.entries(REPLIES).map(([name, reply]) => ({
    protocol,
    name,
    events: WIRES[protocol].events(turnOf(reply, 1, "mock")),
  })),
);

const RECORDED: readonly Row[] = [...streamsOf("responses"), ...streamsOf("anthropic")].map((row) => ({
  protocol: row.protocol === "responses" ? "responses" : "anthropic",
  name: `${row.id} ${row.name}`,
  events: [Buffer.concat([...chunksOf(row)]).toString()],
}));

const ROWS = [...SCRIPTED, ...RECORDED];

const bytesOf = (events: readonly string[]): Uint8Array => new TextEncoder().encode(events.join(""));

describe("sseReader() and newReader() of every protocol", () => {
  test.each(SCRIPTED)("$protocol, $name: the deltas are the reply", ({ protocol, events }) => {
    const { reply, error, text, reasoning } = readStream(protocol, events);
    expect([error, reply?.message.content, reply?.message.reasoning ?? ""]).toEqual([
      undefined,
      text,
      reasoning,
    ]);
  });

  test.each(ROWS)("$protocol, $name: cut in two at any byte, and byte for byte", ({ protocol, events }) => {
    const bytes = bytesOf(events);
    const whole = JSON.stringify(readStream(protocol, [bytes]));
    for (let at = 0; at <= bytes.length; at++) {
      const cut = readStream(protocol, [bytes.subarray(0, at), bytes.subarray(at)]);
      if (JSON.stringify(cut) !== whole) expect([at, cut]).toEqual([at, JSON.parse(whole)]);
    }
    expect(
      readStream(
        protocol,
        [...bytes].map((byte) => Uint8Array.of(byte)),
      ),
    ).toEqual(JSON.parse(whole));
  });

  test.each(ROWS)("$protocol, $name: cut anywhere, with any line end", ({ protocol, events }) => {
    const whole = readStream(protocol, [bytesOf(events)]);
    fc.assert(
      fc.property(
        fc.constantFrom("\n", "\r\n", "\r"),
        fc.array(fc.nat(), { maxLength: 40 }),
        (lineEnd, places) => {
          const bytes = bytesOf(events.map((event) => event.replaceAll("\n", lineEnd)));
          expect(readStream(protocol, split(bytes, places))).toEqual(whole);
        },
      ),
      { numRuns: 30 },
    );
  });

  test.each(SCRIPTED)("$protocol, $name: broken off behind any event", ({ protocol, events }) => {
    const whole = readStream(protocol, events).reply;
    for (let count = 0; count < events.length; count++) {
      const { reply, error, notice, retryable } = readStream(protocol, events.slice(0, count));
      const ran = reply?.message.tool_calls ?? [];
      // Calls are run all together or not at all; a text that is not whole is never passed off as one.
      expect(ran.length === 0 || Bun.deepEquals(ran, whole?.message.tool_calls)).toBe(true);
      if (error !== undefined) expect(retryable).toBe(true);
      else if (reply?.message.content !== "" && reply?.message.content !== whole?.message.content)
        expect(notice).toContain("may be incomplete");
    }
  });
});

function split(bytes: Uint8Array, places: readonly number[]): readonly Uint8Array[] {
  const cuts = [...new Set(places.map((place) => place % (bytes.length + 1)))].sort((a, b) => a - b);
  return [0, ...cuts].map((start, at) => bytes.subarray(start, cuts[at] ?? bytes.length));
}
