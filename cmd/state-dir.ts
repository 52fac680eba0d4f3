import { type Env, userPaths } from "../adapters/config/paths.ts";

/** Where this user's sessions are that no project holds; absent without a home. */
export const stateDirOf = (env: Env): string | undefined => userPaths(env).stateDir;
