import { existsSync } from "node:fs";
import { join } from "node:path";

export type Env = Readonly<Record<string, string | undefined>>;

/** Where this user's things are. Without a usable home there is no such place, and buddy works without. */
export type UserPaths = {
  readonly home: string | undefined;
  readonly configDir: string | undefined;
  readonly stateDir: string | undefined;
};

export function userPaths(env: Env): UserPaths {
  const home = env.HOME || env.USERPROFILE || undefined;
  const configHome = absolute(env.XDG_CONFIG_HOME) ?? env.APPDATA ?? (home && join(home, ".config"));
  const stateHome =
    absolute(env.XDG_STATE_HOME) ?? env.LOCALAPPDATA ?? (home && join(home, ".local", "state"));
  return {
    home,
    configDir: configHome && join(configHome, "buddy"),
    stateDir: stateHome && join(stateHome, "buddy"),
  };
}

/** The user's own file: buddy's name for it, else the one of earlier versions if that is there. */
export function userConfigFile({ home, configDir }: UserPaths): string | undefined {
  if (configDir === undefined) return undefined;
  const path = join(configDir, "buddy.toml");
  const legacy = home && join(home, ".config", "agent", "agent.toml");
  return legacy && !existsSync(path) && existsSync(legacy) ? legacy : path;
}

/** The file of a project directory. */
export function projectConfigFile(cwd: string): string {
  const path = join(cwd, "buddy.toml");
  const legacy = join(cwd, "agent.toml");
  return !existsSync(path) && existsSync(legacy) ? legacy : path;
}

/** XDG variables that are relative are to be ignored. */
const absolute = (path: string | undefined): string | undefined => (path?.startsWith("/") ? path : undefined);
