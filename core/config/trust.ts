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
    } else if (LOOSENS.has(name) && isTable(value)) {
      const [safe, loosening] = partition(name, value);
      harmless[name] = safe;
      if (Object.keys(loosening).length === 0) continue;
      restricted[name] = loosening;
      names.push(...Object.keys(loosening).map((key) => `${name}.${key}`));
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

type Loosens = (value: unknown) => boolean;
const always: Loosens = () => true;
const unlessTrue: Loosens = (value) => value !== true;
const unlessFalse: Loosens = (value) => value !== false;

/** Keys that a project may at most tighten, by table. Its words are never the operator's. */
const LOOSENS: ReadonlyMap<string, ReadonlyMap<string, Loosens>> = new Map([
  ["agent", new Map([["system_prompt", always]])],
  [
    "tools",
    new Map([
      ["shell_enabled", unlessFalse],
      ["files_enabled", unlessFalse],
      ["fetch_enabled", unlessFalse],
      ["search_enabled", unlessFalse],
      ["shell_confirm", unlessTrue],
      ["files_confirm", unlessTrue],
      ["fetch_confirm", unlessTrue],
      ["shell_denylist", always],
      ["files_allowed_paths", always],
      ["fetch_allowed_domains", always],
      ["search_endpoint", always],
      ["env_pass", always],
      ["sandbox", always],
      ["sandbox_network", unlessFalse],
      ["redact", always],
    ]),
  ],
]);

function partition(table: string, values: RawTable): readonly [safe: RawTable, loosening: RawTable] {
  const entries = Object.entries(values);
  const rules = LOOSENS.get(table);
  const loosens = ([name, value]: readonly [string, unknown]) => rules?.get(name)?.(value) ?? false;
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
