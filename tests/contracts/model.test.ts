import { completions } from "../../adapters/model/completions.ts";
import { httpModel } from "../../adapters/model/http.ts";
import { modelContract } from "./model.contract.ts";

modelContract("http, completions", ({ url, host, retries, idleTimeoutMs, stream }) =>
  httpModel(host, completions(), {
    profile: "mock",
    baseUrl: url,
    key: "sk-test-key",
    headers: {},
    userAgent: "buddy/test",
    options: { model: "mock", stream, maxOutputTokens: 0, temperature: undefined, topP: undefined },
    retries,
    idleTimeoutMs,
    redact: (text) => text,
  }),
);
