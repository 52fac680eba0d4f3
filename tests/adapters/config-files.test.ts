import { describe, expect, test } from "bun:test";
import { symlinkSync, truncateSync } from "node:fs";
import { join } from "node:path";
import { readConfigFile } from "../../adapters/config/files.ts";
import { inDirectory } from "./in-directory.ts";

describe("readConfigFile()", () => {
  test.each([
    ["a string without an end", '[agent]\nmodel = "x\nmax_iterations = 3\n', 2, 11, 'model = "x'],
    ["a key without an equals sign", '[agent]\nmodel "x"\n', 2, 7, 'model "x"'],
    ["a key twice", '[agent]\nmodel = "a"\nmodel = "b"\n', 3, 1, 'model = "b"'],
    ["a table twice", '[agent]\nmodel = "a"\n\n[agent]\n', 4, 1, "[agent]"],
    ["a header without an end", '[agent\nmodel = "a"\n', 1, 7, "[agent"],
    ["a bare word", "[tools]\nshell_confirm = True\n", 2, 17, "shell_confirm = True"],
    ["something after a value", '[agent]\nmodel = "x" junk\n', 2, 13, 'model = "x" junk'],
    ["no TOML at all", "<html>", 1, 1, "<html>"],
    ["a control character", '[agent]\n\nmodel = "a\u0001b"\n', 3, 11, 'model = "a\\x01b"'],
  ])("readConfigFile() shows where %s is", (_what, text, line, column, shown) =>
    inDirectory({ "c.toml": text }, async (root) => {
      const path = join(root, "c.toml");
      const read = await readConfigFile(path);
      const message = read.ok ? "" : read.error;
      expect(message).toStartWith(`Cannot read config "${path}": line ${line}, column ${column}: `);
      expect(message).toEndWith(`: ${shown}`);
      expect(message).not.toContain("\n");
    }),
  );

  test("readConfigFile() cuts a long line and lets no escape sequence through", () =>
    inDirectory({ "c.toml": `model = "${"x".repeat(500)}\u001b[31m\n` }, async (root) => {
      const read = await readConfigFile(join(root, "c.toml"));
      const message = read.ok ? "" : read.error.replace(root, "");
      expect(message.length).toBeLessThan(250);
      expect(message).toMatch(/^[\x20-\x7e…]+$/);
    }));

  test.each([
    ["LF", '[agent]\nmodel = "é漢😀"\n'],
    ["CRLF", '[agent]\r\nmodel = "é漢😀"\r\n'],
    ["a byte order mark", '\ufeff[agent]\nmodel = "é漢😀"\n'],
    ["no last newline", '[agent]\nmodel = "é漢😀"'],
    ["dotted keys", 'agent.model = "é漢😀"'],
    ["an inline table", 'agent = { model = "é漢😀" }'],
  ])("readConfigFile() reads a file with %s", (_what, text) =>
    inDirectory({ "c.toml": text }, async (root) => {
      const read = await readConfigFile(join(root, "c.toml"));
      expect(read.ok ? read.value?.values : read.error).toEqual({ agent: { model: "é漢😀" } });
    }),
  );

  test.each(["fifo", "/dev/zero", "/dev/null", "socket"])(
    "readConfigFile() does not wait for %s in the place of a file",
    (kind) =>
      inDirectory({ x: "" }, async (root) => {
        const path = join(root, "c.toml");
        if (kind === "fifo") Bun.spawnSync(["mkfifo", path]);
        else if (kind === "socket") symlinkSync(join(root, "s"), path);
        else symlinkSync(kind, path);
        using listener = kind === "socket" ? unixListener(join(root, "s")) : undefined;
        const read = await readConfigFile(path);
        expect(read.ok ? "read" : read.error).toStartWith(`Cannot read config "${path}": `);
        expect(listener?.connections() ?? 0).toBe(0);
      }),
  );

  test("readConfigFile() refuses a giant", () =>
    inDirectory({ "c.toml": "" }, async (root) => {
      const path = join(root, "c.toml");
      truncateSync(path, 64 * 1024 * 1024 * 1024);
      const read = await readConfigFile(path);
      expect(read.ok ? "read" : read.error).toStartWith(`Cannot read config "${path}": it is larger than `);
    }));

  test.each([
    ['api_key = "sk-secret-0123', "api_key"],
    ['[models.a]\nAPI_Key = "sk-secret-0123" x', "API_Key"],
    ['headers = { authorization = "Bearer sk-secret-0123" "x" = 1 }', "headers"],
    ['headers = { "x-goog" = "v", token = "sk-secret-0123" ', "headers"],
    ["password = 'sk-secret-0123", "password"],
    ['client_secret = "sk-secret-0123\\q"', "client_secret"],
    ['[models.a.headers]\nCookie = "sk-secret-0123', "Cookie"],
    ['[network]\nproxy = "http://u:sk-secret-0123@h', "proxy"],
    ['api_key : "sk-secret-0123"', "api_key"],
    ["sk-secret-0123-abcdef = \n", "config"],
    ['api_key = """\nsk-secret-0123-abcdef', "config"],
  ])("readConfigFile()never shows the value in %j", (text, name) =>
    inDirectory({ "c.toml": text }, async (root) => {
      const read = await readConfigFile(join(root, "c.toml"));
      const message = read.ok ? "" : read.error;
      expect(message).toContain(name);
      expect(message).not.toContain("secret-0123");
    }),
  );

  test("readConfigFile() tells no file, an empty file and no readable file apart", () =>
    inDirectory({ "empty.toml": "", "dir.toml/x": "" }, async (root) => {
      expect(await readConfigFile(join(root, "missing.toml"))).toEqual({ ok: true, value: undefined });
      expect(await readConfigFile(join(root, "empty.toml/x"))).toEqual({ ok: true, value: undefined });
      expect(await readConfigFile(join(root, "empty.toml"))).toMatchObject({
        ok: true,
        value: { values: {} },
      });
      expect(await readConfigFile(join(root, "dir.toml"))).toEqual({
        ok: false,
        error: `Cannot read config "${join(root, "dir.toml")}": it is not a file`,
      });
    }));
});

function unixListener(path: string): Disposable & { readonly connections: () => number } {
  let connections = 0;
  const listener = Bun.listen({
    unix: path,
    socket: {
      open: () => {
        connections += 1;
      },
      data: () => {},
    },
  });
  return { connections: () => connections, [Symbol.dispose]: () => listener.stop(true) };
}
