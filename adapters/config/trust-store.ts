import { readFileSync, realpathSync } from "node:fs";
import * as v from "valibot";
import { restrictedText, type SplitTable } from "../../core/config/trust.ts";
import { err, ok, type Result } from "../../core/result.ts";
import { replaceFile } from "../host/atomic-file.ts";
import { errnoOf, reasonOf } from "../host/errno.ts";

/** Which project files the user trusts: by canonical directory, and only with exactly these restricted keys. */
export type TrustStore = {
  readonly isTrusted: (dir: string, split: SplitTable) => Result<boolean, string>;
  readonly trust: (dir: string, split: SplitTable, unixMs: number) => Result<void, string>;
  /** False when the directory was not trusted. */
  readonly revoke: (dir: string) => Result<boolean, string>;
  readonly list: () => Result<readonly Trusted[], string>;
};

export type Trusted = { readonly dir: string; readonly since: string };

const schema = v.record(v.string(), v.object({ hash: v.string(), since: v.string() }));
type Entries = v.InferOutput<typeof schema>;

export function trustStore(path: string | undefined): TrustStore {
  const read = (): Result<Entries, string> => (path === undefined ? ok({}) : readEntries(path));
  const write = (entries: Entries): Result<void, string> => {
    if (path === undefined) return err("Cannot save trust: there is no home directory");
    const written = replaceFile(path, `${JSON.stringify(entries, null, 2)}\n`);
    return written.ok ? written : err(`Cannot save trust in "${path}": ${written.error}`);
  };
  return {
    isTrusted: (dir, split) => {
      const entries = read();
      if (!entries.ok) return entries;
      const entry = new Map(Object.entries(entries.value)).get(canonical(dir));
      return ok(entry !== undefined && entry.hash === hashOf(split));
    },
    trust: (dir, split, unixMs) => {
      const entries = read();
      if (!entries.ok) return entries;
      const since = new Date(unixMs).toISOString();
      return write({ ...entries.value, [canonical(dir)]: { hash: hashOf(split), since } });
    },
    revoke: (dir) => {
      const entries = read();
      if (!entries.ok) return entries;
      const { [canonical(dir)]: removed, ...rest } = entries.value;
      if (removed === undefined) return ok(false);
      const written = write(rest);
      return written.ok ? ok(true) : written;
    },
    list: () => {
      const entries = read();
      if (!entries.ok) return entries;
      return ok(Object.entries(entries.value).map(([dir, { since }]) => ({ dir, since })));
    },
  };
}

function readEntries(path: string): Result<Entries, string> {
  try {
    const value: unknown = JSON.parse(readFileSync(path, "utf8"));
    const parsed = v.safeParse(schema, value);
    return parsed.success && !Array.isArray(value)
      ? ok(parsed.output)
      : err(`Cannot read "${path}": it does not have the form of a trust file`);
  } catch (error) {
    return errnoOf(error) === "ENOENT" || errnoOf(error) === "ENOTDIR"
      ? ok({})
      : err(`Cannot read "${path}": ${reasonOf(error)}`);
  }
}

const hashOf = (split: SplitTable): string =>
  new Bun.CryptoHasher("sha256").update(restrictedText(split)).digest("hex");

function canonical(dir: string): string {
  try {
    return realpathSync(dir);
  } catch {
    return dir; // it does not exist (any more): its name is all there is
  }
}
