import { expect, test } from "bun:test";
import type { Envelope, Event } from "../../core/event.ts";
import { err, ok } from "../../core/result.ts";
import { emitter } from "../../core/runtime/emitter.ts";
import { fakeHost, START_UNIX_MS } from "../fakes/host.ts";
import { textDelta } from "./expected-events.ts";

const [one, two, three] = [textDelta("one"), textDelta("two"), textDelta("three")];
const UNMASKED = (text: string) => text;
const envelope = (seq: number, event: Event): Envelope => ({
  v: 1,
  seq,
  ts_unix_ms: START_UNIX_MS,
  event,
});

test("emitter() stays synchronous while its sinks are", () => {
  const shown: Envelope[] = [];
  const { emit } = emitter(fakeHost(), [(seen) => void shown.push(seen)], UNMASKED);
  expect(emit(one)).toBeUndefined();
  expect(emit(two)).toBeUndefined();
  expect(shown).toEqual([envelope(1, one), envelope(2, two)]);
});

test("emitter() shows an event to every sink in turn before the next event", async () => {
  const shown: string[] = [];
  const release = Promise.withResolvers<void>();
  const { emit } = emitter(
    fakeHost(),
    [
      ({ seq }) => {
        shown.push(`slow ${seq}`);
        return seq === 1 ? release.promise : undefined;
      },
      ({ seq }) => void shown.push(`fast ${seq}`),
    ],
    UNMASKED,
  );
  const first = emit(one);
  const second = emit(two);
  expect(shown).toEqual(["slow 1"]);
  release.resolve();
  await Promise.all([first, second]);
  expect(shown).toEqual(["slow 1", "fast 1", "slow 2", "fast 2"]);
});

test("emitter() shows events that a sink causes behind the one that caused them", () => {
  const shown: Envelope[] = [];
  const { emit } = emitter(
    fakeHost(),
    [
      ({ event }) => {
        if (event === one) void emit(two);
        if (event === two) void emit(three);
      },
      (seen) => void shown.push(seen),
    ],
    UNMASKED,
  );
  void emit(one);
  expect(shown).toEqual([envelope(1, one), envelope(2, two), envelope(3, three)]);
});

test("emitter() stamps each event with the time it is delivered", () => {
  const host = fakeHost();
  const shown: number[] = [];
  const { emit } = emitter(host, [({ ts_unix_ms }) => void shown.push(ts_unix_ms)], UNMASKED);
  void emit(one);
  host.advance(250);
  void emit(two);
  expect(shown).toEqual([START_UNIX_MS, START_UNIX_MS + 250]);
});

test("emitter() saves before it shows, also when saving takes time", async () => {
  const trace: string[] = [];
  const { emit, recordWith } = emitter(fakeHost(), [({ seq }) => void trace.push(`show ${seq}`)], UNMASKED);
  recordWith({
    save: async () => {
      trace.push("save");
      await Promise.resolve();
      trace.push("saved");
      return ok(undefined);
    },
  });
  await Promise.all([emit(one), emit(two)]);
  expect(trace).toEqual(["save", "saved", "show 1", "save", "saved", "show 2"]);
});

test("emitter() warns once for the same failure, before the event, and again for another", () => {
  const shown: Envelope[] = [];
  const details = ["disk full", "disk full", "no such device"];
  const { emit, recordWith, unsaved } = emitter(fakeHost(), [(seen) => void shown.push(seen)], UNMASKED);
  recordWith({ save: () => err({ kind: "unwritable", detail: details.shift() ?? "" }) });
  for (const event of [one, two, three]) void emit(event);
  const warning = (detail: string): Event => ({
    family: "warning",
    type: "warning",
    code: "session_not_saved",
    message: `The session is not saved: ${detail}`,
  });
  expect(shown).toEqual([
    envelope(1, warning("disk full")),
    envelope(2, one),
    envelope(3, two),
    envelope(4, warning("no such device")),
    envelope(5, three),
  ]);
  expect(unsaved()).toEqual({ kind: "unwritable", detail: "no such device" });
});
