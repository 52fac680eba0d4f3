import type { RawTable } from "./layers.ts";

/** A project's file, taken apart: what it may always say, and what it may say only once the user trusts it. */
export type SplitTable = {
  readonly harmless: RawTable;
  readonly restricted: RawTable;
  /** The restricted keys, for people. */
  readonly names: readonly string[];
};

/** Restricted is everything that could leak a credential, run code or loosen safety. */
export function splitByTrust(values: RawTable): SplitTable {
  const harmless: Record<string, unknown> = {};
  const restricted: Record<string, unknown> = {};
  const names: string[] = [];
  for (const [name, value] of Object.entries(values)) {
    if (RESTRICTED_TABLES.has(name)) {
      restricted[name] = value;
      names.push(`[${name}]`);
    } else if (name === "tools" && isTable(value)) {
      const [safe, loosening] = partition(value);
      harmless.tools = safe;
      if (Object.keys(loosening).length === 0) continue;
      restricted.tools = loosening;
      names.push(...Object.keys(loosening).map((key) => `tools.${key}`));
    } else harmless[name] = value;
  }
  return { harmless, restricted, names };
}

/** The restricted part in one fixed spelling, to be hashed: the same keys and values give the same text. */
export function restrictedText({ restricted }: SplitTable): string {
  return JSON.stringify(sorted(restricted));
}

const RESTRICTED_TABLES = new Set([
  "models",
  "mcp",
  "network",
  "extensions",
  "hooks",
  "plugins",
  "__proto__",
]);

/** Keys of `[tools]` that a project may only tighten. */
const LOOSENS: ReadonlyMap<string, (value: unknown) => boolean> = new Map([
  ["shell_confirm", (value: unknown) => value !== true],
  ["files_confirm", (value: unknown) => value !== true],
  ["fetch_confirm", (value: unknown) => value !== true],
  ["shell_denylist", () => true],
  ["files_allowed_paths", () => true],
  ["fetch_allowed_domains", () => true],
  ["env_pass", () => true],
  ["sandbox", () => true],
  ["redact", () => true],
]);

function partition(tools: RawTable): readonly [safe: RawTable, loosening: RawTable] {
  const entries = Object.entries(tools);
  const loosens = ([name, value]: readonly [string, unknown]) => LOOSENS.get(name)?.(value) ?? false;
  return [
    Object.fromEntries(entries.filter((entry) => !loosens(entry))),
    Object.fromEntries(entries.filter(loosens)),
  ];
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isTable(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, inner]) => [key, sorted(inner)]),
  );
}

const isTable = (value: unknown): value is RawTable =>
  typeof value === "object" && value !== null && !Array.isArray(value);
