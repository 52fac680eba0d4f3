import type { JsonObject } from "../../core/json.ts";
import { isFields } from "../../core/lenient.ts";
import { parseStrictJson } from "../../core/strict-json.ts";
import { jsonFields } from "./protocol.ts";

// A model may call what does not exist with arguments that are no JSON. Such a call gets an error for its result,
// but it stays in the conversation, and many servers refuse a whole conversation for one call they cannot read.

const PLAIN = /^[a-zA-Z0-9_-]{1,64}$/;

/** The name of a call as every provider takes it. */
export const wireName = (name: string): string =>
  PLAIN.test(name) ? name : name.replace(/[^a-zA-Z0-9_-]/g, "_").slice(0, 64) || "unknown";

/** The id of a call, for protocols that are strict about ids; it may come from one that is not. */
export const wireId = (id: string): string =>
  PLAIN.test(id) ? id : `call_${new Bun.CryptoHasher("sha256").update(id).digest("hex").slice(0, 24)}`;

/** The arguments of a call as the text of a JSON object: as the model wrote them, if they are that. */
export function wireArguments(written: string): string {
  const input = objectIn(written);
  return input === undefined ? JSON.stringify(malformed(written)) : written.trim() || "{}";
}

/** The same as an object. */
export const wireInput = (written: string): JsonObject => objectIn(written) ?? malformed(written);

const malformed = (written: string): JsonObject => ({ malformed_arguments: written });

function objectIn(written: string): JsonObject | undefined {
  const parsed = parseStrictJson(written.trim() === "" ? "{}" : written);
  return parsed.ok && isFields(parsed.value) ? jsonFields(parsed.value) : undefined;
}
