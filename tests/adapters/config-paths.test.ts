import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { type Env, projectConfigFile, userConfigFile, userPaths } from "../../adapters/config/paths.ts";
import { inDirectory } from "./in-directory.ts";

describe("userPaths()", () => {
  test.each<readonly [env: Env, configDir: string | undefined, stateDir: string | undefined]>([
    [{ HOME: "/h" }, "/h/.config/buddy", "/h/.local/state/buddy"],
    [{ HOME: "/h", XDG_CONFIG_HOME: "/c", XDG_STATE_HOME: "/s" }, "/c/buddy", "/s/buddy"],
    [{ HOME: "/h", XDG_CONFIG_HOME: "c", XDG_STATE_HOME: "" }, "/h/.config/buddy", "/h/.local/state/buddy"],
    [{ XDG_CONFIG_HOME: "/c" }, "/c/buddy", undefined],
    [{ HOME: "" }, undefined, undefined],
    [{}, undefined, undefined],
  ])("userPaths(%j)", (env, configDir, stateDir) => {
    expect(userPaths(env)).toEqual({ home: env.HOME || undefined, configDir, stateDir });
  });
});

describe("userConfigFile() and projectConfigFile()", () => {
  const OLD_USER = "home/.config/agent/agent.toml";
  const NEW_USER = "home/.config/buddy/buddy.toml";

  test.each([
    ["none", [], NEW_USER, "cwd/buddy.toml"],
    ["only those of earlier versions", [OLD_USER, "cwd/agent.toml"], OLD_USER, "cwd/agent.toml"],
    ["both", [OLD_USER, NEW_USER, "cwd/agent.toml", "cwd/buddy.toml"], NEW_USER, "cwd/buddy.toml"],
  ])("with %s of the files there", (_what, files, user, project) =>
    inDirectory(Object.fromEntries(files.map((path) => [path, ""])), async (root) => {
      const paths = userPaths({ HOME: join(root, "home") });
      expect([userConfigFile(paths), projectConfigFile(join(root, "cwd"))]).toEqual([
        join(root, user),
        join(root, project),
      ]);
    }),
  );

  test("userConfigFile() is nowhere without a home", () => {
    expect(userConfigFile(userPaths({}))).toBeUndefined();
  });
});
