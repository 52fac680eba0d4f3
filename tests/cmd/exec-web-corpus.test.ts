import { expect, test } from "bun:test";
import { calls, says } from "../fakes/endpoint.ts";
import { SSRF_ROWS } from "../fakes/ssrf-rows.ts";
import { startListener } from "./listener.ts";
import { execAgainst } from "./run-buddy.ts";
import { toolTexts } from "./tool-texts.ts";

// What the URL itself decides, through the executable. Names and redirects need an internet of their own: see
// tests/adapters/web-corpus.test.ts.

const literal = SSRF_ROWS.filter(({ context }) => Object.keys(context).length === 0);
const inputs = (expected: "allow" | "block"): readonly string[] =>
  literal.filter((row) => row.expected === expected).map(({ input }) => input);

const fetchUrl = (url: string) => ({ name: "fetch_url", arguments: { url } });

/** In turns of as many calls as one may have. */
async function askedFor(urls: readonly string[], toml: string) {
  const turns: string[][] = [];
  for (let at = 0; at < urls.length; at += 30) turns.push(urls.slice(at, at + 30));
  const script = [...turns.map((turn) => calls(...turn.map(fetchUrl))), says("done")];
  const ran = await execAgainst(script, ["--approve", "ask", "go"], { toml });
  return { code: ran.code, stdout: ran.stdout, texts: toolTexts(ran.requests) };
}

test("buddy exec refuses every URL of the corpus that must be refused", async () => {
  const urls = inputs("block");
  const { code, stdout, texts } = await askedFor(urls, "");
  expect({ code, stdout, results: texts.length }).toEqual({
    code: 0,
    stdout: "done\n",
    results: urls.length,
  });
  const refused = /Denied: Cannot fetch|NUL in url|control character 0x|url is required/;
  expect(urls.filter((_url, index) => !refused.test(texts[index] ?? ""))).toEqual([]);
});

test("buddy exec has the user asked about every URL of the corpus that may be fetched", async () => {
  const urls = inputs("allow");
  const { code, texts } = await askedFor(urls, "[tools]\nfetch_confirm = true\n");
  // Nobody is there to be asked, so nothing is fetched either.
  expect({ code, results: texts.length }).toEqual({ code: 4, results: urls.length });
  expect(urls.filter((_url, index) => !/Denied: (?!Cannot fetch)/.test(texts[index] ?? ""))).toEqual([]);
});

test("buddy exec follows no redirect from an allowed host of this machine to another port of it", async () => {
  using listener = await startListener();
  const { port } = listener;
  const tricks = [
    `http://127.0.0.1:${port}/`,
    `//127.0.0.1:${port}/`,
    `http://localhost:${port}/`,
    `http://2130706433:${port}/`,
    `http://[::ffff:127.0.0.1]:${port}/`,
    `http://0:${port}/`,
    `\\\\127.0.0.1:${port}\\`,
    `http://x:y@127.0.0.1:${port}/`,
    `http://127.0.0.1:${port}/%2e%2e/`,
    "file:///etc/passwd",
    "data:text/plain,secret",
  ];
  await using site = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: ({ url }) => {
      const location = tricks[Number(new URL(url).pathname.slice(1))] ?? "";
      return new Response("moved", { status: 302, headers: { location } });
    },
  });
  const urls = tricks.map((_trick, index) => `http://127.0.0.1:${site.port}/${index}`);
  const { code, texts } = await askedFor(
    urls,
    `[tools]\nfetch_allowed_domains = ["127.0.0.1:${site.port}"]\n`,
  );
  expect({ code, connections: listener.connections() }).toEqual({ code: 0, connections: 0 });
  expect(texts).toEqual(tricks.map(() => expect.stringContaining("redirects there")));
});
