import * as v from "valibot";
import { corpusRows } from "./corpus.ts";

const call = v.object({ id: v.string(), name: v.string(), arguments: v.string() });

const streamRow = v.object({
  id: v.string(),
  name: v.string(),
  protocol: v.string(),
  input: v.object({
    headers: v.record(v.string(), v.string()),
    chunks_b64: v.array(v.string()),
    end: v.string(),
    generate: v.optional(
      v.object({
        gzip_of: v.optional(v.string()),
        data_line_bytes: v.optional(v.number()),
        deltas: v.optional(v.number()),
        interval_ms: v.optional(v.number()),
      }),
    ),
  }),
  expected: v.object({
    outcome: v.string(),
    text: v.optional(v.string()),
    text_prefix: v.optional(v.string()),
    text_len: v.optional(v.number()),
    tool_calls: v.optional(v.array(call)),
    usage_total: v.optional(v.number()),
    error: v.optional(v.string()),
    user_told: v.optional(v.boolean()),
  }),
});

export type StreamRow = v.InferOutput<typeof streamRow>;

/** The streams of chat completions. */
export const chatStreams = (): readonly StreamRow[] => streamsOf("chat");

export const streamsOf = (name: "chat" | "responses" | "anthropic"): readonly StreamRow[] =>
  corpusRows("sse-streams", streamRow).filter(({ protocol }) => protocol === name);

export const chunksOf = ({ input }: StreamRow): readonly Uint8Array[] =>
  input.chunks_b64.map((chunk) => Uint8Array.fromBase64(chunk));
