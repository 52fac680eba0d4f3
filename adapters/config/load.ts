import { join } from "node:path";
import { type Layer, type Loaded, mergeLayers, type RawTable } from "../../core/config/layers.ts";
import { splitByTrust } from "../../core/config/trust.ts";
import { err, ok, type Result } from "../../core/result.ts";
import { readConfigFile } from "./files.ts";
import { projectConfigFile, type UserPaths, userConfigFile } from "./paths.ts";
import { TEMPLATE } from "./template.ts";
import { trustStore } from "./trust-store.ts";

export type ConfigSources = {
  /** `--config`, or BUDDY_CONFIG: only this file. */
  readonly only: string | undefined;
  /** `--hermetic`: no file at all. */
  readonly hermetic: boolean;
  readonly cwd: string;
  readonly paths: UserPaths;
  /** The user said to trust the project's file for this run. */
  readonly trustOnce: boolean;
  readonly flags: Layer;
};

export type LoadedConfig = Loaded & {
  /** Every layer, lowest first; the last is the flags. */
  readonly layers: readonly Layer[];
  /** Profiles that the user's own files define, in order. */
  readonly ownProfiles: readonly string[];
  /** The user file that is missing and could be made. */
  readonly missingUserFile: string | undefined;
};

/** Built-in profiles (what the template says holds without any file), user file, project file, flags. */
export async function loadConfig(sources: ConfigSources): Promise<Result<LoadedConfig, string>> {
  const template = { ...Bun.TOML.parse(TEMPLATE) };
  const files = await fileLayers(sources, template);
  if (!files.ok) return files;
  const { layers: own, warnings, missingUserFile } = files.value;
  const layers = [{ name: "built-in", own: true as const, values: template }, ...own, sources.flags];
  const merged = mergeLayers(layers);
  if (!merged.ok) return merged;
  return ok({
    config: merged.value.config,
    warnings: [...warnings, ...merged.value.warnings],
    layers,
    ownProfiles: own.flatMap(({ own: ours, values }) => (ours ? [] : Object.keys(Object(values.models)))),
    missingUserFile,
  });
}

export const trustFile = (paths: UserPaths): string | undefined =>
  paths.configDir && join(paths.configDir, "trust.json");

type FileLayers = {
  readonly layers: readonly Layer[];
  readonly warnings: readonly string[];
  readonly missingUserFile: string | undefined;
};

async function fileLayers(sources: ConfigSources, template: RawTable): Promise<Result<FileLayers, string>> {
  const nothing = { layers: [], warnings: [], missingUserFile: undefined };
  if (sources.only !== undefined) {
    const read = await readConfigFile(sources.only);
    if (!read.ok) return read;
    if (read.value === undefined) return err(`Cannot read config "${sources.only}": no such file`);
    return ok({ ...nothing, layers: [read.value] });
  }
  if (sources.hermetic) return ok(nothing);
  const path = userConfigFile(sources.paths);
  // Most users never change the file that was made for them.
  const known = { text: TEMPLATE, values: template };
  const user = path === undefined ? ok(undefined) : await readConfigFile(path, known);
  if (!user.ok) return user;
  const project = await projectLayer(sources);
  if (!project.ok) return project;
  return ok({
    layers: [user.value, project.value.layer].filter((layer) => layer !== undefined),
    warnings: project.value.warnings,
    missingUserFile: user.value === undefined ? path : undefined,
  });
}

type ProjectLayer = { readonly layer: Layer | undefined; readonly warnings: readonly string[] };

/** The project's own file. Until the user trusts it, what could leak a key or loosen safety is left out. */
async function projectLayer({ cwd, paths, trustOnce }: ConfigSources): Promise<Result<ProjectLayer, string>> {
  const path = projectConfigFile(cwd);
  const read = await readConfigFile(path);
  if (!read.ok) return read;
  const layer = read.value;
  if (layer === undefined || trustOnce) return ok({ layer, warnings: [] });
  const split = splitByTrust(layer.values);
  if (split.names.length === 0) return ok({ layer, warnings: [] });
  const trusted = trustStore(trustFile(paths)).isTrusted(cwd, split);
  if (!trusted.ok) return trusted;
  if (trusted.value) return ok({ layer, warnings: [] });
  const warning = `"${path}" is not trusted: ignored ${split.names.join(", ")}. To honour them: buddy trust, or --trust for one run`;
  return ok({ layer: { ...layer, values: split.harmless }, warnings: [warning] });
}
