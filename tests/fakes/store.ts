import * as v from "valibot";
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

/** An entry as it is on disk: JSON, of which only the place in the chain is known. */
export type SavedEntry = v.InferOutput<typeof savedEntry>;
const savedEntry = v.looseObject({ id: v.string(), parentId: v.nullable(v.string()), type: v.string() });

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
