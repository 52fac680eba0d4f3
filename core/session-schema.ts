import * as v from "valibot";
import { entryIdOf, sessionIdOf } from "./id.ts";
import type { JsonObject } from "./json.ts";
import { isFields } from "./lenient.ts";
import { SESSION_ID, SESSION_VERSION } from "./session.ts";

// What a session file may say, as it is read. Fields that a later version of the same major adds are passed over.

const text = v.string();
const entryIdSchema = v.pipe(text, v.minLength(1), v.maxLength(64), v.transform(entryIdOf));
const count = v.fallback(v.pipe(v.number(), v.safeInteger(), v.minValue(0)), 0);

export const headerSchema = v.object({
  type: v.literal("session"),
  v: v.literal(SESSION_VERSION),
  id: v.pipe(text, v.regex(SESSION_ID), v.transform(sessionIdOf)),
  created_at: v.fallback(text, ""),
  cwd: v.fallback(text, ""),
  target: v.fallback(text, ""),
  buddy: v.fallback(text, ""),
  forked_from: v.exactOptional(v.pipe(text, v.transform(sessionIdOf))),
  imported_from: v.exactOptional(text),
});

/** What every entry has, of whichever type. */
export const placeSchema = v.object({
  id: entryIdSchema,
  parentId: v.nullish(entryIdSchema, null),
  ts: v.fallback(v.number(), 0),
  type: text,
});

const parts = v.array(
  v.variant("type", [
    v.object({ type: v.literal("text"), text }),
    v.object({ type: v.literal("image"), media_type: text, data: text }),
  ]),
);

const usage = v.object({
  input_tokens: count,
  output_tokens: count,
  cached_tokens: count,
  reasoning_tokens: count,
  total_tokens: count,
});

const message = v.literal("message");

/** What an entry of a known type says besides its place. */
export const bodySchema = v.variant("type", [
  v.variant("role", [
    v.object({ type: message, role: v.literal("user"), content: parts }),
    v.object({
      type: message,
      role: v.literal("assistant"),
      content: text,
      reasoning: v.exactOptional(text),
      tool_calls: v.array(v.object({ id: text, name: text, arguments: text })),
      extra: v.exactOptional(v.object({ origin: text, fields: v.custom<JsonObject>(isFields) })),
      usage: v.exactOptional(usage),
      profile: v.exactOptional(text),
      model: v.exactOptional(text),
    }),
    v.object({
      type: message,
      role: v.literal("tool"),
      tool_call_id: text,
      name: text,
      content: parts,
      is_error: v.fallback(v.boolean(), false),
    }),
  ]),
  v.object({
    type: v.literal("compaction"),
    summary: text,
    first_kept_id: v.nullable(entryIdSchema),
    tokens_before: count,
    tokens_after: count,
  }),
  v.object({ type: v.literal("model_change"), profile: text, model: text }),
  v.object({
    type: v.literal("approval"),
    call_id: text,
    tool: text,
    subject: text,
    decision: v.variant("type", [
      v.object({
        type: v.literal("allowed"),
        by: v.picklist(["user", "policy"]),
        subject: v.exactOptional(text),
      }),
      v.object({
        type: v.literal("denied"),
        by: v.picklist(["user", "policy", "rule", "nobody"]),
        reason: text,
      }),
    ]),
  }),
  v.object({ type: v.literal("label"), label: text, entry_id: v.exactOptional(entryIdSchema) }),
  v.object({ type: v.literal("title"), title: text }),
  v.object({ type: v.literal("leaf"), tip: v.nullable(entryIdSchema) }),
]);

export const KNOWN_TYPES: ReadonlySet<string> = new Set([
  "message",
  "compaction",
  "model_change",
  "approval",
  "label",
  "title",
  "leaf",
]);
