import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { Glob } from "bun";
import type * as v from "valibot";
import type { Envelope, Event } from "../../core/event.ts";
import type { envelopeSchema, eventSchema } from "../../core/event-schema.ts";
import type { ApprovalId, EntryId, SessionId, TaskId } from "../../core/id.ts";

/** Ids are strings to whoever reads them; lists and fields are compared, not whether they may be written. */
type Plain<T> = T extends SessionId | TaskId | ApprovalId | EntryId
  ? string
  : T extends readonly (infer Item)[]
    ? readonly Plain<Item>[]
    : T extends object
      ? string extends keyof T
        ? T
        : { readonly [Key in keyof T]: Plain<T[Key]> }
      : T;

/** Each event on its own, also where several share one type in code. */
type Apart<E extends { readonly type: string }> = E extends unknown
  ? { [Type in E["type"]]: Plain<Omit<E, "type"> & { readonly type: Type }> }[E["type"]]
  : never;

type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;

type Documented = v.InferInput<typeof eventSchema>;

// These compile only while each event is documented with exactly the fields that it has, and nothing else is.
const eventsAreDocumented: Same<Apart<Event>, Apart<Documented>> = true;
const documentedAreEvents: Plain<Documented> extends Plain<Event> ? true : false = true;
const eventsAreAccepted: Plain<Event> extends Plain<Documented> ? true : false = true;
const envelopeIsDocumented: Same<
  Omit<Plain<Envelope>, "event">,
  Omit<Plain<v.InferInput<typeof envelopeSchema>>, "event">
> = true;

describe("envelopeSchema", () => {
  test("says what the types say", () => {
    expect([eventsAreDocumented, documentedAreEvents, eventsAreAccepted, envelopeIsDocumented]).toEqual([
      true,
      true,
      true,
      true,
    ]);
  });

  test("is loaded by nothing that runs", async () => {
    const root = join(import.meta.dir, "../..");
    const paths = await Array.fromAsync(new Glob("{core,adapters,cmd}/**/*.ts").scan({ cwd: root }));
    const texts = await Promise.all(paths.map((path) => Bun.file(join(root, path)).text()));
    expect(paths.filter((_, at) => /event-(schema|parts)\.ts"/.test(texts[at] ?? ""))).toEqual([
      "core/event-schema.ts",
    ]);
  });
});
