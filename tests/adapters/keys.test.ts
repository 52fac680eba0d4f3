import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import * as v from "valibot";
import { keyringEntry } from "../../adapters/auth/keyring.ts";
import { findKey, type KeyPlace } from "../../adapters/auth/keys.ts";
import type { ActiveProfile } from "../../core/config/profile.ts";
import { profileSchema } from "../../core/config/schema.ts";
import { VENDORS } from "../../core/vendors.ts";
import { inDirectory } from "./in-directory.ts";

type Fields = Readonly<Record<string, string>>;

const profile = (fields: Fields): ActiveProfile => ({
  ...v.parse(profileSchema, fields),
  name: "p",
  model: "m",
});

/** Without the keyring, so that no machine's own answers. */
const find = (fields: Fields, env: Fields = {}, more: Partial<KeyPlace> = {}) =>
  findKey(profile(fields), { env, cwd: "/", keyring: false, ...more });

const found = (key: string | undefined, source: string) => ({ ok: true, value: { key, source } }) as const;

const OPENAI = "https://api.openai.com/v1";
const ANTHROPIC = "https://api.anthropic.com";
const OTHER = "https://models.example.com/v1";
const LOCAL = "http://127.0.0.1:8080/v1";

/** Keys of every place at once; each row takes the uppermost away. */
const EVERYWHERE = { BUDDY_API_KEY: "buddy", AGENT_API_KEY: "agent", MINE: "mine", OPENAI_API_KEY: "vendor" };

describe("findKey() asks the sources in order", () => {
  test.each([
    [[], "buddy", "BUDDY_API_KEY"],
    [["BUDDY_API_KEY"], "agent", "AGENT_API_KEY"],
    [["BUDDY_API_KEY", "AGENT_API_KEY"], "mine", "MINE"],
    [["BUDDY_API_KEY", "AGENT_API_KEY", "MINE"], "vendor", "OPENAI_API_KEY"],
  ])("without %j it is %s", async (missing, key, source) => {
    const env = Object.fromEntries(Object.entries(EVERYWHERE).filter(([name]) => !missing.includes(name)));
    expect(await find({ api_key_env: "MINE", api_base_url: OPENAI }, env)).toEqual(found(key, source));
    const emptied = { ...EVERYWHERE, ...Object.fromEntries(missing.map((name) => [name, ""])) };
    expect(await find({ api_key_env: "MINE", api_base_url: OPENAI }, emptied)).toEqual(found(key, source));
  });

  test("the key of the profile before the vendor's variable", async () => {
    expect(await find({ api_key: "conf", api_base_url: OPENAI }, { OPENAI_API_KEY: "vendor" })).toEqual(
      found("conf", "api_key in the configuration"),
    );
  });

  test("a file before the vendor's variable, and the variable when the file is empty", () =>
    inDirectory({ key: "from-file\n", empty: "\n" }, async (cwd) => {
      const env = { OPENAI_API_KEY: "vendor" };
      expect(await find({ api_key_file: "key", api_base_url: OPENAI }, env, { cwd })).toEqual(
        found("from-file", `file "${join(cwd, "key")}"`),
      );
      expect(await find({ api_key_file: "empty", api_base_url: OPENAI }, env, { cwd })).toEqual(
        found("vendor", "OPENAI_API_KEY"),
      );
    }));
});

describe("findKey() and vendors", () => {
  const env = Object.fromEntries(VENDORS.map(({ keyVariable, name }) => [keyVariable, `key-of-${name}`]));

  test.each(VENDORS.map((vendor) => [vendor.name, vendor] as const))(
    "findKey() gives %s its own key with all of them set",
    async (name, { baseUrl, keyVariable }) => {
      expect(await find({ api_base_url: baseUrl }, env)).toEqual(found(`key-of-${name}`, keyVariable));
    },
  );

  test.each(VENDORS.map((vendor) => [vendor.name, vendor] as const))(
    "findKey() gives %s no other vendor's key",
    async (name, { baseUrl, keyVariable }) => {
      const { [keyVariable]: _own, ...others } = env;
      const login = name === "openai" ? ', or auth = "login" there and: buddy login p' : "";
      expect(await find({ api_base_url: baseUrl }, others)).toMatchObject({
        ok: false,
        error: { class: "auth", hint: `set ${keyVariable}, or api_key_file in [models.p]${login}` },
      });
    },
  );

  test.each([
    OTHER,
    "https://api.openai.com.evil.example/v1",
    "https://evil.example/api.openai.com",
    "https://evil.example/?https://api.openai.com",
    "https://api-openai.com/v1",
    "http://localhost.evil.example/v1",
  ])("findKey() sends no vendor's key to %s", async (url) => {
    expect(await find({ api_base_url: url }, env)).toMatchObject({ ok: false, error: { class: "auth" } });
  });

  test("findKey() takes the vendor's key whatever the case of its host", async () => {
    expect(await find({ api_base_url: "https://API.OpenAI.com/v1" }, env)).toEqual(
      found("key-of-openai", "OPENAI_API_KEY"),
    );
  });
});

describe("findKey() and this machine", () => {
  test.each([
    "http://localhost:11434/v1",
    "http://127.0.0.1:8080/v1",
    "http://127.1.2.3/v1",
    "http://[::1]:9/v1",
  ])("findKey() needs no key for %s, and gives it no vendor's", async (url) => {
    expect(await find({ api_base_url: url }, { OPENAI_API_KEY: "v" })).toEqual(
      found(undefined, "none needed"),
    );
  });

  test("findKey() gives it the key that was meant for it", async () => {
    expect(await find({ api_base_url: LOCAL }, { BUDDY_API_KEY: "b" })).toEqual(found("b", "BUDDY_API_KEY"));
    expect(await find({ api_base_url: LOCAL, api_key: "k" })).toEqual(
      found("k", "api_key in the configuration"),
    );
  });

  test.each([
    "http://localhost.evil.example/v1",
    "http://127.0.0.1.evil.example/v1",
    "http://10.0.0.1/v1",
    OTHER,
  ])("findKey() needs a key for %s", async (url) => {
    expect(await find({ api_base_url: url })).toMatchObject({ ok: false, error: { class: "auth" } });
  });
});

describe("findKey() and files", () => {
  test("findKey() finds a file by its path, from the directory, and from home, and trims the newline", () =>
    inDirectory({ key: "sk-from-file\r\n" }, async (root) => {
      const given = found("sk-from-file", `file "${join(root, "key")}"`);
      expect(await find({ api_key_file: join(root, "key") })).toEqual(given);
      expect(await find({ api_key_file: "key" }, {}, { cwd: root })).toEqual(given);
      expect(await find({ api_key_file: "~/key" }, { HOME: root })).toEqual(given);
    }));

  test("findKey() says that a file cannot be read instead of trying another source", () =>
    inDirectory({ "dir/x": "" }, async (root) => {
      const path = join(root, "none");
      expect(await find({ api_key_file: path, api_base_url: OPENAI }, { OPENAI_API_KEY: "v" })).toEqual({
        ok: false,
        error: { class: "auth", message: `Cannot read the key file "${path}": no such file or directory` },
      });
      for (const wrong of [join(root, "dir"), "/dev/zero"]) {
        expect(await find({ api_key_file: wrong })).toMatchObject({
          ok: false,
          error: { class: "auth", message: expect.stringContaining(`Cannot read the key file "${wrong}": `) },
        });
      }
    }));
});

describe("findKey() says what is wrong", () => {
  test.each<readonly [Fields, string, string]>([
    [
      { api_base_url: OPENAI },
      "api.openai.com",
      'set OPENAI_API_KEY, or api_key_file in [models.p], or auth = "login" there and: buddy login p',
    ],
    [
      { api_base_url: ANTHROPIC },
      "api.anthropic.com",
      "set ANTHROPIC_API_KEY, or api_key_file in [models.p]",
    ],
    [
      { api_base_url: OTHER, api_key_env: "MINE" },
      "models.example.com",
      "set MINE, or api_key_file in [models.p]",
    ],
    [{ api_base_url: OTHER }, "models.example.com", "set BUDDY_API_KEY, or api_key_file in [models.p]"],
  ])("findKey() of %j says how to give one", async (fields, host, hint) => {
    expect(await find(fields)).toEqual({
      ok: false,
      error: { class: "auth", message: `There is no key for profile "p" (${host})`, hint },
    });
  });

  test.each(["two words", "line\nbreak", "bell\u0007", "schlüssel"])(
    "findKey() refuses %j without showing it",
    async (key) => {
      const refused = await find({ api_key: key });
      expect(refused).toEqual({
        ok: false,
        error: {
          class: "auth",
          message: "The key from api_key in the configuration has a blank or an unprintable character",
        },
      });
    },
  );
});

const keyring = await keyringEntry("buddy-test-of-an-absent-entry");
if (keyring.ok) console.log("skipped: this machine has a keyring, so its absence cannot be shown");

describe("findKey() without a keyring on the machine", () => {
  test.skipIf(keyring.ok)("findKey() says so when the profile names an entry, and what to do", async () => {
    expect(await find({ api_key_keyring: "mine", api_base_url: OTHER }, {}, { keyring: true })).toEqual({
      ok: false,
      error: {
        class: "auth",
        message: 'Cannot read keyring entry "mine": this machine has no keyring that can be used',
        hint: "use api_key_env or api_key_file on this machine",
      },
    });
  });

  test.skipIf(keyring.ok)("findKey() says only that there is no key when no entry is named", async () => {
    expect(await find({ api_base_url: OTHER }, {}, { keyring: true })).toMatchObject({
      ok: false,
      error: { message: 'There is no key for profile "p" (models.example.com)' },
    });
  });
});
