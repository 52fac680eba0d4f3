import { describe, expect, test } from "bun:test";
import { listModels } from "../../adapters/model/list.ts";
import { startEndpoint } from "../fakes/endpoint.ts";
import { newProtocol, PROTOCOLS } from "./new-protocol.ts";

describe.concurrent("listModels()", () => {
  test.each(PROTOCOLS)("of %s names what the endpoint offers, in order", async (name) => {
    const endpoint = startEndpoint([], { models: ["zeta", "alpha"] });
    try {
      const request = {
        protocol: newProtocol(name),
        credential: { type: "key", key: "sk-test" },
        headers: {},
        timeoutMs: 5000,
        proxy: "",
        ca: undefined,
        where: {
          profile: "p",
          address: name === "anthropic" ? endpoint.root : endpoint.url,
          protocol: name,
          login: false,
        },
      } as const;
      expect(await listModels(request, new AbortController().signal)).toEqual({
        ok: true,
        value: ["alpha", "zeta"],
      });
      expect(endpoint.requests.map(({ path }) => path)).toEqual(["/v1/models"]);
    } finally {
      await endpoint.stop();
    }
  });
});
