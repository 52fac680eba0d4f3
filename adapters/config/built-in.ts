import { mergeLayers, type RawTable } from "../../core/config/layers.ts";
import type { Config } from "../../core/config/schema.ts";
import { TEMPLATE } from "./template.ts";

/** What the template says, and the configuration that it makes. */
export type BuiltIn = { readonly values: RawTable; readonly config: Config };

/** Called while the program is compiled, as a macro: most runs have no file that says something else. */
export function builtIn(): BuiltIn {
  const values: RawTable = { ...Bun.TOML.parse(TEMPLATE) };
  const merged = mergeLayers([{ name: "template", values }]);
  if (!merged.ok) throw new Error(merged.error);
  return { values, config: merged.value.config };
}
