import { describe, expect, test } from "bun:test";
import { mkdirSync, readFileSync, renameSync, rmSync, statSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { trustStore } from "../../adapters/config/trust-store.ts";
import { splitByTrust } from "../../core/config/trust.ts";
import { inDirectory, unwrap } from "./in-directory.ts";

const NOW = Date.UTC(2026, 0, 2, 3, 4, 5);
const SINCE = "2026-01-02T03:04:05.000Z";
const asking = (model: string) => splitByTrust({ models: { m: { model } } });

describe("trustStore()", () => {
  const withStore = (body: (store: ReturnType<typeof trustStore>, root: string, path: string) => void) =>
    inDirectory({ "a/x": "", "b/x": "" }, async (root) => {
      const path = join(root, "config/trust.json");
      body(trustStore(path), root, path);
    });

  test("trustStore() trusts nobody before it is told", () =>
    withStore((store, root) => {
      expect(store.isTrusted(join(root, "a"), asking("m"))).toEqual({ ok: true, value: false });
      expect(store.list()).toEqual({ ok: true, value: [] });
    }));

  test("trust() is for one directory and exactly these values", () =>
    withStore((store, root) => {
      const [a, b] = [join(root, "a"), join(root, "b")];
      unwrap(store.trust(a, asking("m"), NOW));
      const asked = [
        [a, asking("m")],
        [a, asking("other")],
        [a, splitByTrust({ models: { m: { model: "m" } }, tools: { shell_confirm: false } })],
        [b, asking("m")],
        [root, asking("m")],
        [join(a, "sub"), asking("m")],
      ] as const;
      expect(asked.map(([dir, split]) => unwrap(store.isTrusted(dir, split)))).toEqual([
        true,
        false,
        false,
        false,
        false,
        false,
      ]);
    }));

  test("trust() again is for the new values alone", () =>
    withStore((store, root) => {
      const a = join(root, "a");
      unwrap(store.trust(a, asking("one"), 0));
      unwrap(store.trust(a, asking("two"), NOW));
      expect([asking("one"), asking("two")].map((split) => unwrap(store.isTrusted(a, split)))).toEqual([
        false,
        true,
      ]);
      expect(store.list()).toEqual({ ok: true, value: [{ dir: a, since: SINCE }] });
    }));

  test("trust() is for what a link leads to, not for the link", () =>
    withStore((store, root) => {
      const link = join(root, "link");
      symlinkSync(join(root, "a"), link);
      unwrap(store.trust(link, asking("m"), NOW));
      expect(unwrap(store.isTrusted(join(root, "a"), asking("m")))).toBe(true);
      rmSync(link);
      symlinkSync(join(root, "b"), link);
      expect(unwrap(store.isTrusted(link, asking("m")))).toBe(false);
    }));

  test("trust() of a directory that is replaced by another holds for its path and values", () =>
    withStore((store, root) => {
      const a = join(root, "a");
      unwrap(store.trust(a, asking("m"), NOW));
      renameSync(a, join(root, "moved"));
      mkdirSync(a);
      expect([a, join(root, "moved")].map((dir) => unwrap(store.isTrusted(dir, asking("m"))))).toEqual([
        true,
        false,
      ]);
    }));

  test("revoke() takes trust back, says whether there was any, and leaves the others", () =>
    withStore((store, root) => {
      const [a, b] = [join(root, "a"), join(root, "b")];
      for (const dir of [a, b]) unwrap(store.trust(dir, asking("m"), NOW));
      expect([store.revoke(a), store.revoke(a)]).toEqual([
        { ok: true, value: true },
        { ok: true, value: false },
      ]);
      expect([a, b].map((dir) => unwrap(store.isTrusted(dir, asking("m"))))).toEqual([false, true]);
    }));

  test("revoke() takes trust back from a directory that is gone", () =>
    withStore((store, root) => {
      const a = join(root, "a");
      unwrap(store.trust(a, asking("m"), NOW));
      rmSync(a, { recursive: true });
      expect(store.revoke(a)).toEqual({ ok: true, value: true });
    }));

  test("list() names every directory with the time", () =>
    withStore((store, root) => {
      unwrap(store.trust(join(root, "b"), asking("m"), NOW));
      unwrap(store.trust(join(root, "a"), asking("m"), NOW));
      const dirs = unwrap(store.list()).map(({ dir, since }) => `${dir} ${since}`);
      expect(dirs.sort()).toEqual([`${join(root, "a")} ${SINCE}`, `${join(root, "b")} ${SINCE}`]);
    }));

  test("trust() keeps a private file, without what the project said", () =>
    withStore((store, root, path) => {
      unwrap(store.trust(join(root, "a"), asking("sk-in-a-project-file"), NOW));
      expect((statSync(path).mode & 0o777).toString(8)).toBe("600");
      expect(readFileSync(path, "utf8")).not.toContain("sk-in-a-project-file");
    }));

  test("trust() takes odd names for what they are", () =>
    inDirectory({ "__proto__/x": "", "toString/x": "" }, async (root) => {
      const store = trustStore(join(root, "trust.json"));
      expect(unwrap(store.isTrusted("__proto__", asking("m")))).toBe(false);
      expect(unwrap(store.isTrusted("toString", asking("m")))).toBe(false);
      unwrap(store.trust(join(root, "toString"), asking("m"), NOW));
      expect(unwrap(store.isTrusted(join(root, "toString"), asking("m")))).toBe(true);
    }));
});

describe("trustStore() with a file that cannot be used", () => {
  test.each([
    ["broken JSON", "{"],
    ["an empty file", ""],
    ["entries of another form", '{"/a":"yes"}'],
    ["an entry without a hash", '{"/a":{"since":"2026"}}'],
  ])("every question is an error with %s, and the file stays", (_what, text) =>
    inDirectory({ "trust.json": text, "a/x": "" }, async (root) => {
      const path = join(root, "trust.json");
      const store = trustStore(path);
      const dir = join(root, "a");
      const answers = [
        store.isTrusted(dir, asking("m")),
        store.trust(dir, asking("m"), NOW),
        store.revoke(dir),
        store.list(),
      ];
      expect(answers.map(({ ok }) => ok)).toEqual([false, false, false, false]);
      for (const answer of answers) {
        expect(answer.ok ? "" : answer.error).toStartWith(`Cannot read "${path}": `);
      }
      expect(readFileSync(path, "utf8")).toBe(text);
    }),
  );

  test("trustStore() says that a directory in its place is no file", () =>
    inDirectory({ "trust.json/x": "" }, async (root) => {
      const listed = trustStore(join(root, "trust.json")).list();
      expect(listed.ok ? "" : listed.error).toStartWith(`Cannot read "${join(root, "trust.json")}": `);
    }));

  test("trustStore() without a home trusts nobody and says that it cannot keep trust", () => {
    const store = trustStore(undefined);
    expect(store.isTrusted("/", asking("m"))).toEqual({ ok: true, value: false });
    expect(store.trust("/", asking("m"), NOW)).toEqual({
      ok: false,
      error: "Cannot save trust: there is no home directory",
    });
  });

  test("trust() says why it cannot be saved", () =>
    inDirectory({ config: "in the way" }, async (root) => {
      const path = join(root, "config/trust.json");
      const saved = trustStore(path).trust(root, asking("m"), NOW);
      expect(saved.ok ? "" : saved.error).toStartWith(`Cannot save trust in "${path}": `);
    }));
});
