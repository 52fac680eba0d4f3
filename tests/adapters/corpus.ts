import { readFileSync } from "node:fs";
import { join } from "node:path";
import * as v from "valibot";

/** The rows of a corpus file, checked against the schema of what a test reads of them. */
export function corpusRows<const S extends v.GenericSchema>(
  name: string,
  row: S,
): readonly v.InferOutput<S>[] {
  const path = join(import.meta.dir, "../../fixtures/corpus", `${name}.json`);
  return v.parse(v.array(row), JSON.parse(readFileSync(path, "utf8")));
}
