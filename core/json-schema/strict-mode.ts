import type { Json, JsonObject } from "../json.ts";
import { isList, isObject, member } from "./schema-parts.ts";

/**
 * Whether OpenAI's strict mode takes a schema: objects are closed and need all their members, and only these
 * keywords occur. Others are sent without it, since buddy checks the answer anyway.
 */
export function fitsStrictMode(schema: JsonObject): boolean {
  return member(schema, "type") === "object" && fits(schema);
}

const KNOWN = new Set(
  (
    "type properties required additionalProperties items anyOf enum const $ref $defs definitions title description " +
    "pattern format minimum maximum exclusiveMinimum exclusiveMaximum multipleOf minItems maxItems"
  ).split(" "),
);

function fits(schema: Json): boolean {
  if (!isObject(schema)) return false;
  const { properties, items, anyOf, $defs, definitions } = schema;
  const inner = [
    ...Object.values(isObject(properties) ? properties : {}),
    ...Object.values(isObject($defs) ? $defs : {}),
    ...Object.values(isObject(definitions) ? definitions : {}),
    ...(isList(anyOf) ? anyOf : []),
    ...(items === undefined ? [] : [items]),
  ];
  return Object.keys(schema).every((name) => KNOWN.has(name)) && isClosed(schema) && inner.every(fits);
}

function isClosed(schema: JsonObject): boolean {
  const { type, properties, required, additionalProperties } = schema;
  const isObjectType = type === "object" || (isList(type) && type.includes("object"));
  if (!isObjectType && properties === undefined) return true;
  const names = isObject(properties) ? Object.keys(properties) : [];
  return additionalProperties === false && isList(required) && names.every((name) => required.includes(name));
}
