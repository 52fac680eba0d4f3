import * as v from "valibot";
import { parseDuration } from "../duration.ts";

// The kinds of values that configuration has, each with the words for a wrong one.

/** A key with its default and its line of documentation. */
export const key = <S extends v.GenericSchema, const D extends v.InferInput<S>>(
  schema: S,
  fallback: D,
  doc: string,
) => v.optional(v.pipe(schema, v.description(doc)), fallback);

export const text = v.string("must be text");
export const flag = v.boolean("must be true or false");
export const share = v.number("must be a number");
export const count = v.pipe(
  v.number("must be a number"),
  v.integer("must be a whole number"),
  v.minValue(0, "must not be negative"),
);
export const positive = v.pipe(count, v.minValue(1, "must be at least 1"));
export const texts = v.array(text, "must be a list of texts");

const DURATION = 'must be a duration such as "500ms", "30s", "1h30m" or a whole number of seconds';

export const duration = v.pipe(
  v.union([v.string(), v.number()], DURATION),
  v.check((value) => parseDuration(String(value)) !== undefined, DURATION),
  v.transform((value) => parseDuration(String(value)) ?? 0),
);

export const choice = <const T extends readonly string[]>(options: T) =>
  v.picklist(options, `must be one of ${options.map((option) => `"${option}"`).join(", ")}`);

export const table = <const E extends v.ObjectEntries>(entries: E) => v.object(entries, "must be a table");

export const list = <const S extends v.GenericSchema>(item: S) => v.array(item, "must be a list of tables");
