import { type Json, type JsonObject, jsonOf } from "../json.ts";

/** A schema: an object of keywords, or whether anything at all is right. */
export type Schema = boolean | JsonObject;

export const TYPES = ["object", "array", "string", "number", "integer", "boolean", "null"] as const;

export const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);

export const isList = (value: Json | undefined): value is readonly Json[] => Array.isArray(value);

export const isSchema = (value: Json | undefined): value is Schema =>
  typeof value === "boolean" || isObject(value);

/** An own member; what an object inherits is no part of a document. */
export const member = (object: JsonObject, name: string): Json | undefined =>
  Object.hasOwn(object, name) ? object[name] : undefined;

/** What a reference inside the document leads to. */
export function resolveReference(root: Schema, reference: string): Schema | undefined {
  if (!reference.startsWith("#") || !isObject(root)) return undefined;
  const path = decoded(reference.slice(1));
  if (path === undefined) return undefined;
  if (path !== "" && !path.startsWith("/")) return anchored(root, path);
  const found = path
    .split("/")
    .slice(1)
    .map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"))
    .reduce<Json | undefined>((at, part) => {
      if (isList(at)) return /^\d+$/.test(part) ? at[Number(part)] : undefined;
      return isObject(at) ? member(at, part) : undefined;
    }, root);
  return isSchema(found) ? found : undefined;
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined; // not a valid reference
  }
}

function anchored(schema: Json, name: string): Schema | undefined {
  if (isList(schema)) return firstOf(schema, name);
  if (!isObject(schema)) return undefined;
  return member(schema, "$anchor") === name ? schema : firstOf(Object.values(schema), name);
}

function firstOf(values: readonly Json[], name: string): Schema | undefined {
  for (const value of values) {
    const found = anchored(value, name);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** A document out of JSON.parse, as a schema. */
export const schemaOf = (value: unknown): Schema | undefined => {
  const json = jsonOf(value);
  return isSchema(json) ? json : undefined;
};
