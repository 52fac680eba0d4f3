import * as v from "valibot";
import { nearest } from "../nearest.ts";
import { err, ok, type Result } from "../result.ts";
import { KEY_SOURCES } from "./choices.ts";
import { type Config, configSchema } from "./schema.ts";

/** Values from one place, before validation. */
export type Layer = {
  /** For messages: `config "/home/u/.config/buddy/buddy.toml"`, `flags`. */
  readonly name: string;
  readonly values: RawTable;
  /** Made by us: nothing in it can be wrong. */
  readonly own?: true;
  /** Where a key stands in the source, when it has lines. */
  readonly lineOf?: (path: readonly string[]) => number | undefined;
};

export type RawTable = { readonly [key: string]: unknown };

export type Loaded = { readonly config: Config; readonly warnings: readonly string[] };

/** Later layers win, key by key. A mistake is reported where it is; one that a later layer overrides does no harm. */
export function mergeLayers(layers: readonly Layer[]): Result<Loaded, string> {
  const merged = layers.reduce<RawTable>(
    (under, layer) => overlay(withoutOtherSources(under, layer.values), layer.values),
    {},
  );
  const list = layers.some((layer) => !layer.own && listForTable(configSchema, layer.values, []));
  const parsed = v.safeParse(configSchema, merged);
  if (!parsed.success || list)
    return err(firstMistakes(layers)[0] ?? "The configuration is wrong as a whole");
  return ok({
    config: parsed.output,
    warnings: layers.flatMap((layer) => (layer.own ? [] : unknownKeys(layer))),
  });
}

/** The first mistake of each layer, also those that another layer hides. */
export const firstMistakes = (layers: readonly Layer[]): readonly string[] =>
  layers.flatMap((layer) => firstMistake(layer) ?? []);

function firstMistake(layer: Layer): string | undefined {
  const list = listForTable(configSchema, layer.values, []);
  if (list) return `${layer.name}${at(layer, list)}: ${list.join(".")} must be a table, found a list`;
  const parsed = v.safeParse(configSchema, layer.values);
  return parsed.success ? undefined : explain(layer, parsed.issues[0]);
}

function explain(layer: Layer, issue: v.BaseIssue<unknown>): string {
  const path = (issue.path ?? []).map((item) => String(item.key));
  const found = issue.kind === "schema" ? `, found ${describe(issue.input)}` : "";
  return `${layer.name}${at(layer, path)}: ${path.join(".")} ${issue.message}${found}`;
}

function describe(value: unknown): string {
  if (Array.isArray(value)) return "a list";
  if (typeof value === "object" && value !== null) return "a table";
  if (typeof value === "string") return `the text ${JSON.stringify(value.slice(0, 40))}`;
  return String(value);
}

/** Valibot takes a list for an object without keys; TOML users write one by mistake, and hostile ones on purpose. */
function listForTable(
  schema: object,
  value: unknown,
  path: readonly string[],
): readonly string[] | undefined {
  const { entries, each } = shapeOf(schema);
  if (Array.isArray(value)) return entries || each ? path : undefined;
  if (!isTable(value)) return undefined;
  for (const [name, inner] of Object.entries(value)) {
    const child = entries?.get(name) ?? each;
    const found = child && listForTable(child, inner, [...path, name]);
    if (found) return found;
  }
  return undefined;
}

function at(layer: Layer, path: readonly string[]): string {
  const line = layer.lineOf?.(path);
  return line ? `, line ${line}` : "";
}

function unknownKeys(layer: Layer): readonly string[] {
  return unknownPaths(configSchema, layer.values, []).map(({ path, suggestion }) => {
    const meant = suggestion ? `; did you mean "${suggestion}"?` : "";
    return `${layer.name}${at(layer, path)}: unknown key "${path.join(".")}" is ignored${meant}`;
  });
}

type Unknown = { readonly path: readonly string[]; readonly suggestion: string | undefined };

function unknownPaths(schema: object, value: unknown, path: readonly string[]): readonly Unknown[] {
  if (!isTable(value)) return [];
  const { entries, each } = shapeOf(schema);
  return Object.entries(value).flatMap(([name, inner]): readonly Unknown[] => {
    const child = entries?.get(name) ?? each;
    if (child) return unknownPaths(child, inner, [...path, name]);
    return entries ? [{ path: [...path, name], suggestion: nearest(name, entries.keys()) }] : [];
  });
}

type Shape = { readonly entries?: ReadonlyMap<string, object>; readonly each?: object };

/** What of a valibot schema the walk needs: tables have entries, records one schema for each value. */
function shapeOf(schema: object): Shape {
  if ("wrapped" in schema && isTable(schema.wrapped)) return shapeOf(schema.wrapped);
  if ("entries" in schema && isTable(schema.entries)) {
    return { entries: new Map(Object.entries(schema.entries).map(([name, inner]) => [name, Object(inner)])) };
  }
  return "value" in schema && isTable(schema.value) ? { each: schema.value } : {};
}

/** A profile that is given another source for its key gives up the one it had. */
function withoutOtherSources(under: RawTable, over: RawTable): RawTable {
  if (!isTable(under.models) || !isTable(over.models)) return under;
  const models = { ...under.models };
  for (const [name, profile] of Object.entries(over.models)) {
    const below = Object.hasOwn(models, name) ? models[name] : undefined;
    if (!isTable(profile) || !isTable(below) || !KEY_SOURCES.some((key) => profile[key])) continue;
    models[name] = Object.fromEntries(
      Object.entries(below).filter(([key]) => !KEY_SOURCES.some((source) => source === key)),
    );
  }
  return { ...under, models };
}

function overlay(under: RawTable, over: RawTable): RawTable {
  const merged: Record<string, unknown> = { ...under };
  for (const [name, value] of Object.entries(over)) {
    const below = Object.hasOwn(under, name) ? under[name] : undefined;
    const joined = isTable(below) && isTable(value) ? overlay(below, value) : value;
    Object.defineProperty(merged, name, {
      value: joined,
      enumerable: true,
      writable: true,
      configurable: true,
    });
  }
  return merged;
}

const isTable = (value: unknown): value is RawTable =>
  typeof value === "object" && value !== null && !Array.isArray(value);
