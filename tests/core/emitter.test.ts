import { expect, test } from "bun:test";
import type { Envelope, Event } from "../../core/event.ts";
import { redactKnown } from "../../core/redact-known.ts";
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
    finish: () => ok(undefined),
  });
  await Promise.all([emit(one), emit(two)]);
  expect(trace).toEqual(["save", "saved", "show 1", "save", "saved", "show 2"]);
});

test("emitter() warns once for the same failure, before the event, and again for another", () => {
  const shown: Envelope[] = [];
  const details = ["disk full", "disk full", "no such device"];
  const { emit, recordWith } = emitter(fakeHost(), [(seen) => void shown.push(seen)], UNMASKED);
  const save = () => err({ kind: "unwritable", detail: details.shift() ?? "" } as const);
  recordWith({ save, finish: save });
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
});

test("emitter() tries once more before it says what is not saved", () => {
  const { recordWith, unsaved } = emitter(fakeHost(), [], UNMASKED);
  expect(unsaved()).toBeUndefined();
  const full = { kind: "unwritable", detail: "disk full" } as const;
  recordWith({ save: () => ok(undefined), finish: () => err(full) });
  expect(unsaved()).toEqual(full);
  recordWith({ save: () => err(full), finish: () => ok(undefined) });
  expect(unsaved()).toBeUndefined();
});

test("emitter() masks known secrets in everything it shows, and saves the event as it is", () => {
  const shown: Event[] = [];
  const saved: Event[] = [];
  const redact = redactKnown(["hunter22"]);
  const { emit, recordWith } = emitter(fakeHost(), [({ event }) => void shown.push(event)], redact);
  recordWith({
    save: (event) => {
      saved.push(event);
      return ok(undefined);
    },
    finish: () => ok(undefined),
  });
  const events = (secret: string): readonly Event[] => [
    textDelta(`it is ${secret}`),
    { family: "model", type: "reasoning_delta", text: secret },
    { family: "tool", type: "stdout_chunk", call_id: "c1", text: `"${secret}"\n` },
    { family: "warning", type: "warning", code: "c", message: `a ${secret}`, hint: secret },
    textDelta("nothing to hide"),
  ];
  for (const event of events("hunter22")) void emit(event);
  expect(shown).toEqual([...events("***")]);
  expect(saved).toEqual([...events("hunter22")]);
});

test("emitter() puts what a sink says about an event before whatever already waits", async () => {
  const shown: Envelope[] = [];
  const release = Promise.withResolvers<void>();
  const { emit, emitNext } = emitter(
    fakeHost(),
    [
      (seen) => void shown.push(seen),
      ({ event }) => (event === one ? release.promise.then(() => emitNext(three)) : undefined),
    ],
    UNMASKED,
  );
  const all = [emit(one), emit(two)];
  release.resolve();
  await Promise.all(all);
  expect(shown).toEqual([envelope(1, one), envelope(2, three), envelope(3, two)]);
});
