import { readdirSync } from "node:fs";
import { join } from "node:path";
import { err, ok, type Result } from "../../core/result.ts";
import { readSmallFile } from "../host/read-small-file.ts";
import { BUILTIN_THEMES, builtinTheme, type Theme, themeOf } from "./theme.ts";

const MOST_BYTES = 65_536;

/** The built-in themes and those of `themes/*.json` in the user's configuration. */
export function themeNames(dir: string | undefined): readonly string[] {
  const builtin = ["auto", ...BUILTIN_THEMES.map(({ name }) => name)];
  return [...builtin, ...fileNames(dir).filter((name) => !builtin.includes(name))];
}

/** `background` decides what `auto` means. */
export function findTheme(
  name: string,
  dir: string | undefined,
  background: "dark" | "light",
): Result<Theme, string> {
  if (name === "auto") return ok(builtinTheme(background));
  const builtin = BUILTIN_THEMES.find((theme) => theme.name === name);
  if (builtin) return ok(builtin);
  if (dir === undefined || !/^[\w-]{1,64}$/.test(name)) return err(`There is no theme "${name}"`);
  const path = join(dir, `${name}.json`);
  const read = readSmallFile(path, MOST_BYTES);
  if (!read.ok)
    return err(
      read.error.missing
        ? `There is no theme "${name}"`
        : `Cannot read the theme "${path}": ${read.error.reason}`,
    );
  const parsed = parse(read.value);
  const theme = parsed.ok ? themeOf(name, parsed.value) : parsed;
  return theme.ok ? theme : err(`Cannot use the theme "${path}": ${theme.error}`);
}

function fileNames(dir: string | undefined): readonly string[] {
  if (dir === undefined) return [];
  try {
    return readdirSync(dir)
      .filter((name) => name.endsWith(".json"))
      .map((name) => name.slice(0, -".json".length))
      .sort();
  } catch {
    return []; // no such directory: no themes of one's own
  }
}

function parse(text: string): Result<unknown, string> {
  try {
    return ok(JSON.parse(text));
  } catch {
    return err("it is not JSON");
  }
}

/** Dark or light, from what the terminal answered about its background, else from what it says in the environment. */
export function backgroundOf(
  reply: string | undefined,
  env: Readonly<Record<string, string | undefined>>,
): "dark" | "light" | undefined {
  const colour = /rgb:([0-9a-f]{1,4})\/([0-9a-f]{1,4})\/([0-9a-f]{1,4})/i.exec(reply ?? "");
  if (colour) {
    const [red = 0, green = 0, blue = 0] = colour
      .slice(1)
      .map((part) => Number.parseInt(part, 16) / (16 ** part.length - 1));
    return 0.299 * red + 0.587 * green + 0.114 * blue > 0.5 ? "light" : "dark";
  }
  const last = /(?:^|;)(\d{1,2})$/.exec(env.COLORFGBG ?? "")?.[1];
  if (last === undefined) return undefined;
  return last === "7" || last === "15" ? "light" : "dark";
}
