// Reading what servers send, whatever they send: a field that is missing or of another type is simply not there.
// Not valibot: a stream has thousands of deltas, and checking each against a schema costs more than all the rest.

export type Fields = { readonly [key: string]: unknown };

export const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);

export const fieldsAt = (fields: Fields, key: string): Fields | undefined => {
  const value = fields[key];
  return isFields(value) ? value : undefined;
};

const NOTHING: readonly never[] = [];

export const listAt = (fields: Fields, key: string): readonly unknown[] => {
  const value = fields[key];
  return Array.isArray(value) ? value : NOTHING;
};

export const textAt = (fields: Fields, key: string): string => {
  const value = fields[key];
  return typeof value === "string" ? value : "";
};

/** A count that makes sense: a finite number that is not negative. */
export const countAt = (fields: Fields, key: string): number | undefined => {
  const value = fields[key];
  return typeof value === "number" && Number.isFinite(value) && value >= 0 ? value : undefined;
};
