import type { ProtocolName } from "../../adapters/model/protocol.ts";
import { sseReader } from "../../adapters/model/sse.ts";
import type { Reply } from "../../core/ports/model.ts";
import { newProtocol } from "./new-protocol.ts";

/** What came of a stream. Deltas are what a user saw of it. */
export type StreamEnd = {
  readonly reply?: Reply;
  readonly notice?: string;
  readonly error?: string;
  readonly retryable?: boolean;
  readonly text: string;
  readonly reasoning: string;
};

export const originOf = (protocol: ProtocolName): string => `${protocol}@models.example`;

/** Reads a stream that arrives in these chunks and then closes, as the client does. */
export function readStream(protocol: ProtocolName, chunks: readonly (Uint8Array | string)[]): StreamEnd {
  const reader = newProtocol(protocol).newReader(originOf(protocol));
  const sse = sseReader(reader.event);
  const seen = { text: "", reasoning: "" };
  const look = () => {
    const { text, reasoning } = reader.takeDeltas();
    seen.text += text;
    seen.reasoning += reasoning;
  };
  for (const chunk of chunks) {
    const fed = sse.feed(typeof chunk === "string" ? new TextEncoder().encode(chunk) : chunk);
    look();
    if (!fed.ok) return { ...seen, ...brokenBy(fed.error) };
  }
  const fed = sse.end();
  look();
  if (!fed.ok) return { ...seen, ...brokenBy(fed.error) };
  const end = reader.end();
  return { ...seen, ...(end.ok ? end.value : brokenBy(end.error)) };
}

const brokenBy = ({ detail, retryable }: { readonly detail: string; readonly retryable: boolean }) => ({
  error: detail,
  retryable,
});
