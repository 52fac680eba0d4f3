import type { Json, JsonObject } from "../json.ts";
import { scalarProblems } from "./scalars.ts";
import { isList, isObject, isSchema, member, resolveReference, type Schema } from "./schema-parts.ts";

/** Where a value does not satisfy a schema that `checkSchema` accepted; empty when it does. */
export function validate(schema: Schema, value: Json): readonly string[] {
  const run: Run = { root: schema, stepsLeft: MAX_STEPS };
  const problems = problemsAt(run, schema, value, "", 0);
  return run.stepsLeft > 0 ? problems : [TOO_MUCH];
}

/** References may go round in circles, and alternatives of alternatives multiply: both end here. */
const MAX_STEPS = 200_000;
const MAX_DEPTH = 200;
const TOO_MUCH = "/: the schema takes too long to check";

type Run = { readonly root: Schema; stepsLeft: number };
type Problems = readonly string[];
const NONE: Problems = [];

function problemsAt(run: Run, schema: Schema, value: Json, path: string, depth: number): Problems {
  run.stepsLeft -= 1;
  if (run.stepsLeft <= 0 || depth > MAX_DEPTH) {
    run.stepsLeft = 0;
    return [TOO_MUCH];
  }
  if (typeof schema === "boolean") return schema ? NONE : [at(path, "is not allowed here")];
  const inner = (below: Json | undefined, of: Json, where: string): Problems =>
    isSchema(below) ? problemsAt(run, below, of, where, depth + 1) : NONE;
  return [
    ...scalarProblems(schema, value).map((words) => at(path, words)),
    ...(isObject(value) ? objectProblems(schema, value, path, inner) : NONE),
    ...(isList(value) ? listProblems(schema, value, path, inner) : NONE),
    ...combined(run, schema, value, path, inner),
  ];
}

type Inner = (schema: Json | undefined, value: Json, path: string) => Problems;

const at = (path: string, words: string): string => `${path === "" ? "/" : path}: ${words}`;

const pointer = (path: string, key: string | number): string =>
  `${path}/${String(key).replaceAll("~", "~0").replaceAll("/", "~1")}`;

const schemasIn = (value: Json | undefined): readonly Schema[] =>
  isList(value) ? value.filter(isSchema) : [];

function combined(run: Run, schema: JsonObject, value: Json, path: string, inner: Inner): Problems {
  const reference = member(schema, "$ref");
  const target = typeof reference === "string" ? resolveReference(run.root, reference) : undefined;
  const fits = (other: Schema) => inner(other, value, path).length === 0;
  const condition = member(schema, "if");
  const negated = member(schema, "not");
  return [
    ...inner(target, value, path),
    ...schemasIn(member(schema, "allOf")).flatMap((all) => inner(all, value, path)),
    ...anyProblems(schemasIn(member(schema, "anyOf")), value, path, inner),
    ...oneProblems(schemasIn(member(schema, "oneOf")), value, path, inner),
    ...(isSchema(negated) && fits(negated) ? [at(path, "is what it must not be")] : NONE),
    ...(isSchema(condition) ? inner(member(schema, fits(condition) ? "then" : "else"), value, path) : NONE),
  ];
}

/** The alternative that comes closest says what is wrong. */
function closest(schemas: readonly Schema[], value: Json, path: string, inner: Inner): Problems {
  let best: Problems | undefined;
  for (const schema of schemas) {
    const problems = inner(schema, value, path);
    if (problems.length === 0) return NONE;
    if (best === undefined || problems.length < best.length) best = problems;
  }
  return best ?? NONE;
}

function anyProblems(schemas: readonly Schema[], value: Json, path: string, inner: Inner): Problems {
  const problems = closest(schemas, value, path, inner);
  return problems.length === 0
    ? NONE
    : [at(path, `fits none of ${schemas.length} alternatives`), ...problems];
}

function oneProblems(schemas: readonly Schema[], value: Json, path: string, inner: Inner): Problems {
  if (schemas.length === 0) return NONE;
  const fitting = schemas.filter((schema) => inner(schema, value, path).length === 0).length;
  if (fitting === 1) return NONE;
  if (fitting > 1) return [at(path, `fits ${fitting} of the alternatives, but must fit exactly one`)];
  return anyProblems(schemas, value, path, inner);
}

function objectProblems(schema: JsonObject, value: JsonObject, path: string, inner: Inner): Problems {
  const names = Object.keys(value);
  const required = namesIn(member(schema, "required")).filter((name) => !Object.hasOwn(value, name));
  return [
    ...required.map((name) => at(path, `${JSON.stringify(name)} is required`)),
    ...dependent(schema, value, path, inner),
    ...names.flatMap((name) => inner(member(schema, "propertyNames"), name, pointer(path, name))),
    ...names.flatMap((name) => memberProblems(schema, value, name, path, inner)),
  ];
}

const namesIn = (value: Json | undefined): readonly string[] =>
  isList(value) ? value.filter((name) => typeof name === "string") : [];

function dependent(schema: JsonObject, value: JsonObject, path: string, inner: Inner): Problems {
  const lists = Object.entries(objectIn(member(schema, "dependentRequired"))).flatMap(([name, needed]) =>
    Object.hasOwn(value, name) ? namesIn(needed).filter((other) => !Object.hasOwn(value, other)) : [],
  );
  const schemas = Object.entries(objectIn(member(schema, "dependentSchemas"))).flatMap(([name, needed]) =>
    Object.hasOwn(value, name) ? inner(needed, value, path) : NONE,
  );
  return [
    ...lists.map((name) => at(path, `${JSON.stringify(name)} is required with the others`)),
    ...schemas,
  ];
}

const objectIn = (value: Json | undefined): JsonObject => (isObject(value) ? value : {});

function memberProblems(
  schema: JsonObject,
  value: JsonObject,
  name: string,
  path: string,
  inner: Inner,
): Problems {
  const where = pointer(path, name);
  const content = value[name] ?? null;
  const own = member(objectIn(member(schema, "properties")), name);
  const byPattern = Object.entries(objectIn(member(schema, "patternProperties"))).filter(([pattern]) =>
    new RegExp(pattern, "u").test(name),
  );
  const known = own !== undefined || byPattern.length > 0;
  const rest = known ? undefined : member(schema, "additionalProperties");
  if (rest === false) return [at(where, "is not a known member")];
  return [
    ...inner(own, content, where),
    ...byPattern.flatMap(([, matching]) => inner(matching, content, where)),
    ...inner(rest, content, where),
  ];
}

function listProblems(schema: JsonObject, value: readonly Json[], path: string, inner: Inner): Problems {
  const prefix = schemasIn(member(schema, "prefixItems"));
  const items = member(schema, "items");
  const each = value.flatMap((item, index) => inner(prefix[index] ?? items, item, pointer(path, index)));
  return [...each, ...containsProblems(schema, value, path, inner)];
}

function containsProblems(schema: JsonObject, value: readonly Json[], path: string, inner: Inner): Problems {
  const wanted = member(schema, "contains");
  if (!isSchema(wanted)) return NONE;
  const found = value.filter((item) => inner(wanted, item, path).length === 0).length;
  const [least, most] = [member(schema, "minContains") ?? 1, member(schema, "maxContains")];
  if (typeof least === "number" && found < least)
    return [at(path, `must contain ${least} such items, has ${found}`)];
  if (typeof most === "number" && found > most)
    return [at(path, `must contain at most ${most} such items, has ${found}`)];
  return NONE;
}
