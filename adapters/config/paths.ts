import { join } from "node:path";

export type Env = Readonly<Record<string, string | undefined>>;

/** Where this user's things are. Without a usable home there is no such place, and buddy works without. */
export type UserPaths = {
  readonly home: string | undefined;
  readonly configFile: string | undefined;
  readonly stateDir: string | undefined;
};

export function userPaths(env: Env): UserPaths {
  const home = env.HOME || undefined;
  const configDir = absolute(env.XDG_CONFIG_HOME) ?? (home && join(home, ".config"));
  const stateHome = absolute(env.XDG_STATE_HOME) ?? (home && join(home, ".local", "state"));
  return {
    home,
    configFile: configDir && join(configDir, "buddy", "buddy.toml"),
    stateDir: stateHome && join(stateHome, "buddy"),
  };
}

/** XDG variables that are relative are to be ignored. */
const absolute = (path: string | undefined): string | undefined => (path?.startsWith("/") ? path : undefined);
