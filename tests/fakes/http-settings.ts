import type { Credentials, HttpModelSettings } from "../../adapters/model/http.ts";
import { modelFacts } from "../../core/catalogue.ts";
import { ok } from "../../core/result.ts";

/** A key that never changes. */
export const withKey =
  (key: string): Credentials =>
  async () =>
    ok({ type: "key", key });

export const withoutKey: Credentials = async () => ok({ type: "none" });

/** What a client is built from; what a test does not name is the plainest there is. */
export const httpSettings = (baseUrl: string, more: Partial<HttpModelSettings> = {}): HttpModelSettings => ({
  profile: "mock",
  baseUrl,
  credentials: withKey("sk-test-key"),
  headers: {},
  userAgent: "buddy/test",
  options: {
    model: "mock",
    stream: true,
    maxOutputTokens: 0,
    temperature: undefined,
    topP: undefined,
    thinking: "medium",
    facts: modelFacts([], "mock"),
  },
  retries: 2,
  connectTimeoutMs: 10_000,
  idleTimeoutMs: 5000,
  proxy: "",
  ca: undefined,
  redact: (text) => text,
  ...more,
});
