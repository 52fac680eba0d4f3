import type { Json, JsonObject } from "../json.ts";
import { isList, isObject, member } from "./schema-parts.ts";

/** What is wrong with a value by the keywords that look at nothing inside it. */
export function scalarProblems(schema: JsonObject, value: Json): readonly string[] {
  return [
    ...typeProblems(schema, value),
    ...valueProblems(schema, value),
    ...(typeof value === "string" ? textProblems(schema, value) : []),
    ...(typeof value === "number" ? numberProblems(schema, value) : []),
    ...(isList(value) ? sizeProblems(schema, "Items", value.length, "items") : []),
    ...(isObject(value) ? sizeProblems(schema, "Properties", Object.keys(value).length, "members") : []),
    ...(isList(value) && member(schema, "uniqueItems") === true && !isUnique(value)
      ? ["must not hold the same item twice"]
      : []),
  ];
}

function typeProblems(schema: JsonObject, value: Json): readonly string[] {
  const wanted = member(schema, "type");
  if (wanted === undefined) return [];
  const types = isList(wanted) ? wanted : [wanted];
  if (types.some((type) => isOfType(type, value))) return [];
  return [`must be ${types.join(" or ")}, not ${typeName(value)}`];
}

const isOfType = (type: Json, value: Json): boolean =>
  type === typeName(value) || (type === "integer" && typeof value === "number" && Number.isInteger(value));

function typeName(value: Json): string {
  if (value === null) return "null";
  if (isList(value)) return "array";
  return typeof value;
}

function valueProblems(schema: JsonObject, value: Json): readonly string[] {
  const [allowed, constant] = [member(schema, "enum"), member(schema, "const")];
  return [
    ...(isList(allowed) && !allowed.some((other) => isSame(other, value))
      ? [`must be one of ${shortened(allowed.map((other) => JSON.stringify(other)).join(", "))}`]
      : []),
    ...(constant !== undefined && !isSame(constant, value)
      ? [`must be ${shortened(JSON.stringify(constant))}`]
      : []),
  ];
}

const shortened = (text: string): string => (text.length > 200 ? `${text.slice(0, 200)}…` : text);

function textProblems(schema: JsonObject, value: string): readonly string[] {
  const pattern = member(schema, "pattern");
  const mismatch = typeof pattern === "string" && !new RegExp(pattern, "u").test(value);
  return [
    ...sizeProblems(schema, "Length", Array.from(value).length, "characters"),
    ...(mismatch ? [`must match ${pattern}`] : []),
  ];
}

function sizeProblems(
  schema: JsonObject,
  what: "Length" | "Items" | "Properties",
  size: number,
  noun: string,
): readonly string[] {
  const [least, most] = [member(schema, `min${what}`), member(schema, `max${what}`)];
  return [
    ...(typeof least === "number" && size < least
      ? [`must have at least ${least} ${noun}, has ${size}`]
      : []),
    ...(typeof most === "number" && size > most ? [`must have at most ${most} ${noun}, has ${size}`] : []),
  ];
}

const BOUNDS: readonly (readonly [string, string, (value: number, bound: number) => boolean])[] = [
  ["minimum", "at least", (value, bound) => value >= bound],
  ["maximum", "at most", (value, bound) => value <= bound],
  ["exclusiveMinimum", "more than", (value, bound) => value > bound],
  ["exclusiveMaximum", "less than", (value, bound) => value < bound],
  ["multipleOf", "a multiple of", isMultiple],
];

const numberProblems = (schema: JsonObject, value: number): readonly string[] =>
  BOUNDS.flatMap(([name, words, holds]) => {
    const bound = member(schema, name);
    return typeof bound !== "number" || holds(value, bound) ? [] : [`must be ${words} ${bound}`];
  });

/** 0.3 is a multiple of 0.1, whatever binary fractions make of it. */
function isMultiple(value: number, of: number): boolean {
  const times = value / of;
  return Math.abs(times - Math.round(times)) <= 1e-9 * Math.max(1, Math.abs(times));
}

function isUnique(values: readonly Json[]): boolean {
  return new Set(values.map(canonical)).size === values.length;
}

const isSame = (a: Json, b: Json): boolean => canonical(a) === canonical(b);

/** One spelling for equal values: the order of members does not count. */
function canonical(value: Json): string {
  if (isList(value)) return `[${value.map(canonical).join(",")}]`;
  if (!isObject(value)) return JSON.stringify(value === 0 ? 0 : value);
  const members = Object.keys(value)
    .sort()
    .map((name) => `${JSON.stringify(name)}:${canonical(value[name] ?? null)}`);
  return `{${members.join(",")}}`;
}
