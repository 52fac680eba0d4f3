import { dirname, join } from "node:path";
import * as v from "valibot";
import { catalogueSchema, type Rule } from "../../core/catalogue.ts";
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
  const parsed = v.safeParse(catalogueSchema, read.value.values);
  if (!parsed.success) return err(`Cannot read models "${path}": ${wordsOf(parsed.issues[0])}`);
  return ok([...parsed.output.rules, ...builtIn.rules]);
}

/** `rules.2.context must be a number`, with rules counted from 1. */
function wordsOf(issue: v.InferIssue<typeof catalogueSchema>): string {
  const keys = (issue.path ?? []).map(({ key }) => (typeof key === "number" ? key + 1 : String(key)));
  return `${keys.join(".")} ${issue.message}`;
}
