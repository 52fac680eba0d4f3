import * as v from "valibot";
import { type SessionId, sessionIdOf } from "../../core/id.ts";
import type { JsonObject } from "../../core/json.ts";
import { isFields } from "../../core/lenient.ts";
import type { OpenedSession, SessionLog, Store, StoreFailure } from "../../core/ports/store.ts";
import { err, ok, type Result } from "../../core/result.ts";
import type { SessionHeader } from "../../core/session.ts";
import { summarise } from "../../core/session-summary.ts";
import { pathOf, readSession, type SessionTree } from "../../core/session-tree.ts";

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
  v.strictObject({
    ...place,
    type: v.literal("compaction"),
    summary: v.string(),
    first_kept_id: v.nullable(v.string()),
    tokens_before: v.number(),
    tokens_after: v.number(),
  }),
  v.strictObject({ ...place, type: v.literal("model_change"), profile: v.string(), model: v.string() }),
  v.strictObject({
    ...place,
    type: v.literal("label"),
    label: v.string(),
    entry_id: v.exactOptional(v.string()),
  }),
  v.strictObject({ ...place, type: v.literal("title"), title: v.string() }),
  v.strictObject({ ...place, type: v.literal("leaf"), tip: v.nullable(v.string()) }),
]);

export type StoreStep = "create" | "open" | "append" | "flush";

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
  const sessions: OpenableSession[] = [];
  const failing = new Map<StoreStep, string>();

  const attempt = (step: StoreStep): Result<void, StoreFailure> => {
    const detail = failing.get(step);
    return detail === undefined ? ok(undefined) : err({ kind: "unwritable", detail });
  };

  const textOf = ({ header, entries }: MemorySession): string =>
    [header, ...entries].map((line) => `${JSON.stringify(line)}\n`).join("");

  const treeOf = (session: MemorySession): SessionTree => {
    const tree = readSession(textOf(session).split("\n"));
    if (!tree.ok) throw new Error(tree.error.detail);
    return tree.value;
  };

  const find = (ref: string): Result<OpenableSession, StoreFailure> => {
    const [first, ...others] = sessions.filter(({ header }) => header.id.startsWith(ref));
    const exact = sessions.find(({ header }) => header.id === ref) ?? first;
    if (exact === undefined) return err({ kind: "not_found", detail: `There is no session "${ref}"` });
    if (exact.header.id === ref || others.length === 0) return ok(exact);
    const ids = [first, ...others].map((session) => session?.header.id ?? "").sort();
    return err({ kind: "ambiguous", detail: `"${ref}" begins several sessions: ${ids.join(", ")}` });
  };

  const begin = (header: SessionHeader, entries: readonly SavedEntry[]): OpenedSession => {
    const session = memorySession(header, entries);
    sessions.push(session);
    const log = session.open(attempt, onStep);
    return { log, tree: treeOf(session), warnings: [], ...(notice === undefined ? {} : { notice }) };
  };

  const list: Store["list"] = async () => ({
    sessions: sessions
      .map((session) => {
        const { id } = session.header;
        const facts = summarise({ head: textOf(session) }, id);
        const lastUsedMs = facts.lastEntryMs ?? 0;
        return { id, path: pathFor(id), format: "session", ...facts, lastUsedMs } as const;
      })
      .sort((a, b) => b.lastUsedMs - a.lastUsedMs || (a.id < b.id ? 1 : -1)),
    warnings: [],
  });

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
        const { log } = begin(header, []);
        return ok({ log, ...(notice === undefined ? {} : { notice }) });
      },
      open: async (ref) => {
        onStep("open", []);
        const allowed = attempt("open");
        if (!allowed.ok) return allowed;
        const found = find(ref);
        if (!found.ok) return found;
        if (!found.value.closed()) {
          return err({ kind: "locked", detail: `Session "${ref}" is in use: --fork goes on with a copy` });
        }
        return ok({ log: found.value.open(attempt, onStep), tree: treeOf(found.value), warnings: [] });
      },
      fork: async (ref, entryId) => {
        onStep("create", []);
        const allowed = attempt("create");
        if (!allowed.ok) return allowed;
        const found = find(ref);
        if (!found.ok) return found;
        const { header, entries } = found.value;
        const tree = treeOf(found.value);
        const path = pathOf(tree, entryId ?? tree.tip);
        if (entryId !== undefined && path.length === 0) {
          return err({ kind: "not_found", detail: `Session "${header.id}" has no entry "${entryId}"` });
        }
        const id = sessionIdOf(`fork-${sessions.length}`);
        const kept = path.flatMap(({ line }, index) => {
          const entry = entries[line - 2];
          return entry ? [{ ...entry, parentId: path[index - 1]?.entry.id ?? null }] : [];
        });
        return ok(begin({ ...header, id, forked_from: header.id }, kept));
      },
      read: async (ref) => {
        const found = find(ref);
        if (!found.ok) return found;
        const { id } = found.value.header;
        return ok({ id, path: pathFor(id), tree: treeOf(found.value), warnings: [] });
      },
      list,
      latest: async () => {
        const [latest] = (await list()).sessions;
        return latest ? ok(latest) : err({ kind: "not_found", detail: "There is no session yet" });
      },
      remove: async (ref) => {
        const found = find(ref);
        if (!found.ok) return found;
        if (!found.value.closed()) return err({ kind: "locked", detail: `Session "${ref}" is in use` });
        sessions.splice(sessions.indexOf(found.value), 1);
        return ok({ path: pathFor(found.value.header.id) });
      },
    },
  };
}

const pathFor = (id: SessionId): string => `/sessions/${id}.jsonl`;

type OpenableSession = MemorySession & {
  readonly open: (
    attempt: (step: StoreStep) => Result<void, StoreFailure>,
    onStep: NonNullable<MemoryStoreSetup["onStep"]>,
  ) => SessionLog;
};

function memorySession(header: SessionHeader, first: readonly SavedEntry[]): OpenableSession {
  const entries: SavedEntry[] = [...first];
  let flushed = first.length;
  let open = false;
  return {
    header,
    entries,
    flushed: () => flushed,
    closed: () => !open,
    open: (attempt, onStep) => {
      open = true;
      let closed = false;
      const mustBeOpen = () => {
        if (closed) throw new Error("The session log was used after it was closed");
      };
      return {
        id: header.id,
        path: pathFor(header.id),
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
          open = false;
        },
      };
    },
  };
}
