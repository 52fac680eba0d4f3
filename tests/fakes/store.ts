import * as v from "valibot";
import type { JsonObject } from "../../core/json.ts";
import { isFields } from "../../core/lenient.ts";
import type { SessionLog, Store, StoreFailure } from "../../core/ports/store.ts";
import { err, ok, type Result } from "../../core/result.ts";
import type { SessionHeader } from "../../core/session.ts";

export type MemorySession = {
  readonly header: SessionHeader;
  /** What every appended line says. */
  readonly entries: readonly SavedEntry[];
  /** How many entries had been flushed at the last flush. */
  readonly flushed: () => number;
  readonly closed: () => boolean;
};

/** What a line of a session says; anything else in it is a bug, and throws. */
export type SavedEntry = v.InferOutput<typeof savedEntry>;

const place = { id: v.string(), parentId: v.nullable(v.string()), ts: v.number() };
const content = v.pipe(
  v.array(
    v.variant("type", [
      v.strictObject({ type: v.literal("text"), text: v.string() }),
      v.strictObject({ type: v.literal("image"), media_type: v.string(), data: v.string() }),
    ]),
  ),
  v.readonly(),
);
const call = v.strictObject({ id: v.string(), name: v.string(), arguments: v.string() });
const usage = v.strictObject({
  input_tokens: v.number(),
  output_tokens: v.number(),
  cached_tokens: v.number(),
  reasoning_tokens: v.number(),
  total_tokens: v.number(),
});
const savedEntry = v.variant("type", [
  v.variant("role", [
    v.strictObject({ ...place, type: v.literal("message"), role: v.literal("user"), content }),
    v.strictObject({
      ...place,
      type: v.literal("message"),
      role: v.literal("tool"),
      tool_call_id: v.string(),
      name: v.string(),
      content,
      is_error: v.boolean(),
    }),
    v.strictObject({
      ...place,
      type: v.literal("message"),
      role: v.literal("assistant"),
      content: v.string(),
      reasoning: v.exactOptional(v.string()),
      tool_calls: v.pipe(v.array(call), v.readonly()),
      extra: v.exactOptional(v.strictObject({ origin: v.string(), fields: v.custom<JsonObject>(isFields) })),
      usage: v.exactOptional(usage),
      profile: v.exactOptional(v.string()),
      model: v.exactOptional(v.string()),
    }),
  ]),
  v.strictObject({
    ...place,
    type: v.literal("approval"),
    call_id: v.string(),
    tool: v.string(),
    subject: v.string(),
    decision: v.looseObject({ type: v.string(), by: v.string() }),
  }),
]);

export type StoreStep = "create" | "append" | "flush";

export type MemoryStore = {
  readonly store: Store;
  readonly sessions: readonly MemorySession[];
  /** From now on this step fails with `detail`, or works again when there is none. */
  readonly fail: (step: StoreStep, detail: string | undefined) => void;
};

export type MemoryStoreSetup = {
  readonly notice?: string;
  /** Called for everything the store is asked to do, before it does it. */
  readonly onStep?: (step: StoreStep | "close", entries: readonly SavedEntry[]) => void;
};

/** Sessions in memory, with a disk that can be full. */
export function memoryStore({ notice, onStep = () => {} }: MemoryStoreSetup = {}): MemoryStore {
  const sessions: MemorySession[] = [];
  const failing = new Map<StoreStep, string>();

  const attempt = (step: StoreStep): Result<void, StoreFailure> => {
    const detail = failing.get(step);
    return detail === undefined ? ok(undefined) : err({ kind: "unwritable", detail });
  };

  return {
    sessions,
    fail: (step, detail) => {
      if (detail === undefined) failing.delete(step);
      else failing.set(step, detail);
    },
    store: {
      create: async (header) => {
        onStep("create", []);
        const allowed = attempt("create");
        if (!allowed.ok) return allowed;
        const { log, session } = openSession(header, attempt, onStep);
        sessions.push(session);
        return ok({ log, ...(notice === undefined ? {} : { notice }) });
      },
    },
  };
}

function openSession(
  header: SessionHeader,
  attempt: (step: StoreStep) => Result<void, StoreFailure>,
  onStep: NonNullable<MemoryStoreSetup["onStep"]>,
): { readonly log: SessionLog; readonly session: MemorySession } {
  const entries: SavedEntry[] = [];
  let flushed = 0;
  let closed = false;
  const mustBeOpen = () => {
    if (closed) throw new Error("The session log was used after it was closed");
  };
  const log: SessionLog = {
    id: header.id,
    path: `/sessions/${header.id}.jsonl`,
    append: (lines) => {
      mustBeOpen();
      const added = lines.map((line) => v.parse(savedEntry, JSON.parse(line)));
      onStep("append", added);
      const allowed = attempt("append");
      if (allowed.ok) entries.push(...added);
      return allowed;
    },
    flush: async () => {
      mustBeOpen();
      onStep("flush", []);
      const allowed = attempt("flush");
      if (allowed.ok) flushed = entries.length;
      return allowed;
    },
    close: async () => {
      mustBeOpen();
      onStep("close", []);
      closed = true;
    },
  };
  return { log, session: { header, entries, flushed: () => flushed, closed: () => closed } };
}
