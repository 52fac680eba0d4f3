import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { isFields } from "../../core/lenient.ts";
import { calls, type ReceivedRequest, says } from "../fakes/endpoint.ts";
import { startListener } from "./listener.ts";
import { execAgainst } from "./run-buddy.ts";
import { toolTexts } from "./tool-texts.ts";

const fetchUrl = (url: string) => ({ name: "fetch_url", arguments: { url } });
const search = (query: string) => ({ name: "web_search", arguments: { query } });

const toolNames = ([request]: readonly ReceivedRequest[]): readonly string[] =>
  [...JSON.stringify(isFields(request?.body) ? request.body.tools : []).matchAll(/"name":"([\w-]+)"/g)].map(
    ([, name = ""]) => name,
  );

const FILES = ["read_file", "write_file", "edit_file"];

describe.concurrent("buddy exec and the web", () => {
  test.each([
    (port: number) => `http://127.0.0.1:${port}/`,
    (port: number) => `http://localhost:${port}/`,
    (port: number) => `http://2130706433:${port}/`,
    (port: number) => `http://0x7f.1:${port}/`,
    (port: number) => `http://[::ffff:127.0.0.1]:${port}/`,
    (port: number) => `http://x@127.0.0.1:${port}/`,
    (port: number) => `http://127.0.0.1.:${port}/`,
    (port: number) => `http://0:${port}/`,
  ])("never connects to this machine, whatever was approved: %#", async (urlAt) => {
    using listener = await startListener();
    const script = [calls(fetchUrl(urlAt(listener.port))), says("refused")];
    const ran = await execAgainst(script, ["--approve", "all", "go"]);
    expect({ code: ran.code, stdout: ran.stdout, connections: listener.connections() }).toEqual({
      code: 0,
      stdout: "refused\n",
      connections: 0,
    });
    expect(toolTexts(ran.requests)).toEqual([expect.stringContaining("Denied: Cannot fetch")]);
  });

  test("fetches from a host of this machine that the user's file allows", async () => {
    using listener = await startListener();
    const script = [calls(fetchUrl(`http://127.0.0.1:${listener.port}/page`)), says("done")];
    const toml = '[tools]\nfetch_allowed_domains = ["127.0.0.1"]\n';
    const ran = await execAgainst(script, ["go"], { toml });
    expect({ code: ran.code, connections: listener.connections() }).toEqual({ code: 0, connections: 1 });
    expect(toolTexts(ran.requests)).toEqual([expect.stringMatching(/untrusted_content source=.*secret/)]);
  });

  test("a project's file cannot allow a host or name a search engine", async () => {
    using listener = await startListener();
    const at = `http://127.0.0.1:${listener.port}/`;
    const script = [calls(fetchUrl(at), fetchUrl(`${at}?q=x`)), says("refused")];
    const files = {
      "cwd/buddy.toml": `[tools]\nfetch_allowed_domains = ["127.0.0.1"]\nsearch_endpoint = "${at}"\n`,
    };
    const ran = await execAgainst(script, ["go"], { files });
    expect({ code: ran.code, connections: listener.connections() }).toEqual({ code: 0, connections: 0 });
    expect(ran.stderr).toContain("ignored tools.fetch_allowed_domains, tools.search_endpoint");
  });

  test("searches where the user's file says, and nowhere else on that machine", async () => {
    const page = readFileSync(join(import.meta.dir, "../../fixtures/pages/search-results.html"));
    const asked: string[] = [];
    await using engine = Bun.serve({
      port: 0,
      hostname: "127.0.0.1",
      fetch: ({ url }) => {
        asked.push(new URL(url).pathname + new URL(url).search);
        return new Response(page, { headers: { "content-type": "text/html" } });
      },
    });
    const root = `http://127.0.0.1:${engine.port}`;
    const script = [calls(search("how a kettle works"), fetchUrl(`${root}/admin`)), says("done")];
    const ran = await execAgainst(script, ["go"], { toml: `[tools]\nsearch_endpoint = "${root}/html/"\n` });
    expect({ code: ran.code, asked }).toEqual({ code: 0, asked: ["/html/?q=how%20a%20kettle%20works"] });
    expect(toolTexts(ran.requests)).toEqual([
      expect.stringContaining("https://kettles.example/how?a=1&b=2#top"),
      expect.stringContaining("127.0.0.1 is a loopback address"),
    ]);
  });

  test("asks before fetching where the user wants that", async () => {
    using listener = await startListener();
    const toml = '[tools]\nfetch_confirm = true\nfetch_allowed_domains = ["127.0.0.1"]\n';
    const script = [calls(fetchUrl(`http://127.0.0.1:${listener.port}/`)), says("denied")];
    const ran = await execAgainst(script, ["go"], { toml });
    expect({ code: ran.code, connections: listener.connections() }).toEqual({ code: 4, connections: 0 });
  });

  test("offers the tools that are turned on", async () => {
    const names = async (toml: string) =>
      toolNames((await execAgainst([says("hi")], ["hi"], { toml })).requests);
    expect(await names("")).toEqual(["run_shell", ...FILES, "fetch_url", "web_search", "time"]);
    expect(await names("[tools]\nfetch_enabled = false\nsearch_enabled = false\n")).toEqual([
      "run_shell",
      ...FILES,
      "time",
    ]);
  });
});
