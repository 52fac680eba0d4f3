import type { Layer, RawTable } from "../../core/config/layers.ts";
import { countAt, fieldsAt, isFields } from "../../core/lenient.ts";
import { err, ok, type Result } from "../../core/result.ts";
import { oneLine } from "../../core/sanitize.ts";
import { readSmallFile } from "../host/read-small-file.ts";

const MAX_BYTES = 1024 * 1024;

/** A TOML file as a layer; undefined when there is none. One whose text is `known` is not read again. */
export async function readConfigFile(
  path: string,
  known?: { readonly text: string; readonly values: RawTable },
): Promise<Result<Layer | undefined, string>> {
  const read = readSmallFile(path, MAX_BYTES);
  if (!read.ok) {
    return read.error.missing ? ok(undefined) : err(`Cannot read config "${path}": ${read.error.reason}`);
  }
  const text = read.value;
  const place = { name: `Config "${path}"`, lineOf: (keys: readonly string[]) => lineOf(text, keys) };
  if (text === known?.text) return ok({ ...place, own: true, values: known.values });
  const parsed = await parseToml(path, text);
  return parsed.ok ? ok({ ...place, values: parsed.value }) : parsed;
}

async function parseToml(path: string, text: string): Promise<Result<RawTable, string>> {
  try {
    return ok({ ...Bun.TOML.parse(text) });
  } catch (error) {
    const said = error instanceof Error ? error.message : String(error);
    const why = withoutTokens(said.replace(/^TOML Parse error: /, ""));
    const place = await locateError(text);
    if (place === undefined) return err(`Cannot read config "${path}": ${why}`);
    const shown = withoutSecret(text.split("\n"), place.line);
    return err(`Cannot read config "${path}": line ${place.line}, column ${place.column}: ${why}: ${shown}`);
  }
}

const SECRET_NAME = /key|token|secret|passw|credential|authorization|cookie|header|proxy/i;

/** The line that is wrong may be the one that holds a key: its value is shown only where nothing says that it does. */
function withoutSecret(lines: readonly string[], number: number): string {
  const line = oneLine(lines[number - 1] ?? "", 100);
  const table = lines.slice(0, number - 1).findLast((other) => /^\s*\[/.test(other)) ?? "";
  const [name = "", mark = ""] = /^([^=:]*)([=:]?)/.exec(line)?.slice(1) ?? [];
  const secret = mark !== "" && (SECRET_NAME.test(name) || SECRET_NAME.test(table));
  return secret ? `${withoutTokens(name)}${mark} …` : withoutTokens(line);
}

/** Long runs of letters and digits are what keys look like, wherever they stand: in a value that spans lines, say. */
const withoutTokens = (text: string): string =>
  text.replace(/[\w+/=.~-]{16,}/g, (run) => (/\d/.test(run) && /[a-z]/i.test(run) ? "…" : run));

/** Bun's parser says what is wrong but not where; the `toml` package says where, and is loaded only for that. */
async function locateError(text: string): Promise<{ line: number; column: number } | undefined> {
  const { parse } = await import("toml");
  try {
    parse(text);
    return undefined;
  } catch (error) {
    return placeIn(error);
  }
}

function placeIn(error: unknown): { line: number; column: number } | undefined {
  const start = fieldsAt(isFields(error) ? (fieldsAt(error, "location") ?? {}) : {}, "start") ?? error;
  if (!isFields(start)) return undefined;
  const [line, column] = [countAt(start, "line"), countAt(start, "column")];
  return line !== undefined && column !== undefined ? { line, column } : undefined;
}

/** The line of a key: the last header that names its table, then the key below it. */
function lineOf(text: string, keys: readonly string[]): number | undefined {
  let table = "";
  let best: number | undefined;
  for (const [index, line] of text.split("\n").entries()) {
    const header = /^\s*\[+\s*([^\]]+?)\s*\]+/.exec(line);
    if (header) table = plainKey(header[1] ?? "");
    const assigned = /^\s*([^=#[]+?)\s*=/.exec(line);
    const key = assigned ? plainKey(assigned[1] ?? "") : "";
    const full = header ? table : key === "" ? "" : table === "" ? key : `${table}.${key}`;
    const wanted = keys.join(".");
    if (full === wanted) return index + 1;
    if (full !== "" && wanted.startsWith(`${full}.`)) best = index + 1;
  }
  return best;
}

const plainKey = (key: string): string => key.replace(/["']/g, "").replace(/\s*\.\s*/g, ".");
