import { expect, test } from "bun:test";
import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { seatbelt } from "../../adapters/target/sandbox/seatbelt.ts";
import { wallsOf } from "../../adapters/target/sandbox/walls.ts";
import { inDirectory } from "./in-directory.ts";

const FILES = {
  "home/.ssh/id": "",
  "home/.netrc": "",
  "elsewhere/aws": "",
  "state/buddy/x": "",
  "proj/.git/config": "",
  "tmp/x": "",
};

test("wallsOf() names what is there, where it really is", () =>
  inDirectory(FILES, async (root) => {
    const at = (name: string) => join(root, name);
    symlinkSync(at("elsewhere"), at("home/.aws"));
    const walls = wallsOf({
      cwd: at("proj"),
      home: at("home"),
      temporary: at("tmp"),
      ownPaths: [at("state/buddy"), at("config/buddy")],
      network: false,
    });
    expect(walls).toEqual({
      cwd: at("proj"),
      writable: [at("proj"), at("tmp")],
      kept: [at("proj/.git/config")],
      hiddenDirs: [at("home/.ssh"), at("elsewhere"), at("state/buddy")],
      hiddenFiles: [at("home/.netrc")],
      network: false,
    });
  }));

test("seatbelt() writes rules of which the last that fits hides, and quotes what it names", () => {
  const walls = {
    cwd: "/p",
    writable: ['/p "x"'],
    kept: ["/p/.git/config"],
    hiddenDirs: ["/h/.ssh"],
    hiddenFiles: ["/h/.netrc"],
    network: false,
  };
  const [program, flag, rules, ...argv] = seatbelt("/usr/bin/sandbox-exec", walls, ["/bin/sh", "-c", "ls"]);
  expect([program, flag, argv]).toEqual(["/usr/bin/sandbox-exec", "-p", ["/bin/sh", "-c", "ls"]]);
  expect(rules?.split("\n")).toEqual([
    "(version 1)",
    "(allow default)",
    "(deny network*)",
    "(deny file-write*)",
    '(allow file-write* (subpath "/p \\"x\\"") (subpath "/dev/null") (subpath "/dev/zero") (subpath "/dev/tty") (subpath "/dev/fd"))',
    '(deny file-write* (subpath "/p/.git/config"))',
    '(deny file-read* file-write* (subpath "/h/.ssh"))',
    '(deny file-read* file-write* (subpath "/h/.netrc"))',
  ]);
  expect(seatbelt("s", { ...walls, network: true }, [])[2]).not.toContain("network");
});
