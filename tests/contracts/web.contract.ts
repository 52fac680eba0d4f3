import { describe, expect, test } from "bun:test";
import type { SearchHit, Web } from "../../core/ports/web.ts";
import { ok } from "../../core/result.ts";
import { textPage } from "../fakes/web.ts";

/** A web in which the places below are what their names say. */
export type WebWorld = {
  readonly web: Web;
  readonly urls: {
    /** `TEXT` as plain text. */
    readonly text: string;
    /** Redirects to `text`. */
    readonly moved: string;
    /** Status 404 with words. */
    readonly missing: string;
    /** Four bytes that are no text. */
    readonly binary: string;
    readonly denied: string;
    readonly unresolved: string;
    /** Searches that find `HITS`. */
    readonly search: string;
  };
  readonly [Symbol.asyncDispose]: () => Promise<void>;
};

export const TEXT = "plain words";
export const HITS: readonly SearchHit[] = [
  {
    title: "How a kettle works",
    url: "https://kettles.example/how?a=1&b=2#top",
    snippet: "The kettle heats water & stops.",
  },
  { title: "A direct link", url: "https://direct.example/page", snippet: "" },
];

/** What every web does. */
export function webContract(name: string, open: () => Promise<WebWorld>): void {
  const { signal: never } = new AbortController();

  describe(`web: ${name}`, () => {
    test("fetch() gives a page with the address where it was found in the end", async () => {
      await using world = await open();
      const { web, urls } = world;
      const found = ok(textPage(urls.text, TEXT));
      expect(await web.fetch({ url: urls.text, format: "text" }, never)).toEqual(found);
      expect(await web.fetch({ url: urls.moved, format: "raw" }, never)).toEqual(found);
    });

    test("fetch() gives the words of a page that says no", async () => {
      await using world = await open();
      const page = await world.web.fetch({ url: world.urls.missing, format: "text" }, never);
      expect(page).toMatchObject({
        ok: true,
        value: { status: 404, body: { type: "text", text: "no such page" } },
      });
    });

    test("fetch() describes what is not text", async () => {
      await using world = await open();
      const page = await world.web.fetch({ url: world.urls.binary, format: "text" }, never);
      expect(page).toMatchObject({
        ok: true,
        value: { body: { type: "binary", size: 4, firstBytes: "00 01 02 03" } },
      });
    });

    test.each(["denied", "unresolved"] as const)("fetch() ends as %s where it has to", async (kind) => {
      await using world = await open();
      const page = await world.web.fetch({ url: world.urls[kind], format: "text" }, never);
      expect(page).toEqual({ ok: false, error: { kind, detail: expect.stringMatching(/\w/) } });
    });

    test("search() gives at most as many results as wanted", async () => {
      await using world = await open();
      const answer = await world.web.search({ url: world.urls.search, limit: 2 }, never);
      expect(answer).toEqual({ ok: true, value: { type: "hits", hits: HITS } });
    });

    test("fetch() and search() throw when aborted", async () => {
      await using world = await open();
      const aborted = AbortSignal.abort(new Error("stop"));
      await expect(world.web.fetch({ url: world.urls.text, format: "text" }, aborted)).rejects.toThrow(
        "stop",
      );
      await expect(world.web.search({ url: world.urls.search, limit: 1 }, aborted)).rejects.toThrow("stop");
    });
  });
}
