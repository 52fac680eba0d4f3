import type { Json, JsonObject } from "../json.ts";
import { nearest } from "../nearest.ts";
import { err, ok, type Result } from "../result.ts";
import { KEYWORDS, type KeywordShape } from "./keywords.ts";
import {
  isList,
  isObject,
  isSchema,
  resolveReference,
  type Schema,
  schemaOf,
  TYPES,
} from "./schema-parts.ts";

const MAX_DEPTH = 64;

/**
 * Whether a document is a schema of which every word is understood. A keyword that would be ignored is refused: an
 * answer must not pass because of a rule that nobody looked at.
 */
export function checkSchema(document: unknown): Result<Schema & JsonObject, string> {
  const schema = schemaOf(document);
  if (!isObject(schema)) return err("it must be an object, the schema of the answer");
  const wrong = wrongSchema({ root: schema, followed: new Set() }, schema, "", 0);
  return wrong === undefined ? ok(schema) : err(wrong);
}

type Walk = { readonly root: Schema; readonly followed: Set<string> };

function wrongSchema(walk: Walk, schema: Schema, path: string, depth: number): string | undefined {
  if (depth > MAX_DEPTH) return `${place(path)}: nested deeper than ${MAX_DEPTH} levels`;
  if (typeof schema === "boolean") return undefined;
  for (const [name, value] of Object.entries(schema)) {
    if (name.startsWith("x-")) continue;
    const shape = KEYWORDS.get(name);
    const here = `${path}/${name}`;
    const wrong =
      shape === undefined
        ? `the keyword ${JSON.stringify(name)} is not supported${suggestion(name)}`
        : wrongValue(walk, { name, shape, value, path: here, isRoot: path === "" }, depth);
    if (wrong === undefined) continue;
    return wrong.startsWith("/") ? wrong : `${place(path)}: ${wrong}`;
  }
  return undefined;
}

const place = (path: string): string => (path === "" ? "/" : path);

function suggestion(name: string): string {
  const meant = nearest(name, KEYWORDS.keys());
  return meant ? `; did you mean ${JSON.stringify(meant)}?` : "";
}

type Keyword = {
  readonly name: string;
  readonly shape: KeywordShape;
  readonly value: Json;
  readonly path: string;
  readonly isRoot: boolean;
};

/** What is wrong: with a path in front when it is further inside. */
function wrongValue(walk: Walk, keyword: Keyword, depth: number): string | undefined {
  const { name, shape, value, path } = keyword;
  switch (shape) {
    case "schema":
      return isSchema(value) ? wrongSchema(walk, value, path, depth + 1) : `${name} must be a schema`;
    case "schemas":
      if (!isList(value) || value.length === 0) return `${name} must be a list of schemas`;
      return wrongInside(walk, [...value.entries()], keyword, depth);
    case "schema map":
    case "pattern map": {
      if (!isObject(value)) return `${name} must be an object of schemas`;
      const bad = shape === "pattern map" ? Object.keys(value).find((text) => !isPattern(text)) : undefined;
      if (bad !== undefined) return `${name} has ${JSON.stringify(bad)}, which is no regular expression`;
      return wrongInside(walk, Object.entries(value), keyword, depth);
    }
    case "reference":
      return wrongReference(walk, value, depth);
    case "text":
      return wrongText(keyword);
    default:
      return FITS[shape](value) ? undefined : `${name} must be ${WANTED[shape]}`;
  }
}

function wrongInside(
  walk: Walk,
  members: readonly (readonly [string | number, Json])[],
  { name, path }: Keyword,
  depth: number,
): string | undefined {
  for (const [key, inner] of members) {
    if (!isSchema(inner)) return `${name} must hold schemas, ${JSON.stringify(key)} is none`;
    const wrong = wrongSchema(walk, inner, `${path}/${key}`, depth + 1);
    if (wrong !== undefined) return wrong;
  }
  return undefined;
}

/** Where a reference leads is looked at too: it may be a place that no keyword makes a schema. */
function wrongReference(walk: Walk, value: Json, depth: number): string | undefined {
  if (typeof value !== "string") return "$ref must be text";
  if (walk.followed.has(value)) return undefined;
  walk.followed.add(value);
  const found = resolveReference(walk.root, value);
  if (found !== undefined) return wrongSchema(walk, found, value.replace(/^#/, ""), depth + 1);
  return `the reference ${JSON.stringify(value)} leads nowhere (only places in the same document can be meant)`;
}

const DIALECTS = /^https?:\/\/json-schema\.org\/(draft\/2020-12|draft\/2019-09|draft-0[67])\/schema#?$/;

function wrongText({ name, value, isRoot }: Keyword): string | undefined {
  if (typeof value !== "string") return `${name} must be text`;
  if (name === "$schema" && !DIALECTS.test(value))
    return `the dialect ${JSON.stringify(value)} is not supported`;
  if (name === "$id" && !isRoot) return "$id is supported only at the top";
  return undefined;
}

type SimpleShape = Exclude<
  KeywordShape,
  "schema" | "schemas" | "schema map" | "pattern map" | "reference" | "text"
>;

const isNames = (value: Json): boolean => isList(value) && value.every((name) => typeof name === "string");

const isType = (value: Json): boolean => TYPES.some((type) => type === value);

function isPattern(value: Json): boolean {
  try {
    return typeof value === "string" && new RegExp(value, "u") instanceof RegExp;
  } catch {
    return false; // no valid expression
  }
}

const FITS: Readonly<Record<SimpleShape, (value: Json) => boolean>> = {
  "name lists": (value) => isObject(value) && Object.values(value).every(isNames),
  names: isNames,
  values: isList,
  count: (value) => typeof value === "number" && Number.isInteger(value) && value >= 0,
  number: (value) => typeof value === "number",
  "positive number": (value) => typeof value === "number" && value > 0,
  flag: (value) => typeof value === "boolean",
  pattern: isPattern,
  type: (value) => isType(value) || (isList(value) && value.length > 0 && value.every(isType)),
  anything: () => true,
};

const WANTED: Readonly<Record<SimpleShape, string>> = {
  "name lists": "an object of lists of names",
  names: "a list of names",
  values: "a list",
  count: "a whole number from 0",
  number: "a number",
  "positive number": "a number above 0",
  flag: "true or false",
  pattern: "a regular expression",
  type: `one of ${TYPES.join(", ")}, or a list of them`,
  anything: "anything",
};
