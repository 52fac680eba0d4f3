import { closeSync, constants, existsSync, lstatSync, mkdirSync, openSync, writeSync } from "node:fs";
import { dirname, join } from "node:path";
import type { SessionHeader } from "../../core/session.ts";
import { errnoOf } from "../host/errno.ts";

export type SessionPlaces = {
  readonly cwd: string;
  /** Where sessions go when the project cannot hold them, or by configuration. Absent without a home. */
  readonly stateDir: string | undefined;
  readonly prefer: "project" | "user";
  /** Sessions that were not used for so long are removed; 0 or absent: none. */
  readonly keepDays?: number;
  /** What the header of a session says that the store begins itself: a fork, an import. */
  readonly made?: Pick<SessionHeader, "target" | "buddy">;
};

export type Place = { readonly dir: string; readonly ignoreFile?: string };

/** Where a new session may go, the preferred place first. */
export function placesForNew({ cwd, stateDir, prefer }: SessionPlaces): readonly Place[] {
  const root = existsSync(join(cwd, ".agentx")) && !existsSync(join(cwd, ".buddyx")) ? ".agentx" : ".buddyx";
  const project = { dir: join(cwd, root, "sessions"), ignoreFile: join(cwd, root, ".gitignore") };
  const user = stateDir === undefined ? [] : [{ dir: userDir(cwd, stateDir) }];
  return prefer === "user" ? user : [project, ...user];
}

const userDir = (cwd: string, stateDir: string): string =>
  join(stateDir, "sessions", Bun.hash(cwd).toString(36));

/** Where sessions of this directory may be, the preferred place first. */
export function directoriesToSearch({ cwd, stateDir, prefer }: SessionPlaces): readonly string[] {
  const project = [".buddyx", ".agentx"]
    .map((root) => join(cwd, root, "sessions"))
    .filter((dir) => linkOnTheWay(dir) === undefined);
  const user = stateDir === undefined ? [] : [userDir(cwd, stateDir)];
  return prefer === "user" ? [...user, ...project] : [...project, ...user];
}

/** A project is somebody else's text: no link of its may lead what we write to another place. */
function linkOnTheWay(dir: string): string | undefined {
  return [dirname(dir), dir].find((part) => lstatSync(part, { throwIfNoEntry: false })?.isSymbolicLink());
}

/** Throws when sessions cannot be kept there. */
export function preparePlace({ dir, ignoreFile }: Place): void {
  if (ignoreFile !== undefined) {
    const link = linkOnTheWay(dir);
    if (link !== undefined) throw new Error(`"${link}" is a link`);
    mkdirSync(dirname(dir), { recursive: true, mode: 0o700 });
    writeOnce(ignoreFile, "*\n");
  }
  mkdirSync(dir, { recursive: true, mode: 0o700 });
}

/** A file that must not be there yet, and that no link stands for. */
export const NEW_FILE = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;

function writeOnce(path: string, text: string): void {
  try {
    const fd = openSync(path, NEW_FILE, 0o600);
    writeSync(fd, text);
    closeSync(fd);
  } catch (error) {
    if (errnoOf(error) !== "EEXIST") throw error;
  }
}
