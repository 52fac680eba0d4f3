/** What the value of a keyword must be. */
export type KeywordShape =
  | "schema"
  | "schemas"
  | "schema map"
  | "pattern map"
  | "name lists"
  | "names"
  | "values"
  | "count"
  | "number"
  | "positive number"
  | "flag"
  | "text"
  | "pattern"
  | "type"
  | "reference"
  | "anything";

/** Every keyword of JSON Schema 2020-12 that is understood; what only describes is accepted and has no effect. */
export const KEYWORDS: ReadonlyMap<string, KeywordShape> = new Map<string, KeywordShape>([
  ...shaped("schema", "additionalProperties propertyNames items contains not if then else"),
  ...shaped("schemas", "allOf anyOf oneOf prefixItems"),
  ...shaped("schema map", "properties $defs definitions dependentSchemas"),
  ...shaped("pattern map", "patternProperties"),
  ...shaped("name lists", "dependentRequired"),
  ...shaped("names", "required"),
  ...shaped("values", "enum examples"),
  ...shaped(
    "count",
    "minLength maxLength minItems maxItems minContains maxContains minProperties maxProperties",
  ),
  ...shaped("number", "minimum maximum exclusiveMinimum exclusiveMaximum"),
  ...shaped("positive number", "multipleOf"),
  ...shaped("flag", "uniqueItems deprecated readOnly writeOnly"),
  ...shaped("text", "$schema $id $anchor $comment title description format contentEncoding contentMediaType"),
  ...shaped("pattern", "pattern"),
  ...shaped("type", "type"),
  ...shaped("reference", "$ref"),
  ...shaped("anything", "const default"),
]);

function shaped(shape: KeywordShape, names: string): readonly (readonly [string, KeywordShape])[] {
  return names.split(" ").map((name) => [name, shape]);
}
