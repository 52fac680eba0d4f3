import { describe, expect, test } from "bun:test";
import { jsonOf } from "../../core/json.ts";
import { checkSchema } from "../../core/json-schema/check-schema.ts";
import { fitsStrictMode } from "../../core/json-schema/strict-mode.ts";
import { validate } from "../../core/json-schema/validate.ts";

const problemsOf = (schema: object, value: unknown): readonly string[] => {
  const checked = checkSchema(schema);
  if (!checked.ok) throw new Error(checked.error);
  return validate(checked.value, jsonOf(value));
};

/** A schema, values that satisfy it, values that do not. */
const ROWS: readonly (readonly [object, readonly unknown[], readonly unknown[]])[] = [
  [{}, [null, 1, "x", [], {}], []],
  [{ type: "integer" }, [1, -3, 2.0], [1.5, "1", null]],
  [{ type: ["string", "null"] }, ["", null], [0, false]],
  [{ type: "number" }, [1, 1.5], ["1", [1]]],
  [{ enum: [1, "a", { x: [1, 2] }] }, [1, "a", { x: [1, 2] }], [2, { x: [2, 1] }]],
  [{ const: { a: 1, b: 2 } }, [{ b: 2, a: 1 }], [{ a: 1 }]],
  [{ const: null }, [null], [0, ""]],
  [{ minLength: 2, maxLength: 3 }, ["ab", "😀😀", 5], ["a", "abcd"]],
  [{ pattern: "^\\d+$" }, ["12", 3], ["x1", ""]],
  [{ format: "date-time" }, ["2026-01-01T00:00:00Z", "not one"], []],
  [{ minimum: 1, exclusiveMaximum: 3 }, [1, 2.9], [0, 3]],
  [{ exclusiveMinimum: 1, maximum: 3 }, [1.1, 3], [1, 3.1]],
  [{ multipleOf: 0.1 }, [0.3, 1, -0.7], [0.35]],
  [{ items: { type: "string" }, minItems: 1, maxItems: 2 }, [["a"], ["a", "b"]], [[], [1], ["a", "b", "c"]]],
  [{ prefixItems: [{ type: "string" }], items: false }, [[], ["a"]], [[1], ["a", 2]]],
  [
    { uniqueItems: true },
    [
      [1, 2],
      [{ a: 1 }, { a: 2 }],
    ],
    [
      [1, 1],
      [
        { a: 1, b: 2 },
        { b: 2, a: 1 },
      ],
    ],
  ],
  [{ contains: { type: "number" }, maxContains: 1 }, [["a", 1]], [["a"], [1, 2]]],
  [{ contains: { const: 1 }, minContains: 2 }, [[1, 1]], [[1]]],
  [
    { properties: { a: { type: "string" } }, required: ["a"], additionalProperties: false },
    [{ a: "x" }],
    [{}, { a: 1 }, { a: "x", b: 1 }, JSON.parse('{"a":"x","__proto__":1}')],
  ],
  [{ additionalProperties: { type: "number" } }, [{ x: 1 }], [{ x: "1" }]],
  [
    { patternProperties: { "^n_": { type: "number" } }, additionalProperties: false },
    [{ n_a: 1 }],
    [{ n_a: "1" }, { m: 1 }],
  ],
  [{ propertyNames: { pattern: "^[a-z]+$" } }, [{ ab: 1 }], [{ A: 1 }]],
  [{ minProperties: 1, maxProperties: 1 }, [{ a: 1 }], [{}, { a: 1, b: 2 }]],
  [{ dependentRequired: { a: ["b"] } }, [{}, { a: 1, b: 2 }, { b: 1 }], [{ a: 1 }]],
  [{ dependentSchemas: { a: { required: ["b"] } } }, [{ a: 1, b: 2 }], [{ a: 1 }]],
  [{ required: ["toString"] }, [{ toString: 1 }], [{}]],
  [{ allOf: [{ minimum: 1 }, { maximum: 2 }] }, [1, 2], [0, 3]],
  [{ anyOf: [{ type: "string" }, { minimum: 5 }] }, ["x", 5], [4]],
  [{ oneOf: [{ type: "number" }, { minimum: 5 }] }, [1], [5]],
  [{ not: { type: "string" } }, [1], ["x"]],
  [JSON.parse('{"if":{"type":"string"},"then":{"minLength":2},"else":{"minimum":2}}'), ["ab", 2], ["a", 1]],
  [{ $ref: "#/$defs/n", $defs: { n: { type: "number" } } }, [1], ["1"]],
  [{ $ref: "#/definitions/a~1b", definitions: { "a/b": { type: "number" } } }, [1], ["1"]],
  [{ $ref: "#here", $defs: { n: { $anchor: "here", type: "number" } } }, [1], ["1"]],
  [
    { type: "object", properties: { next: { $ref: "#" } }, additionalProperties: false },
    [{}, { next: { next: {} } }],
    [{ next: 1 }, { next: { other: 1 } }],
  ],
  [{ "x-note": 1, title: "t", description: "d", default: 1, examples: [], $comment: "c" }, [1], []],
  [{ $schema: "https://json-schema.org/draft/2020-12/schema", $id: "https://example.invalid/x" }, [1], []],
];

describe("validate()", () => {
  test.each(ROWS)("validate() by %j", (schema, right, wrong) => {
    for (const value of right) expect([value, problemsOf(schema, value)]).toEqual([value, []]);
    for (const value of wrong) expect([value, problemsOf(schema, value).length > 0]).toEqual([value, true]);
  });

  test("validate() says where and what", () => {
    const schema = {
      properties: { list: { items: { properties: { "a/b": { type: "string" } }, required: ["c"] } } },
    };
    expect(problemsOf(schema, { list: [{ "a/b": 1 }] })).toEqual([
      '/list/0: "c" is required',
      "/list/0/a~1b: must be string, not number",
    ]);
  });

  test("validate() ends on references in a circle and on alternatives that multiply", () => {
    const tooMuch = ["/: the schema takes too long to check"];
    expect(problemsOf({ $ref: "#" }, 1)).toEqual(tooMuch);
    const alternatives = Array.from({ length: 8 }, () => ({ $ref: "#/$defs/n" }));
    const n = { properties: { n: { oneOf: alternatives } }, required: ["n"] };
    let value: object = {};
    for (let depth = 0; depth < 30; depth++) value = { n: value };
    expect(problemsOf({ $ref: "#/$defs/n", $defs: { n } }, value)).toEqual(tooMuch);
  });
});

describe("checkSchema()", () => {
  test.each([
    [[], "it must be an object, the schema of the answer"],
    [true, "it must be an object, the schema of the answer"],
    [{ requird: ["a"] }, '/: the keyword "requird" is not supported; did you mean "required"?'],
    [
      { properties: { a: { unevaluatedItems: false } } },
      '/properties/a: the keyword "unevaluatedItems" is not supported',
    ],
    [
      { type: "text" },
      "/: type must be one of object, array, string, number, integer, boolean, null, or a list of them",
    ],
    [{ items: [{ type: "string" }] }, "/: items must be a schema"],
    [{ anyOf: [] }, "/: anyOf must be a list of schemas"],
    [{ allOf: [{ minLength: -1 }] }, "/allOf/0: minLength must be a whole number from 0"],
    [{ pattern: "(" }, "/: pattern must be a regular expression"],
    [{ patternProperties: { "(": {} } }, '/: patternProperties has "(", which is no regular expression'],
    [{ properties: { a: 1 } }, '/: properties must hold schemas, "a" is none'],
    [
      { $ref: "other.json" },
      '/: the reference "other.json" leads nowhere (only places in the same document can be meant)',
    ],
    [
      { $ref: "#/$defs/a", $defs: {} },
      '/: the reference "#/$defs/a" leads nowhere (only places in the same document can be meant)',
    ],
    [{ $ref: "#/default", default: { nonsense: 1 } }, '/default: the keyword "nonsense" is not supported'],
    [
      { $schema: "http://json-schema.org/draft-04/schema#" },
      '/: the dialect "http://json-schema.org/draft-04/schema#" is not supported',
    ],
    [{ properties: { a: { $id: "x" } } }, "/properties/a: $id is supported only at the top"],
  ])("checkSchema() refuses %j", (schema, said) => {
    expect(checkSchema(schema)).toEqual({ ok: false, error: said });
  });

  test("checkSchema() refuses what is nested too deep", () => {
    let schema: object = {};
    for (let depth = 0; depth < 100; depth++) schema = { not: schema };
    expect(checkSchema(schema)).toMatchObject({ ok: false });
  });
});

test.each([
  [
    { type: "object", properties: { a: { type: "string" } }, required: ["a"], additionalProperties: false },
    true,
  ],
  [
    { type: "object", properties: { a: { type: "string" } }, required: [], additionalProperties: false },
    false,
  ],
  [{ type: "object", properties: {}, required: [] }, false],
  [{ type: "array", items: { type: "string" } }, false],
  [{ type: "object", properties: {}, required: [], additionalProperties: false, oneOf: [{}] }, false],
])("fitsStrictMode() of %j", (schema, fits) => {
  expect(fitsStrictMode(schema)).toBe(fits);
});
