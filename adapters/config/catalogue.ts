import { dirname, join } from "node:path";
import type { Rule } from "../../core/catalogue.ts";
import builtIn from "../../core/models.toml";
import { err, ok, type Result } from "../../core/result.ts";
import { readConfigFile } from "./files.ts";

/** The long list of prices is loaded only where something costs. */
export type Wanted = "with_prices" | "without_prices";

/** The rules about models: the user's `models.toml` beside the user config, where there is one, then the built-in ones. */
export async function readCatalogue(
  configFile: string | undefined,
  wanted: Wanted,
): Promise<Result<readonly Rule[], string>> {
  const known = await builtInRules(wanted);
  if (configFile === undefined) return ok(known);
  const path = join(dirname(configFile), "models.toml");
  const read = await readConfigFile(path);
  if (!read.ok) return read;
  if (read.value === undefined) return ok(known);
  const { checkRules } = await import("./check-rules.ts");
  const own = checkRules(read.value.values);
  return own.ok ? ok([...own.value, ...known]) : err(`Cannot read models "${path}": ${own.error}`);
}

async function builtInRules(wanted: Wanted): Promise<readonly Rule[]> {
  if (wanted === "without_prices") return builtIn.rules;
  const { default: prices } = await import("../../core/prices.toml");
  return [...builtIn.rules, ...prices.rules];
}
