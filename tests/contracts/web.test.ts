import { test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { webOver } from "../../adapters/web/web.ts";
import {
  type Answer,
  hasSecondLoopback,
  loopbackTransport,
  PUBLIC_ADDRESS,
  startSite,
} from "../fakes/loopback-web.ts";
import { scriptedWeb, textPage } from "../fakes/web.ts";
import { HITS, TEXT, webContract } from "./web.contract.ts";

const RESULTS = readFileSync(join(import.meta.dir, "../../fixtures/pages/search-results.html"));

const ANSWERS: Readonly<Record<string, Answer>> = {
  "/text": { body: TEXT },
  "/moved": { status: 301, headers: { location: "/text" } },
  "/binary": { headers: { "content-type": "application/octet-stream" }, body: new Uint8Array([0, 1, 2, 3]) },
  "/search?q=x": { headers: { "content-type": "text/html" }, body: RESULTS },
};

const urlsAt = (site: string) => ({
  text: `${site}/text`,
  moved: `${site}/moved`,
  missing: `${site}/missing`,
  binary: `${site}/binary`,
  denied: "http://169.254.169.254/latest/meta-data",
  unresolved: "http://nowhere.test/",
  search: `${site}/search?q=x`,
});

webContract("the fake", async () => {
  const urls = urlsAt("http://site.test");
  const { web } = scriptedWeb(
    {
      [urls.text]: textPage(urls.text, TEXT),
      [urls.moved]: textPage(urls.text, TEXT),
      [urls.missing]: textPage(urls.missing, "no such page", { status: 404 }),
      [urls.binary]: textPage(urls.binary, "", {
        body: { type: "binary", size: 4, firstBytes: "00 01 02 03" },
      }),
      [urls.denied]: { kind: "denied", detail: "It is not allowed" },
    },
    { type: "hits", hits: HITS },
  );
  return { web, urls, [Symbol.asyncDispose]: async () => {} };
});

if (await hasSecondLoopback()) {
  webContract("HTTP", async () => {
    const site = await startSite((path) => ANSWERS[path] ?? { status: 404, body: "no such page" });
    const web = webOver(
      loopbackTransport({ resolve: async (name) => (name === "site.test" ? [PUBLIC_ADDRESS] : []) }),
    );
    return {
      web,
      urls: urlsAt(`http://site.test:${site.port}`),
      [Symbol.asyncDispose]: site[Symbol.asyncDispose],
    };
  });
} else {
  test.skip("web: HTTP: this machine has no second loopback address", () => {});
}
