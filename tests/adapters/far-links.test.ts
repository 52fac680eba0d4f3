import { describe, expect, test } from "bun:test";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { queue } from "../../adapters/target/far/queue.ts";
import { oneLineWord, programLine, WAITING_SHELL } from "../../adapters/target/far/quote.ts";
import { wordFilter } from "../../adapters/target/far/words.ts";
import { privateDirectory } from "../../adapters/target/transport/private-directory.ts";
import { parseSshHost, sshName } from "../../adapters/target/transport/ssh-host.ts";

describe("parseSshHost()", () => {
  test.each([
    ["host", { host: "host", user: undefined, port: undefined }],
    ["me@host", { host: "host", user: "me", port: undefined }],
    ["me@host:22", { host: "host", user: "me", port: "22" }],
    ["me@corp.example@host", { host: "host", user: "me@corp.example", port: undefined }],
    ["[::1]:2222", { host: "::1", user: undefined, port: "2222" }],
    ["me@[fe80::1%eth0]", { host: "fe80::1%eth0", user: "me", port: undefined }],
    ["::1", { host: "::1", user: undefined, port: undefined }],
    ["my_alias", { host: "my_alias", user: undefined, port: undefined }],
  ])("reads %s", (text, expected) => {
    expect(parseSshHost(text)).toEqual({ ok: true, value: expected });
  });

  test.each([
    "",
    "@host",
    "me@",
    "me@:22",
    "-oProxyCommand=x",
    "me@-oProxyCommand=x",
    "-l@host",
    "host:0",
    "host:65536",
    "host:2 2",
    "host:-p",
    "ho st",
    "host\nProxyCommand x",
    "a;b",
    "a`b`",
    "a|b@host",
    "$(x)@host",
    "host\0",
  ])("refuses %j", (text) => {
    expect(parseSshHost(text).ok).toBe(false);
  });

  test("sshName() writes it as it was given", () => {
    for (const text of ["host", "me@host", "me@host:22"]) {
      const parsed = parseSshHost(text);
      expect(parsed.ok && sshName(parsed.value)).toBe(text);
    }
  });
});

describe("privateDirectory()", () => {
  const made = (runtime: string | undefined): string => {
    const result = privateDirectory(runtime);
    if (!result.ok) throw new Error(result.error);
    rmSync(result.value, { recursive: true });
    return dirname(result.value);
  };

  test("is new, private, and short enough for a socket", () => {
    const result = privateDirectory(undefined);
    if (!result.ok) throw new Error(result.error);
    expect([statSync(result.value).mode & 0o777, `${result.value}/s`.length <= 80]).toEqual([0o700, true]);
    rmSync(result.value, { recursive: true });
  });

  test("is in the user's runtime directory only when that is the user's alone", () => {
    const root = mkdtempSync(join(tmpdir(), "buddy-run-"));
    const [own, open, link, long] = ["own", "open", "link", "x".repeat(80)].map((name) => join(root, name));
    if (!own || !open || !link || !long) throw new Error("no names");
    for (const dir of [own, open, long]) mkdirSync(dir, { mode: 0o700 });
    chmodSync(open, 0o777);
    symlinkSync(own, link);
    expect(made(own)).toBe(own);
    for (const dir of [open, link, long, join(root, "missing")]) expect(made(dir)).not.toBe(dir);
    rmSync(root, { recursive: true });
  });
});

describe("wordFilter()", () => {
  const SIGN = "0f3a-sign";

  test("takes the words out however the output is cut", () => {
    const all = Buffer.from(`a\0b${SIGN}s12\n0f3a-sig ${SIGN}e0 none\ntail 0f3a`);
    for (let size = 1; size <= all.length; size++) {
      const words: string[] = [];
      const filter = wordFilter(SIGN, (word) => {
        words.push(word);
        return "keep";
      });
      const output: Uint8Array[] = [];
      for (let at = 0; at < all.length; at += size) output.push(filter.push(all.subarray(at, at + size)));
      output.push(filter.rest());
      expect([Buffer.concat(output).toString(), words]).toEqual([
        "a\0b0f3a-sig tail 0f3a",
        ["s12", "e0 none"],
      ]);
    }
  });
});

describe("a waiting shell", () => {
  const shells = ["dash", "bash", "zsh", "busybox"].filter((name) => Bun.which(name) !== null);
  const run = (shell: string, input: string): string => {
    const argv = shell === "busybox" ? ["busybox", ...WAITING_SHELL] : [shell, ...WAITING_SHELL.slice(1)];
    return Bun.spawnSync(argv, { stdin: Buffer.from(input) }).stdout.toString("latin1");
  };

  test.each(shells)("%s: gets every word as it is", (shell) => {
    const words = [
      "",
      " ",
      "it's",
      "a\nb\n",
      "\n",
      "-n",
      '$HOME `x` \\ "',
      "!x",
      "é漢😀Á",
      "*",
      "\t\r\x1b\x7f",
    ];
    const line = programLine(`printf '%s,' "$@"`, words, "none");
    expect(run(shell, line)).toBe(Buffer.from(words.map((word) => `${word},`).join("")).toString("latin1"));
    expect(line.indexOf("\n")).toBe(line.length - 1);
  });

  test.each(shells)("%s: serves again, but never takes input of a program for a program", (shell) => {
    expect(run(shell, programLine("echo 1", [], "none") + programLine("echo 2", [], "none"))).toBe("1\n2\n");
    expect(run(shell, `${programLine("exit 0", [], "own")}echo bad\n`)).toBe("");
    expect(run(shell, `${programLine("kill -9 $$", [], "own")}echo bad\n`)).toBe("");
  });

  test("has nothing that a login shell could understand in another way", () => {
    expect(WAITING_SHELL.join(" ")).not.toMatch(/['!\n]/);
    expect(oneLineWord("a'b\nc")).not.toContain("\n");
  });
});

test("queue() lets so many in, the others in turn, and nobody waits behind one who gave up", async () => {
  const { enter } = queue(1);
  const { signal } = new AbortController();
  const impatient = new AbortController();
  const leave = await enter(signal);
  const seen: string[] = [];
  const second = enter(impatient.signal).catch(() => void seen.push("gave up"));
  const third = enter(signal).then((out) => {
    seen.push("in");
    out();
  });
  impatient.abort();
  leave();
  leave();
  await Promise.all([second, third]);
  expect(seen).toEqual(["gave up", "in"]);
});
