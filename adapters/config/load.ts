import { join } from "node:path";
import { type Layer, type Loaded, mergeLayers } from "../../core/config/layers.ts";
import { untrusted } from "../../core/config/trust.ts";
import { err, ok, type Result } from "../../core/result.ts";
import { readConfigFile } from "./files.ts";
import type { Env, UserPaths } from "./paths.ts";

export type ConfigSources = {
  /** `--config`, or BUDDY_CONFIG: only this file. */
  readonly only: string | undefined;
  readonly cwd: string;
  readonly paths: UserPaths;
  readonly env: Env;
  /** The user said to trust the project's file for this run. */
  readonly trusted: boolean;
  readonly flags: Layer;
};

/** Every layer there is, lowest first: user file, project file, environment, flags. */
export async function loadConfig(sources: ConfigSources): Promise<Result<Loaded, string>> {
  const files = await fileLayers(sources);
  if (!files.ok) return files;
  const merged = mergeLayers([...files.value.layers, sources.flags]);
  if (!merged.ok) return merged;
  return ok({ ...merged.value, warnings: [...files.value.warnings, ...merged.value.warnings] });
}

type FileLayers = { readonly layers: readonly Layer[]; readonly warnings: readonly string[] };

async function fileLayers(sources: ConfigSources): Promise<Result<FileLayers, string>> {
  if (sources.only !== undefined) {
    const read = await readConfigFile(sources.only);
    if (!read.ok) return read;
    if (read.value === undefined) return err(`Cannot read config "${sources.only}": no such file`);
    return ok({ layers: [read.value], warnings: [] });
  }
  const user =
    sources.paths.configFile === undefined ? ok(undefined) : await readConfigFile(sources.paths.configFile);
  if (!user.ok) return user;
  const project = await projectLayer(sources);
  if (!project.ok) return project;
  const layers = [user.value, project.value.layer].filter((layer) => layer !== undefined);
  return ok({ layers, warnings: project.value.warnings });
}

/** The project's own file. Until the user trusts it, what could leak a key or loosen safety is left out. */
async function projectLayer(
  sources: ConfigSources,
): Promise<Result<{ readonly layer: Layer | undefined; readonly warnings: readonly string[] }, string>> {
  const path = join(sources.cwd, "buddy.toml");
  const read = await readConfigFile(path);
  if (!read.ok) return read;
  const layer = read.value;
  if (layer === undefined || sources.trusted) return ok({ layer, warnings: [] });
  const { values, ignored } = untrusted(layer.values);
  const warning = `"${path}" is not trusted: ignored ${ignored.join(", ")} (--trust honours them for one run)`;
  return ok({ layer: { ...layer, values }, warnings: ignored.length > 0 ? [warning] : [] });
}
