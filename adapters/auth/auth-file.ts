import { dirname } from "node:path";
import * as v from "valibot";
import { type Failure, failure } from "../../core/failure.ts";
import { type Fields, isFields } from "../../core/lenient.ts";
import type { Host } from "../../core/ports/host.ts";
import { err, ok, type Result } from "../../core/result.ts";
import { reasonOf } from "../host/errno.ts";
import {
  preparePrivateDirectory,
  readPrivateFile,
  removePrivateFile,
  replacePrivateFile,
  setAside,
} from "./private-file.ts";

/** What goes into a header: nothing that could end it. */
const headerText = v.pipe(v.string(), v.regex(/^[\x21-\x7e]{1,65536}$/));

const savedLoginSchema = v.object({
  issuer: v.string(),
  access_token: headerText,
  refresh_token: v.exactOptional(headerText),
  account_id: v.exactOptional(headerText),
  email: v.exactOptional(v.string()),
  expires_at_ms: v.pipe(v.number(), v.finite()),
});

/** One provider's entry in `auth.json`. */
export type SavedLogin = Readonly<v.InferOutput<typeof savedLoginSchema>>;

/** `corrupt`: the file was set aside, so the next read finds none. */
export type AuthFileFailure = {
  readonly kind: "corrupt" | "unreadable" | "unwritable";
  readonly detail: string;
};

export type FoundLogin = { readonly login: SavedLogin | undefined; readonly warnings: readonly string[] };

/** `auth.json`: the logins of all providers, private to the user. Writers must hold its lock. */
export type AuthFile = {
  readonly path: string;
  readonly lockPath: string;
  readonly read: (provider: string) => Result<FoundLogin, AuthFileFailure>;
  /** Makes the directory, so that a login that cannot be saved fails before anybody has signed in. */
  readonly prepare: () => Result<readonly string[], AuthFileFailure>;
  readonly write: (provider: string, login: SavedLogin) => Result<readonly string[], AuthFileFailure>;
  readonly remove: (provider: string) => Result<"removed" | "absent", AuthFileFailure>;
};

export function authFile(host: Host, path: string): AuthFile {
  const read = (provider: string): Result<FoundLogin, AuthFileFailure> => {
    const found = readEntries(host, path);
    if (!found.ok) return found;
    const { entries, inode, warnings } = found.value;
    if (!Object.hasOwn(entries, provider)) return ok({ login: undefined, warnings });
    const login = v.safeParse(savedLoginSchema, entries[provider]);
    return login.success ? ok({ login: login.output, warnings }) : corrupt(host, path, inode);
  };

  const prepare = () => writing(path, () => preparePrivateDirectory(dirname(path)));

  const write = (provider: string, login: SavedLogin): Result<readonly string[], AuthFileFailure> => {
    const found = readEntries(host, path);
    if (!found.ok && found.error.kind !== "corrupt") return found;
    const { entries, warnings } = found.ok ? found.value : { entries: {}, warnings: [found.error.detail] };
    return writing(path, () => {
      const repaired = preparePrivateDirectory(dirname(path));
      replacePrivateFile(path, fileText({ ...entries, [provider]: login }));
      return [...warnings, ...repaired];
    });
  };

  const remove = (provider: string): Result<"removed" | "absent", AuthFileFailure> => {
    const found = readEntries(host, path);
    if (!found.ok) return found;
    const { [provider]: removed, ...others } = found.value.entries;
    if (removed === undefined) return ok("absent");
    return writing(path, () => {
      if (Object.keys(others).length === 0) removePrivateFile(path);
      else replacePrivateFile(path, fileText(others));
      return "removed";
    });
  };

  return { path, lockPath: `${path}.lock`, read, prepare, write, remove };
}

/** For the user: what is wrong with the file, and the way out. */
export const authFileFailure = ({ kind, detail }: AuthFileFailure, profile: string): Failure =>
  failure("auth", detail, kind === "corrupt" ? { hint: `buddy login ${profile}` } : {});

type Entries = {
  readonly entries: Fields;
  readonly inode: number;
  readonly warnings: readonly string[];
};

/** Entries of providers that this version does not know are kept as they are. */
const fileSchema = v.custom<Fields>(isFields);

function readEntries(host: Host, path: string): Result<Entries, AuthFileFailure> {
  try {
    const found = readPrivateFile(path);
    if (found === undefined) return ok({ entries: {}, inode: 0, warnings: [] });
    const parsed = v.safeParse(fileSchema, parse(found.text));
    if (!parsed.success) return corrupt(host, path, found.inode);
    return ok({ entries: parsed.output, inode: found.inode, warnings: found.warnings });
  } catch (error) {
    return err({ kind: "unreadable", detail: `Cannot read "${path}": ${reasonOf(error)}` });
  }
}

function corrupt(host: Host, path: string, inode: number): Result<never, AuthFileFailure> {
  const time = new Date(host.unixMs()).toISOString().replace(/[-:.]/g, "");
  try {
    const aside = setAside(path, inode, `corrupt-${time}`);
    const kept = aside === undefined ? "it was replaced meanwhile" : `it is kept as "${aside}"`;
    return err({ kind: "corrupt", detail: `The saved logins in "${path}" were damaged: ${kept}` });
  } catch (error) {
    const detail = `The saved logins in "${path}" are damaged, and it cannot be moved aside: ${reasonOf(error)}`;
    return err({ kind: "unreadable", detail });
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // the schema refuses it; the parser's message could quote a token
  }
}

const fileText = (entries: Fields): string => `${JSON.stringify(entries, null, 2)}\n`;

function writing<T>(path: string, work: () => T): Result<T, AuthFileFailure> {
  try {
    return ok(work());
  } catch (error) {
    return err({ kind: "unwritable", detail: `Cannot write "${path}": ${reasonOf(error)}` });
  }
}
