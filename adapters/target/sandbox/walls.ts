import { existsSync, realpathSync, statSync } from "node:fs";
import { join } from "node:path";
import { HOME_SECRETS } from "../../../core/policy/sensitive-places.ts";

/** What a command may reach. All paths are real ones that exist. */
export type Walls = {
  readonly cwd: string;
  /** May be written, and everything below. */
  readonly writable: readonly string[];
  /** May only be read although they are below what may be written: they steer Git and buddy itself. */
  readonly kept: readonly string[];
  readonly hiddenDirs: readonly string[];
  readonly hiddenFiles: readonly string[];
  readonly network: boolean;
};

export type SandboxPlace = {
  readonly cwd: string;
  readonly home: string | undefined;
  readonly temporary: string;
  /** Where buddy keeps its own things. */
  readonly ownPaths: readonly string[];
  readonly network: boolean;
};

const KEPT = [".git/hooks", ".git/config", ".buddyx", "buddy.toml", "agent.toml"];

/** What is there now: a place that is made later cannot hold what the user had. */
export function wallsOf({ cwd, home, temporary, ownPaths, network }: SandboxPlace): Walls {
  const secrets = home === undefined ? [] : HOME_SECRETS.map((name) => join(home, name));
  const hidden = realOnes([...secrets, ...ownPaths]);
  return {
    cwd,
    writable: realOnes([cwd, temporary]),
    kept: realOnes(KEPT.map((name) => join(cwd, name))),
    hiddenDirs: hidden.filter((path) => statSync(path).isDirectory()),
    hiddenFiles: hidden.filter((path) => !statSync(path).isDirectory()),
    network,
  };
}

const realOnes = (paths: readonly string[]): readonly string[] => [
  ...new Set(paths.filter((path) => existsSync(path)).map((path) => realpathSync(path))),
];
