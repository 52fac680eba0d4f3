import type { Layer } from "./layers.ts";
import type { Config } from "./schema.ts";

/** One value in force. */
export type EffectiveValue = { readonly path: string; readonly value: string; readonly source: string };

/** Everything in force, leaf by leaf, each with the layer that said it. Secrets are masked. */
export function effectiveValues(config: Config, layers: readonly Layer[]): readonly EffectiveValue[] {
  return leaves(config, []).map(({ path, value }) => ({
    path: path.map(quoted).join("."),
    value: isSecret(path) && value !== "" ? '"***"' : JSON.stringify(value),
    source: sourceOf(path, layers),
  }));
}

type Leaf = { readonly path: readonly string[]; readonly value: unknown };

function leaves(value: unknown, path: readonly string[]): readonly Leaf[] {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    return value === undefined ? [] : [{ path, value }];
  }
  return Object.entries(value).flatMap(([name, inner]) => leaves(inner, [...path, name]));
}

/** Headers and server environments hold credentials as often as not. */
const isSecret = (path: readonly string[]): boolean =>
  path.at(-1) === "api_key" || path.includes("headers") || (path[0] === "mcp" && path.includes("env"));

function sourceOf(path: readonly string[], layers: readonly Layer[]): string {
  const layer = layers.findLast(({ values }) => valueAt(values, path) !== undefined);
  if (!layer) return "default";
  const line = layer.lineOf?.(path);
  return line ? `${layer.name}, line ${line}` : layer.name;
}

function valueAt(values: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>((value, name) => {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, name)) return undefined;
    return new Map(Object.entries(value)).get(name);
  }, values);
}

const quoted = (name: string): string => (/^[A-Za-z0-9_-]+$/.test(name) ? name : JSON.stringify(name));
