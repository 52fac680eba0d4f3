import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readCatalogue } from "../../adapters/config/catalogue.ts";
import models from "../../core/models.toml";
import prices from "../../core/prices.toml";

const BUILT_IN = [...models.rules, ...prices.rules];

let dir = "";
beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), "buddy-models-"));
});
afterAll(() => rmSync(dir, { recursive: true }));

const read = (models: string) => {
  writeFileSync(join(dir, "models.toml"), models);
  return readCatalogue(join(dir, "buddy.toml"), "with_prices");
};

test("readCatalogue() is the built-in rules where the user has no file or no home", async () => {
  const absent = join(dir, "absent", "buddy.toml");
  expect(await readCatalogue(undefined, "with_prices")).toEqual({ ok: true, value: BUILT_IN });
  expect(await readCatalogue(absent, "with_prices")).toEqual({ ok: true, value: BUILT_IN });
  expect(await readCatalogue(absent, "without_prices")).toEqual({ ok: true, value: models.rules });
});

test("readCatalogue() puts the user's rules first", async () => {
  const rules = await read(
    '[[rules]]\nexact = "My-Model"\ncontext = 32768\nprice = { input = 1, output = 2.5 }\n',
  );
  const mine = { exact: "my-model", context: 32768, price: { input: 1, output: 2.5 } };
  expect(rules).toEqual({ ok: true, value: [mine, ...BUILT_IN] });
});

test("readCatalogue() names the file and what is wrong with it", async () => {
  const path = join(dir, "models.toml");
  expect(await read('[[rules]]\nprefix = "a"\n[[rules]]\nprefix = "b"\ncontext = "8k"\n')).toEqual({
    ok: false,
    error: `Cannot read models "${path}": rules.2.context must be a number`,
  });
  expect(await read('[[rule]]\nprefix = "a"\n')).toEqual({
    ok: false,
    error: `Cannot read models "${path}": rule is not a known key`,
  });
  const broken = await read('[[rules]]\nprefix = "a\n');
  expect(broken.ok ? "" : broken.error).toStartWith(`Cannot read config "${path}": line 2, column 12: `);
});
