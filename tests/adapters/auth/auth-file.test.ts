import { afterEach, describe, expect, test } from "bun:test";
import { chmodSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { authFile, authFileFailure, type SavedLogin } from "../../../adapters/auth/auth-file.ts";
import { fakeHost } from "../../fakes/host.ts";
import { cleanUp, errorOf, freshDirectory, modeOf, namesIn, unwrap } from "./login-fixture.ts";

afterEach(cleanUp);

const LOGIN: SavedLogin = {
  issuer: "https://auth.example.org",
  access_token: "access-1",
  refresh_token: "refresh-1",
  account_id: "acc-1",
  expires_at_ms: 1,
};
const ASIDE = "auth.json.corrupt-20260102T030405678Z";

function freshFile() {
  const path = join(freshDirectory(), "config", "auth.json");
  return { path, directory: dirname(path), file: authFile(fakeHost(), path) };
}

/** As somebody else left it. */
function fileWith(text: string, mode = 0o600) {
  const fresh = freshFile();
  mkdirSync(fresh.directory, { mode: 0o700 });
  writeFileSync(fresh.path, text, { mode });
  chmodSync(fresh.path, mode);
  return fresh;
}

describe("authFile()", () => {
  test("is empty when there is no file", () => {
    expect(unwrap(freshFile().file.read("openai"))).toEqual({ login: undefined, warnings: [] });
  });

  test("writes a private file in a private directory and nothing beside it", () => {
    const { path, directory, file } = freshFile();
    expect(unwrap(file.write("openai", LOGIN))).toEqual([]);
    expect([modeOf(path), modeOf(directory), namesIn(directory)]).toEqual(["600", "700", ["auth.json"]]);
    expect(unwrap(file.read("openai"))).toEqual({ login: LOGIN, warnings: [] });
  });

  test("keeps what it does not know", () => {
    const { path, file } = fileWith('{"another": {"shape": [1, 2]}}');
    unwrap(file.write("openai", LOGIN));
    expect(JSON.parse(readFileSync(path, "utf8"))).toEqual({ another: { shape: [1, 2] }, openai: LOGIN });
    expect(unwrap(file.remove("openai"))).toBe("removed");
    expect(JSON.parse(readFileSync(path, "utf8"))).toEqual({ another: { shape: [1, 2] } });
  });

  test("leaves no file when the last login is removed", () => {
    const { directory, file } = freshFile();
    unwrap(file.write("openai", LOGIN));
    expect([unwrap(file.remove("openai")), unwrap(file.remove("openai"))]).toEqual(["removed", "absent"]);
    expect(namesIn(directory)).toEqual([]);
  });

  test("repairs looser modes of file and directory, and says so once", () => {
    const { path, directory, file } = freshFile();
    unwrap(file.write("openai", LOGIN));
    chmodSync(path, 0o644);
    chmodSync(directory, 0o755);
    expect(unwrap(file.read("openai"))).toEqual({
      login: LOGIN,
      warnings: [
        `"${path}" was open to others (mode 0644): it is 0600 now`,
        `"${directory}" was open to others (mode 0755): it is 0700 now`,
      ],
    });
    expect([modeOf(path), modeOf(directory)]).toEqual(["600", "700"]);
    expect(unwrap(file.read("openai")).warnings).toEqual([]);
  });

  test("repairs the directory before it writes", () => {
    const { directory, file } = freshFile();
    mkdirSync(directory, { mode: 0o755 });
    expect(unwrap(file.write("openai", LOGIN))).toEqual([
      `"${directory}" was open to others (mode 0755): it is 0700 now`,
    ]);
  });

  test("writes private files whatever the umask", () => {
    const before = process.umask(0);
    try {
      const { path, directory, file } = freshFile();
      unwrap(file.write("openai", LOGIN));
      expect([modeOf(path), modeOf(directory)]).toEqual(["600", "700"]);
    } finally {
      process.umask(before);
    }
  });

  test.each([
    ["no JSON", "{"],
    ["nothing", ""],
    ["no table", "[]"],
    ["an entry of another shape", '{"openai": {"access_token": 7}}'],
    ["a token that would break a header", JSON.stringify({ openai: { ...LOGIN, access_token: "a\r\nb" } })],
  ])("keeps a file with %s aside", (_what, text) => {
    const { path, directory, file } = fileWith(text);
    const why = errorOf(file.read("openai"));
    expect(why).toEqual({
      kind: "corrupt",
      detail: `The saved logins in "${path}" were damaged: it is kept as "${join(directory, ASIDE)}"`,
    });
    expect(authFileFailure(why, "gpt").hint).toBe("buddy login gpt");
    expect(namesIn(directory)).toEqual([ASIDE]);
    expect([readFileSync(join(directory, ASIDE), "utf8"), modeOf(join(directory, ASIDE))]).toEqual([
      text,
      "600",
    ]);
    expect(unwrap(file.read("openai")).login).toBeUndefined();
  });

  test("never puts one damaged file over another", () => {
    const { path, directory, file } = fileWith("first");
    errorOf(file.read("openai"));
    writeFileSync(path, "second", { mode: 0o600 });
    errorOf(file.read("openai"));
    expect(namesIn(directory)).toEqual([ASIDE, `${ASIDE}-2`]);
    expect(readFileSync(join(directory, ASIDE), "utf8")).toBe("first");
    expect(readFileSync(join(directory, `${ASIDE}-2`), "utf8")).toBe("second");
  });

  test("writes a new file beside a damaged one", () => {
    const { path, directory, file } = fileWith("damaged");
    expect(unwrap(file.write("openai", LOGIN))).toEqual([
      `The saved logins in "${path}" were damaged: it is kept as "${join(directory, ASIDE)}"`,
    ]);
    expect(namesIn(directory)).toEqual(["auth.json", ASIDE]);
    expect(unwrap(file.read("openai")).login).toEqual(LOGIN);
  });

  test("removes what a killed writer left, and follows no link from its place", () => {
    const { path, directory, file } = freshFile();
    mkdirSync(directory, { mode: 0o700 });
    const elsewhere = join(directory, "elsewhere");
    symlinkSync(elsewhere, `${path}.tmp`);
    unwrap(file.write("openai", LOGIN));
    expect([namesIn(directory), existsSync(elsewhere)]).toEqual([["auth.json"], false]);
  });

  test("is not stopped by what is no file", async () => {
    const { path, directory, file } = freshFile();
    mkdirSync(directory, { mode: 0o700 });
    await Bun.$`mkfifo ${path}`.quiet();
    expect(errorOf(file.read("openai"))).toEqual({
      kind: "unreadable",
      detail: `Cannot read "${path}": it is not a file`,
    });
  });

  test("says so when there is no place for it", () => {
    const { path } = fileWith("a file");
    const file = authFile(fakeHost(), join(path, "auth.json"));
    expect(errorOf(file.prepare())).toMatchObject({ kind: "unwritable" });
    expect(errorOf(file.write("openai", LOGIN)).detail).toContain("a part of the path is not a directory");
  });
});
