import { dirname, join } from "node:path";
import type { Rule } from "../../core/catalogue.ts";
import builtIn from "../../core/models.toml";
import { err, ok, type Result } from "../../core/result.ts";
import { readConfigFile } from "./files.ts";

/** The rules about models: the user's `models.toml` beside the user config, where there is one, then the built-in ones. */
export async function readCatalogue(
  configFile: string | undefined,
): Promise<Result<readonly Rule[], string>> {
  if (configFile === undefined) return ok(builtIn.rules);
  const path = join(dirname(configFile), "models.toml");
  const read = await readConfigFile(path);
  if (!read.ok) return read;
  if (read.value === undefined) return ok(builtIn.rules);
  const { checkRules } = await import("./check-rules.ts");
  const own = checkRules(read.value.values);
  return own.ok ? ok([...own.value, ...builtIn.rules]) : err(`Cannot read models "${path}": ${own.error}`);
}
